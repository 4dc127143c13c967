// The outputs of an HttpCall: plain ones for the status, secret ones in an owned Secret.

import type { Context } from "../../../engine/reconciler.ts";
import { setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { textsWithin, withoutSecrets } from "../runs/run-secrets.ts";
import { evaluate } from "../target/expressions.ts";

export type Outputs =
  | { readonly kind: "outputs"; readonly plain: JsonObject; readonly secretOutputs: Json }
  | { readonly kind: "problem"; readonly message: string };

export async function outputsOf(
  call: Resource,
  { children }: Pick<Context, "children">,
  response: JsonObject,
): Promise<Outputs> {
  const given = valuesOf(call, "outputs", response);
  if (typeof given === "string") return { kind: "problem", message: given };
  // An application may repeat what it received.
  const plain = withoutSecrets(given, sentSecrets(call));
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

/** Of a header such as "Bearer TOKEN", also the token alone. */
function sentSecrets(call: Resource): readonly string[] {
  const headers = textsWithin(objectAt(call, "spec", "secretHeaders"));
  return [
    ...headers,
    ...headers.flatMap((header) => header.split(/\s+/)),
    ...textsWithin(objectAt(call, "spec", "secretBody")),
  ];
}

/** A text names the output that has no value. */
function valuesOf(call: Resource, field: string, response: JsonObject): JsonObject | string {
  const expressions = objectAt(call, "spec", field);
  const values: MutableJsonObject = {};
  for (const name of Object.keys(expressions)) {
    const result = evaluate(textAt(expressions, name), "response", response);
    if (result.kind === "problem") return `spec.${field}.${name}: ${result.message}`;
    setOwn(values, name, result.value);
  }
  return values;
}
