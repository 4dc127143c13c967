// Reads a document with all files that it refers to. Nothing is replaced in it: a reference stays a
// reference, so circular schemas are nothing special and the memory needed is that of the files.
// Reading is breadth first and bounded in files, bytes and values; whatever cannot be read is a
// problem with its place, and the rest is still there. Reading itself is a port.

import { SetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { findRefs } from "./find-refs.ts";
import { refusalOf, targetOf } from "./location.ts";
import type { RefPolicy } from "./location.ts";
import { parseText } from "./parse-text.ts";
import { collectProblems } from "./problem.ts";
import type { Problems } from "./problem.ts";

/** Rejects for what cannot be read; the message is shown. */
export type ReadFile = (file: string) => Promise<string>;

export interface Documents {
  readonly root: string;
  /** Of all, where there are several; the first is `root`. */
  readonly roots?: readonly string[];
  /** By address. */
  readonly files: ReadonlyMap<string, Json>;
  readonly problems: Problems;
}

export interface LoadOptions {
  readonly allowed?: readonly string[];
  /** Whether files with examples are read, too: they tell much about single fields. */
  readonly hasExamples?: boolean;
}

/** Throws for a document that cannot be read at all or is none. */
export async function loadDocument(
  root: string,
  read: ReadFile,
  { allowed = [], hasExamples = true }: LoadOptions = {},
): Promise<Documents> {
  const loading: Loading = {
    read,
    policy: { root, allowed },
    files: new Map(),
    problems: collectProblems(),
    bytes: 0,
    nodes: 0,
  };
  const first = await readOne(root, loading);
  if (!isJsonObject(first) || !isDescription(first)) throw noDocument(root);
  const wanted: Wanted[] = wantedIn(first, root, loading, hasExamples);
  const seen = new Set([root]);
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    if (seen.has(next.file)) continue;
    seen.add(next.file);
    if (loading.files.size >= connectLimits.maxFiles) {
      const message = `the document has more than ${connectLimits.maxFiles} files`;
      loading.problems.add({ severity: "error", file: root, pointer: "", message });
      break;
    }
    const value = await readOther(next, loading);
    if (value === undefined || next.isExample) continue;
    for (const more of wantedIn(value, next.file, loading, hasExamples)) wanted.push(more);
  }
  return { root, files: loading.files, problems: loading.problems };
}

interface Loading {
  readonly read: ReadFile;
  readonly policy: RefPolicy;
  readonly files: Map<string, Json>;
  readonly problems: Problems;
  bytes: number;
  nodes: number;
}

interface Wanted {
  readonly file: string;
  readonly isExample: boolean;
  /** The file that refers to it, and where and how. */
  readonly from: string;
  readonly pointer: string;
  readonly ref: string;
}

async function readOne(file: string, loading: Loading): Promise<Json> {
  const text = await loading.read(file);
  loading.bytes += text.length;
  if (text.length > connectLimits.maxFileBytes || loading.bytes > connectLimits.maxDocumentBytes) {
    throw new SetpointError("request.too_large", "the files of the document are too large");
  }
  const { value, oddities } = parseText(text);
  for (const message of oddities) {
    loading.problems.add({ severity: "warning", file, pointer: "", message });
  }
  loading.files.set(file, value);
  return value;
}

async function readOther(wanted: Wanted, loading: Loading): Promise<Json | undefined> {
  const { file, from, pointer, ref, isExample } = wanted;
  const refusal = refusalOf(file, loading.policy);
  const severity = isExample ? "note" : "error";
  if (refusal !== undefined) {
    const message = `${ref} is not read: ${refusal}`;
    loading.problems.add({ severity: "error", file: from, pointer, message });
    return undefined;
  }
  try {
    return await readOne(file, loading);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `${ref} cannot be read: ${why}`;
    loading.problems.add({ severity, file: from, pointer, message });
    return undefined;
  }
}

function wantedIn(value: Json, file: string, loading: Loading, hasExamples: boolean): Wanted[] {
  const left = connectLimits.maxNodes - loading.nodes;
  const { refs, examples, nodes } = findRefs(value, left);
  loading.nodes += nodes;
  if (nodes > left) {
    const message = `the document has more than ${connectLimits.maxNodes} values`;
    loading.problems.add({ severity: "error", file, pointer: "", message });
  }
  const found: Wanted[] = [];
  const add = (ref: string, pointer: string, isExample: boolean): void => {
    const target = targetOf(ref, file);
    if (target !== undefined && target.file !== file) {
      found.push({ file: target.file, isExample, from: file, pointer, ref });
    }
  };
  for (const [ref, pointer] of refs) add(ref, pointer, false);
  if (hasExamples) for (const [ref, pointer] of examples) add(ref, pointer, true);
  return found;
}

function isDescription(value: JsonObject): boolean {
  const keys = ["swagger", "openapi", "paths", "x-ms-paths"];
  return keys.some((key) => Object.hasOwn(value, key));
}

function noDocument(root: string): SetpointError {
  return new SetpointError("request.invalid", `${root} is not an OpenAPI or Swagger document`, {
    suggestion: 'the top level must have "openapi" or "swagger", and "paths"',
  });
}
