// Configuration and secrets: keys that could be names of files, at most one MiB in all, contents
// that can be made immutable, and for well-known types of secrets the keys they need.

import {
  forbiddenField,
  invalidField,
  invalidName,
  requiredField,
  tooLongField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { jsonName } from "../../kernel/go-text.ts";
import { parseExact } from "../../kernel/int64.ts";
import { equalJson, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withDefaults, withField } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import { configKeyProblems, immutableErrors, invalidEach } from "./syntax-checks.ts";

export const configMapRules: KindRules = {
  validateCreate: configMapErrors,
  validateUpdate: (map, old) => [
    ...frozenErrors(map, old, ["data", "binaryData"]),
    ...configMapErrors(map),
  ],
};

export const secretRules: KindRules = {
  /** Plain text is for writing only: it becomes data, over entries of the same key. */
  defaulting(secret) {
    const typed = withDefaults(secret, { type: "Opaque" });
    const plain = valueAt(typed, "stringData");
    if (!isJsonObject(plain)) return withField(typed, "stringData");
    const data: MutableJsonObject = { ...objectAt(typed, "data") };
    for (const [key, text] of Object.entries(plain)) {
      const bytes = typeof text === "string" ? Buffer.from(text) : Buffer.alloc(0);
      setOwn(data, key, bytes.toString("base64"));
    }
    const merged = Object.keys(data).length === 0 ? typed : withField(typed, "data", data);
    return withField(merged, "stringData");
  },

  prepareForUpdate(secret, old) {
    return textAt(secret, "type") === "" ? withField(secret, "type", textAt(old, "type")) : secret;
  },

  validateCreate: secretErrors,
  validateUpdate: (secret, old) => [
    ...immutableErrors("type", textAt(secret, "type"), textAt(old, "type")),
    ...frozenErrors(secret, old, ["data"]),
    ...secretErrors(secret),
  ],
};

function configMapErrors(map: Resource): readonly FieldError[] {
  const data = objectAt(map, "data");
  const binary = objectAt(map, "binaryData");
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    errors.push(...invalidEach(`data[${key}]`, key, configKeyProblems(key)));
    if (!Object.hasOwn(binary, key)) continue;
    errors.push(invalidField(`data[${key}]`, key, "duplicate of key present in binaryData"));
  }
  for (const key of Object.keys(binary)) {
    errors.push(...invalidEach(`binaryData[${key}]`, key, configKeyProblems(key)));
  }
  const bytes = sizeOf(data, textBytes) + sizeOf(binary, base64Bytes);
  if (bytes > limits.maxConfigBytes) errors.push(tooLongField("[]", limits.maxConfigBytes));
  return errors;
}

function secretErrors(secret: Resource): readonly FieldError[] {
  const data = objectAt(secret, "data");
  const errors = Object.keys(data).flatMap((key) =>
    configKeyProblems(key).map((detail) => invalidName(`data[${key}]`, key, detail)),
  );
  if (sizeOf(data, base64Bytes) > limits.maxConfigBytes) {
    errors.push(tooLongField("data", limits.maxConfigBytes));
  }
  return [...errors, ...typeErrors(secret, data)];
}

function typeErrors(secret: Resource, data: JsonObject): readonly FieldError[] {
  const has = (key: string): boolean => Object.hasOwn(data, key);
  const need = (...keys: readonly string[]): readonly FieldError[] =>
    keys.filter((key) => !has(key)).map((key) => requiredField(`data[${key}]`));
  switch (textAt(secret, "type")) {
    case "kubernetes.io/service-account-token": {
      const key = "kubernetes.io/service-account.name";
      if (textAt(secret, "metadata", "annotations", key) !== "") return [];
      return [requiredField(`metadata.annotations[${key}]`)];
    }
    case "kubernetes.io/dockercfg":
      return has(".dockercfg") ? objectErrors(data, ".dockercfg") : need(".dockercfg");
    case "kubernetes.io/dockerconfigjson": {
      const key = ".dockerconfigjson";
      return has(key) ? objectErrors(data, key) : need(key);
    }
    case "kubernetes.io/basic-auth":
      return has("username") || has("password") ? [] : need("username", "password");
    case "kubernetes.io/ssh-auth":
      return textAt(data, "ssh-privatekey") === "" ? [requiredField("data[ssh-privatekey]")] : [];
    case "kubernetes.io/tls":
      return need("tls.crt", "tls.key");
    default:
      return [];
  }
}

/** The entry must hold a JSON object; what it holds is never repeated. */
function objectErrors(data: JsonObject, key: string): readonly FieldError[] {
  const text = Buffer.from(textAt(data, key), "base64").toString("utf8");
  const problem = objectProblem(text);
  if (problem === undefined) return [];
  return [invalidField(`data[${key}]`, "<secret contents redacted>", problem)];
}

/** In the words of the JSON reader that clients know, as far as they say more than "wrong". */
function objectProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    const first = text.trimStart().charAt(0);
    const mayBegin = first === "" || /[[{"\-0-9tfn]/.test(first);
    return mayBegin
      ? "unexpected end of JSON input"
      : `invalid character '${first}' looking for beginning of value`;
  }
  if (value === null || isJsonObject(value)) return undefined;
  return `json: cannot unmarshal ${jsonName(value)} into Go value of type map[string]interface {}`;
}

/** Once immutable is set, neither it nor the content changes. */
function frozenErrors(
  next: Resource,
  old: Resource,
  contents: readonly string[],
): readonly FieldError[] {
  if (valueAt(old, "immutable") !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const errors: FieldError[] = [];
  if (valueAt(next, "immutable") !== true) errors.push(forbiddenField("immutable", detail));
  for (const field of contents) {
    if (equalJson(objectAt(next, field), objectAt(old, field))) continue;
    errors.push(forbiddenField(field, detail));
  }
  return errors;
}

function sizeOf(entries: JsonObject, measure: (text: string) => number): number {
  let bytes = 0;
  for (const value of Object.values(entries)) bytes += measure(textAt(value));
  return bytes;
}

function textBytes(text: string): number {
  return Buffer.byteLength(text);
}

function base64Bytes(text: string): number {
  return Buffer.byteLength(text, "base64");
}
