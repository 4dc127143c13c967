/** `jwksFile`: public keys of an OpenID provider in a file, as the provider publishes them. */
import { createPublicKey } from "node:crypto";
import { isSigningKey } from "../intents/auth/oidc-keys.ts";
import { SetpointError } from "../kernel/errors.ts";
import { isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";

export function parseKeyFile(contents: string, path: string): readonly JsonObject[] {
  const keys = keysOf(contents, path);
  if (keys.length === 0) throw wrongFile(path, "contains no keys");
  return keys.map((key, index) => {
    const problem = keyProblem(key);
    if (problem === undefined && isSigningKey(key)) return key;
    throw wrongFile(path, `keys[${index}] ${problem ?? "is not a public key for signatures"}`);
  });
}

function keysOf(contents: string, path: string): readonly Json[] {
  let document: unknown;
  try {
    document = JSON.parse(contents);
  } catch (cause) {
    throw wrongFile(path, "is not JSON", cause);
  }
  const keys: unknown = isJsonObject(document) ? document["keys"] : undefined;
  if (isJsonArray(keys)) return keys;
  throw wrongFile(path, 'must be a JSON object with the list "keys"');
}

function keyProblem(key: Json): string | undefined {
  if (!isJsonObject(key)) return "is not an object";
  if (Object.hasOwn(key, "d")) return "is a private key: keep only the public half in this file";
  try {
    createPublicKey({ key, format: "jwk" });
    return undefined;
  } catch {
    return "is not a valid key";
  }
}

function wrongFile(path: string, problem: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", `the key file ${path}: ${problem}`, {
    cause,
    details: { option: "oidc", path },
    suggestion: "save the document at jwks_uri of the provider in this file",
  });
}
