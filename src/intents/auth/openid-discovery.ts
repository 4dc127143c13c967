// The two documents by which others learn to check our tokens: where the keys are, and the keys.
// They hold public halves only.

import type { JsonObject } from "../../kernel/json.ts";
import type { SigningKey } from "./signing-key.ts";

export const openidConfigurationPath = "/.well-known/openid-configuration";
export const openidKeysPath = "/openid/v1/jwks";
export const openidConfigurationType = "application/json";
export const openidKeysType = "application/jwk-set+json";
/** How long the documents may be cached, in seconds. */
export const openidMaxAgeSeconds = 3_600;

export interface OpenidIssuer {
  readonly issuer: string;
  /** Where the keys are served, as in "https://host:port/openid/v1/jwks". */
  readonly keysUrl: string;
  readonly keys: readonly SigningKey[];
}

export function openidConfiguration({ issuer, keysUrl, keys }: OpenidIssuer): JsonObject {
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))].toSorted();
  return {
    issuer,
    jwks_uri: keysUrl,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: algorithms,
  };
}

export function openidKeys(keys: readonly SigningKey[]): JsonObject {
  return { keys: keys.map(({ publicJwk }) => publicJwk) };
}
