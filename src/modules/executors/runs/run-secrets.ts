// Removes the secret values of a run from its output. A value of several lines appears in the
// output line by line, and programs often print values in base64.

import { hider } from "../../../kernel/hider.ts";
import type { Hide } from "../../../kernel/hider.ts";
import { isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export function runHider(secrets: readonly string[]): Hide {
  return hider(
    secrets.flatMap((secret) => [
      secret,
      withoutTrailing(Buffer.from(secret).toString("base64"), "="),
      ...secret.split(/\r?\n/).map((line) => line.trim()),
    ]),
  );
}

/** Every text and number within a value. */
export function textsWithin(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsWithin(each));
  return isJsonObject(value) ? Object.values(value).flatMap((each) => textsWithin(each)) : [];
}

/** A shorter secret, such as a user name, may be in an output by chance. */
const shortestInOutputs = 8;

/** Outputs that are not secret, without the secrets that they repeat. */
export function withoutSecrets(outputs: JsonObject, secrets: readonly string[]): JsonObject {
  const hide = runHider(secrets.filter((secret) => secret.length >= shortestInOutputs));
  return hiddenWithin(outputs, hide) as JsonObject;
}

/** The same document without the secrets in its texts and numbers. */
export function hiddenWithin(value: Json, hide: Hide): Json {
  if (typeof value === "string") return hide(value);
  if (typeof value === "number") return hide(String(value)) === String(value) ? value : hidden;
  if (isJsonArray(value)) return value.map((each) => hiddenWithin(each, hide));
  if (!isJsonObject(value)) return value;
  const shown: MutableJsonObject = {};
  for (const [name, each] of Object.entries(value)) setOwn(shown, name, hiddenWithin(each, hide));
  return shown;
}

const hidden = "[hidden]";
