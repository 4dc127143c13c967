// Reads a state file of Terraform (format 4). The local backend rewrites its file in place, so a
// reader may find it empty or cut: that is not a state.

import { createHash } from "node:crypto";
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { textsWithin } from "../runs/run-secrets.ts";

export interface StateFacts {
  readonly lineage: string;
  readonly serial: number;
  /** SHA-256 of the text. */
  readonly digest: string;
  readonly bytes: number;
  /** Instances of managed resources. */
  readonly resources: number;
  readonly outputs: JsonObject;
  readonly sensitiveOutputs: JsonObject;
  readonly terraformVersion: string;
}

/** Undefined: the text is not a complete state file. */
export function stateFacts(text: string): StateFacts | undefined {
  let state: unknown;
  try {
    state = parseExact(text);
  } catch {
    // It is being written.
    return undefined;
  }
  if (!isJsonObject(state) || numberAt(state, "version") !== 4) return undefined;
  const document = state;
  const [serial, lineage] = [numberAt(document, "serial"), textAt(document, "lineage")];
  if (serial === undefined || lineage === "") return undefined;
  const managed = objectsAt(document, "resources").filter(
    (each) => textAt(each, "mode") !== "data",
  );
  return {
    lineage,
    serial,
    digest: createHash("sha256").update(text).digest("hex"),
    bytes: Buffer.byteLength(text),
    resources: managed.reduce((sum, each) => sum + objectsAt(each, "instances").length, 0),
    outputs: outputsOf(document, false),
    sensitiveOutputs: outputsOf(document, true),
    terraformVersion: textAt(document, "terraform_version"),
  };
}

function outputsOf(state: JsonObject, isSensitive: boolean): JsonObject {
  const outputs = Object.entries(objectAt(state, "outputs"));
  return Object.fromEntries(
    outputs
      .filter(([, output]) => isTrueAt(output, "sensitive") === isSensitive)
      .map(([name, output]) => [name, objectAt(output)["value"] ?? null]),
  );
}

/** Values that no log may contain: outputs and attributes that Terraform marks as sensitive. */
export function sensitiveTexts(text: string): readonly string[] {
  const facts = stateFacts(text);
  if (facts === undefined) return [];
  return textsWithin(facts.sensitiveOutputs);
}

/** The same content as a newer state, for a restore. */
export function withSerial(text: string, serial: number): string {
  return text.replace(/("serial"\s*:\s*)\d+/, `$1${serial}`);
}
