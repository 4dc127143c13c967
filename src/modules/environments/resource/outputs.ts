// The outputs of a target that is ready. Hidden fields of the target are not there. Pure.

import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { withinUnits } from "../../../kernel/inline-time.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { jsonOf } from "../../../kernel/template/cel-json.ts";
import { environmentLimits } from "../limits.ts";
import type { Entry } from "../templates/entry.ts";

export type OutputResult =
  | { readonly kind: "outputs"; readonly outputs: JsonObject }
  | { readonly kind: "problem"; readonly message: string };

export function outputsOf(
  entry: Pick<Entry, "outputs" | "path">,
  target: JsonObject,
): OutputResult {
  const found = entry.outputs === undefined ? plain(target) : bounded(entry, target);
  if (found.kind === "problem") return found;
  const bytes = Buffer.byteLength(canonicalJson(found.outputs));
  const most = environmentLimits.maxOutputBytes;
  if (bytes <= most) return found;
  return {
    kind: "problem",
    message: `the outputs have ${bytes} bytes: at most ${most} are stored`,
  };
}

function plain(target: JsonObject): OutputResult {
  return { kind: "outputs", outputs: objectAt(target, "status", "outputs") };
}

function bounded(entry: Pick<Entry, "outputs" | "path">, target: JsonObject): OutputResult {
  const found = withinUnits(limits.maxTemplateUnits, () => computed(entry, target));
  const message = `${entry.path}.outputs: the expressions need too much work`;
  return found?.result ?? { kind: "problem", message };
}

function computed(entry: Pick<Entry, "outputs" | "path">, target: JsonObject): OutputResult {
  const outputs: MutableJsonObject = {};
  const resource = dynamicValue(target);
  for (const [name, program] of entry.outputs ?? []) {
    const result = program.evaluate({ resource }, limits.maxCelCallCost);
    const at = `${entry.path}.outputs.${name}`;
    if (result.kind !== "value") return { kind: "problem", message: `${at}: ${result.message}` };
    const json = jsonOf(result.value);
    if (json.kind === "problem") return { kind: "problem", message: `${at}: ${json.problem}` };
    setOwn(outputs, name, json.json);
  }
  return { kind: "outputs", outputs };
}
