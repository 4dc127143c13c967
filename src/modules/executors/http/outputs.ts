// The outputs of an HttpCall: plain ones for the status, secret ones in an owned Secret.

import type { Context } from "../../../engine/reconciler.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { evaluate } from "../target/expressions.ts";

export type Outputs =
  | { readonly kind: "outputs"; readonly plain: JsonObject; readonly secretOutputs: Json }
  | { readonly kind: "problem"; readonly message: string };

export async function outputsOf(
  call: Resource,
  { children }: Pick<Context, "children">,
  response: JsonObject,
): Promise<Outputs> {
  const plain = valuesOf(call, "outputs", response);
  if (typeof plain === "string") return { kind: "problem", message: plain };
  const secret = valuesOf(call, "secretOutputs", response);
  if (typeof secret === "string") return { kind: "problem", message: secret };
  const names = Object.keys(secret);
  if (names.length === 0) return { kind: "outputs", plain, secretOutputs: null };
  const name = `${call.metadata.name}-outputs`;
  const data = Object.fromEntries(
    names.map((each) => {
      const value = secret[each] ?? null;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [each, Buffer.from(text).toString("base64")];
    }),
  );
  await children.apply({ apiVersion: "v1", kind: "Secret", metadata: { name }, data });
  return { kind: "outputs", plain, secretOutputs: { name } };
}

/** A text names the output that has no value. */
function valuesOf(call: Resource, field: string, response: JsonObject): JsonObject | string {
  const expressions = objectAt(call, "spec", field);
  const values: Record<string, Json> = {};
  for (const name of Object.keys(expressions)) {
    const result = evaluate(textAt(expressions, name), "response", response);
    if (result.kind === "problem") return `spec.${field}.${name}: ${result.message}`;
    values[name] = result.value;
  }
  return values;
}
