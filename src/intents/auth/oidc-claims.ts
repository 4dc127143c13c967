// From the verified claims of an OpenID token to a user: pure. Claims become a name, groups and
// extra values. Whatever the prefixes, no provider can name users and groups of the system, and
// every user carries the issuer, so that a surface can decide which issuer may call it.

import { isNumber } from "../../kernel/int64.ts";
import { getOwn, isJsonArray } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { valueAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { quotedList } from "./rule-cover.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { badToken, missingClaim, wrongClaim } from "./refusal.ts";
import { audiencesOf } from "./service-account-token.ts";
import { commonAudiences } from "./token-authenticator.ts";
import { issuerKey } from "./user.ts";
import type { UserInfo } from "./user.ts";

/** Everything but the times, which change. Throws request.unauthenticated. */
export function oidcUser(claims: JsonObject, provider: OidcProvider): UserInfo {
  checkAudience(claims, provider);
  checkRequired(claims, provider);
  const name = userNameOf(claims, provider);
  const groups = groupsOf(claims, provider);
  const extra = { ...extraOf(claims, provider), [issuerKey]: [provider.issuer] };
  const reserved = [name, ...groups].find((text) => text.startsWith("system:"));
  if (reserved === undefined) return { name, groups, extra };
  const reason = `${JSON.stringify(reserved)} uses the reserved prefix "system:"`;
  throw badToken({ fault: "wrong-claim", reason });
}

/** Throws request.unauthenticated for a token whose time has not come or is over. */
export function checkTimes(
  claims: JsonObject,
  { requireIssuedAt = false }: OidcProvider,
  nowMs: number,
): void {
  const expiryMs = timeAt(claims, "exp");
  if (expiryMs === undefined) throw badToken(missingClaim("exp"));
  if (nowMs >= expiryMs) throw badToken({ fault: "expired", reason: "token has expired" });
  const issuedAtMs = timeAt(claims, "iat");
  if (requireIssuedAt && issuedAtMs === undefined) throw badToken(missingClaim("iat"));
  const startMs = Math.max(timeAt(claims, "nbf") ?? 0, issuedAtMs ?? 0);
  if (nowMs + limits.tokenLeewayMs >= startMs) return;
  throw badToken({ fault: "not-yet-valid", reason: "token is not valid yet" });
}

/** By its whole name first, since names may contain dots, and then by its path. */
export function claimAt(claims: JsonObject, path: string): Json | undefined {
  const whole = getOwn(claims, path) ?? undefined;
  return whole ?? valueAt(claims, ...path.split("."));
}

function timeAt(claims: JsonObject, claim: string): number | undefined {
  const seconds = getOwn(claims, claim) ?? undefined;
  if (seconds === undefined) return undefined;
  if (typeof seconds === "number" && Number.isFinite(seconds)) return seconds * 1_000;
  throw badToken(wrongClaim(claim, "a number of seconds"));
}

function checkAudience(claims: JsonObject, { audiences, anyAudience }: OidcProvider): void {
  if (anyAudience === true) return;
  const named = audiencesOf(claims);
  if (commonAudiences(audiences, named).length > 0) return;
  const reason = `wrong audience: expected one of ${quotedList(audiences)}`;
  throw badToken({ fault: "wrong-audience", reason });
}

function checkRequired(claims: JsonObject, { requiredClaims = {} }: OidcProvider): void {
  for (const [claim, wanted] of Object.entries(requiredClaims)) {
    const value = claimAt(claims, claim);
    if (value === undefined) throw badToken(missingClaim(claim));
    if (value !== wanted) throw badToken(wrongClaim(claim, JSON.stringify(wanted)));
  }
}

function userNameOf(claims: JsonObject, provider: OidcProvider): string {
  const { issuer, usernameClaims = ["sub"], usernamePrefix } = provider;
  for (const claim of usernameClaims) {
    const value = claimAt(claims, claim) ?? "";
    if (value === "") continue;
    if (typeof value !== "string") throw badToken(wrongClaim(claim, "a string"));
    const isVerified = getOwn(claims, "email_verified") ?? true;
    if (claim === "email" && isVerified !== true) {
      throw badToken(wrongClaim("email_verified", "true"));
    }
    return `${usernamePrefix ?? (claim === "email" ? "" : `${issuer}#`)}${value}`;
  }
  throw badToken(missingClaim(usernameClaims.join(" or ")));
}

function groupsOf(claims: JsonObject, provider: OidcProvider): readonly string[] {
  const { groupsClaim, groupsPrefix = "" } = provider;
  if (groupsClaim === undefined) return [];
  const value = claimAt(claims, groupsClaim) ?? [];
  const groups = isJsonArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group === "string") return `${groupsPrefix}${group}`;
    throw badToken(wrongClaim(groupsClaim, "a string or a list of strings"));
  });
}

function extraOf(claims: JsonObject, provider: OidcProvider): UserInfo["extra"] {
  const { extraClaims = {} } = provider;
  const found = Object.entries(extraClaims).flatMap(([key, claim]) => {
    const value = claimAt(claims, claim);
    return value === undefined ? [] : [[key, textsOf(value, claim)] as const];
  });
  return Object.fromEntries(found);
}

function textsOf(value: Json, claim: string): readonly string[] {
  const values = isJsonArray(value) ? value : [value];
  return values.map((each) => {
    if (typeof each === "string") return each;
    if (isNumber(each) || typeof each === "boolean") return String(each);
    throw badToken(wrongClaim(claim, "a string, a number, true, false or a list of these"));
  });
}
