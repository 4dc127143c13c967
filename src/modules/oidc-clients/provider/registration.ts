// What a provider issued for one client, and how an answer of the provider is read. Everything in
// it may come from a hostile provider, so nothing is used that is not checked here.

import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { oidcLimits } from "../limits.ts";

export interface Registration {
  readonly clientId: string;
  readonly softwareId: string;
  /** Where the client is managed (RFC 7592). */
  readonly uri: string;
  readonly registeredAt: string;
  readonly clientSecret: string;
  /** For `uri`. */
  readonly accessToken: string;
}

/** Returns the field of an answer to a registration that cannot be used; undefined: none. */
export function unusableField(answer: JsonObject, issuer: string): string | undefined {
  const fields = ["client_id", "client_secret", "registration_access_token"];
  const wrong = fields.find((field) => !isIssued(textAt(answer, field)));
  if (wrong !== undefined) return wrong;
  const uri = textAt(answer, "registration_client_uri");
  return isOfIssuer(uri, issuer) ? undefined : "registration_client_uri";
}

/** The answer has been checked. */
export function registrationIn(
  answer: JsonObject,
  { softwareId, nowMs }: { readonly softwareId: string; readonly nowMs: number },
): Registration {
  return {
    clientId: textAt(answer, "client_id"),
    softwareId,
    uri: textAt(answer, "registration_client_uri"),
    registeredAt: timeText(nowMs),
    clientSecret: textAt(answer, "client_secret"),
    accessToken: textAt(answer, "registration_access_token"),
  };
}

/**
 * With what a later answer changed: a provider may issue another token with each answer, and
 * another secret. The client is the same.
 */
export function renewedBy(known: Registration, answer: JsonObject): Registration {
  const renewed = (field: string, before: string): string => {
    const text = textAt(answer, field);
    return isIssued(text) ? text : before;
  };
  return {
    ...known,
    clientSecret: renewed("client_secret", known.clientSecret),
    accessToken: renewed("registration_access_token", known.accessToken),
  };
}

/** When the secret expires; undefined: never. */
export function expiryIn(answer: JsonObject): string | undefined {
  const seconds = numberAt(answer, "client_secret_expires_at") ?? 0;
  const isTime = Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11;
  return isTime ? timeText(seconds * 1_000) : undefined;
}

/** Whether a URL that the provider named has the origin of the issuer: tokens are sent there. */
export function isOfIssuer(url: string, issuer: string): boolean {
  if (!URL.canParse(url) || url.length > oidcLimits.maxUriChars) return false;
  const { origin, username, password } = new URL(url);
  return origin === new URL(issuer).origin && username === "" && password === "";
}

/** Texts that can be sent in a header, and used as the key of a field. */
function isIssued(text: string): boolean {
  const isText = /^[\u0020-\u007e]+$/.test(text) && text !== "__proto__";
  return isText && text.length <= oidcLimits.maxIssuedChars;
}
