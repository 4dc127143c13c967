// What a token says about itself before its signature is checked: enough to find out whose it is.

import { decodeJwt, decodeProtectedHeader } from "jose";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";

/** Undefined for what is not a signed JWT. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  // The library throws for another token, which costs more than the rest of a small request.
  if (!signedForm.test(token)) return undefined;
  try {
    const claims: unknown = decodeJwt(token);
    return isJsonObject(claims) ? claims : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const signedForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Undefined for a token that names no issuer. */
export function unverifiedIssuer(token: string): string | undefined {
  const claims = unverifiedClaims(token);
  return claims === undefined ? undefined : textAt(claims, "iss") || undefined;
}

export interface TokenHeader {
  /** The id of the key that signed. */
  readonly keyId: string | undefined;
  /** "none" where the token names none. */
  readonly algorithm: string;
}

export function unverifiedHeader(token: string): TokenHeader {
  const header = decodedHeader(token);
  return { keyId: textAt(header, "kid") || undefined, algorithm: textAt(header, "alg") || "none" };
}

function decodedHeader(token: string): JsonObject {
  try {
    const header: unknown = decodeProtectedHeader(token);
    return isJsonObject(header) ? header : {};
  } catch (error) {
    if (error instanceof Error) return {};
    throw error;
  }
}
