// Manifests as kubectl reads them from files: several documents, JSON, and Lists, which become
// their items. It is work for a thread. Errors are data and name a place, never a value.

import { createHash } from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";
import { isSetpointError } from "../errors.ts";
import type { HeavyFunctions } from "../heavy-work.ts";
import { jsonProblem, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { objectAt, textAt } from "../json-read.ts";
import { limits } from "../limits.ts";
import { parseIfJson } from "../strict-json.ts";
import { decodeUtf8 } from "../whole-text.ts";
import { readDocuments } from "../yaml-documents.ts";

export const readManifestsJob = "read-manifests";

/** The files follow each other in the bytes of the job. */
export interface ManifestFiles {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly maxObjects: number;
  /** Of all objects as JSON. */
  readonly maxBytes: number;
  readonly maxErrors: number;
}

/** The facts of the answer. Its bytes are the objects as JSON, one after the other. */
export interface ReadManifests {
  readonly objects: readonly ReadManifest[];
  readonly errors: readonly ManifestProblem[];
  /** Undefined: the answer is within the bounds. */
  readonly exceeded?: string;
}

export interface ReadManifest {
  readonly file: string;
  readonly line?: number;
  readonly bytes: number;
  readonly digest: string;
}

export interface ManifestProblem {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

export const manifestFunctions: HeavyFunctions = {
  [readManifestsJob]: (bytes, options) => {
    const reading = new Reading(options as unknown as ManifestFiles);
    const facts = reading.read(bytes);
    return { bytes: Buffer.concat(reading.texts), facts: facts as unknown as JsonObject };
  },
};

interface Found {
  readonly value: Json;
  readonly line?: number;
  readonly itemLines?: readonly number[];
}

class Reading {
  readonly texts: Buffer[] = [];
  readonly #job: ManifestFiles;
  readonly #objects: ReadManifest[] = [];
  readonly #errors: ManifestProblem[] = [];
  #bytes = 0;
  #exceeded: string | undefined;

  constructor(job: ManifestFiles) {
    this.#job = job;
  }

  read(all: Buffer): ReadManifests {
    let from = 0;
    for (const { path, bytes } of this.#job.files) {
      this.#file(path, all.subarray(from, from + bytes));
      from += bytes;
      if (this.#isDone()) break;
    }
    const [objects, errors] = [this.#objects, this.#errors];
    return this.#exceeded === undefined
      ? { objects, errors }
      : { objects, errors, exceeded: this.#exceeded };
  }

  #isDone(): boolean {
    return this.#exceeded !== undefined || this.#errors.length >= this.#job.maxErrors;
  }

  #file(path: string, bytes: Buffer): void {
    try {
      const json = wholeJson(bytes);
      if (json !== undefined) {
        if (json.value !== null) this.#document(path, json);
        return;
      }
      for (const read of readDocuments(decodeUtf8(bytes))) {
        if ("problem" in read) this.#refuse(path, read.line, read.problem);
        else this.#document(path, read);
        if (this.#isDone()) return;
      }
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      this.#refuse(path, undefined, error.message);
    }
  }

  #document(file: string, found: Found): void {
    const { value, line } = found;
    const depth = jsonProblem(value, limits.maxJsonDepth);
    if (depth !== undefined) this.#refuse(file, line, depth);
    else if (!isJsonObject(value)) {
      this.#refuse(file, line, "a manifest must be an object with apiVersion and kind");
    } else if (isList(value)) this.#list(file, value, found);
    else this.#object(file, value, line);
  }

  #list(file: string, list: JsonObject, { line, itemLines = [] }: Found): void {
    const items = list["items"] as readonly Json[];
    for (const [index, item] of items.entries()) {
      const at = itemLines[index] ?? line;
      this.#document(file, at === undefined ? { value: item } : { value: item, line: at });
      if (this.#isDone()) return;
    }
  }

  #object(file: string, object: JsonObject, line: number | undefined): void {
    const problem = shapeProblem(object);
    if (problem !== undefined) {
      this.#refuse(file, line, problem);
      return;
    }
    const text = Buffer.from(JSON.stringify(object));
    const { maxObjects, maxBytes } = this.#job;
    this.#bytes += text.length;
    if (this.#objects.length >= maxObjects) this.#exceeded = `more than ${maxObjects} objects`;
    else if (this.#bytes > maxBytes) this.#exceeded = `more than ${maxBytes} bytes of objects`;
    else {
      const digest = createHash("sha256").update(canonicalJson(object)).digest("base64url");
      this.texts.push(text);
      this.#objects.push({ file, ...lineOf(line), bytes: text.length, digest });
    }
  }

  #refuse(file: string, line: number | undefined, message: string): void {
    this.#errors.push({ file, ...lineOf(line), message });
  }
}

function lineOf(line: number | undefined): { readonly line?: number } {
  return line === undefined ? {} : { line };
}

/** Undefined for a text that is read as YAML, which finds the line of an error. */
function wholeJson(bytes: Buffer): Found | undefined {
  const first = bytes.find((byte) => byte > space);
  if (first !== openObject && first !== openList) return undefined;
  const parsed = parseIfJson(bytes, { strict: true });
  return parsed === undefined || parsed.duplicates.length > 0 ? undefined : { value: parsed.value };
}

const [space, openObject, openList] = [0x20, 0x7b, 0x5b];

function isList(value: JsonObject): boolean {
  const { kind } = value;
  return typeof kind === "string" && kind.endsWith("List") && isJsonArray(value["items"]);
}

/** Names the object as well as it can be. */
function shapeProblem(object: JsonObject): string | undefined {
  const metadata = objectAt(object, "metadata");
  const [kind, name] = [textAt(object, "kind"), textAt(metadata, "name")];
  const about = [kind, name].filter((part) => part !== undefined && part !== "").join(" ");
  const missing = (field: string): string =>
    `${about === "" ? "a manifest" : about} has no ${field}`;
  if (!isText(object["apiVersion"])) return missing("apiVersion");
  if (!isText(object["kind"])) return missing("kind");
  if (isText(metadata["name"]) || isText(metadata["generateName"])) return undefined;
  return missing("metadata.name");
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}
