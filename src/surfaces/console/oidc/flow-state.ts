// What the browser keeps between the two steps of a sign-in with a provider: the state and the
// nonce that must come back, the verifier of PKCE, and where the sign-in continues. The cookie is
// sent with the redirect of the provider, which a cookie with SameSite=Strict is not, and to the
// callback only.

import { hash } from "node:crypto";
import { cookieValues, secure } from "../../../intents/sessions/session-cookie.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { newSecretId } from "../../../intents/sessions/secret-id.ts";
import type { Random } from "../../../kernel/random.ts";
import type { factsOf } from "../console-ports.ts";

type Facts = ReturnType<typeof factsOf>;

export interface FlowState {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

const cookieName = "setpoint-oidc";
const path = "/console/oidc/callback";
const maxAgeSeconds = 600;

export function newFlowState(random: Random, issuer: string, next: string): FlowState {
  const [state, nonce, verifier] = [newSecretId(random), newSecretId(random), newSecretId(random)];
  return { issuer, state, nonce, verifier, next };
}

/** The challenge of PKCE by the method S256. */
export function challengeOf({ verifier }: FlowState): string {
  return hash("sha256", verifier, "base64url");
}

export function flowCookie(facts: Facts, flow: FlowState): string {
  const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
  return cookie(facts, value, maxAgeSeconds);
}

export function endedFlowCookie(facts: Facts): string {
  return cookie(facts, "", 0);
}

/** Undefined when the browser has none, as after its time. */
export function flowStateIn(facts: Facts): FlowState | undefined {
  const [value = "", ...others] = cookieValues(facts, cookieName);
  if (value === "" || others.length > 0) return undefined;
  try {
    const read = parseExact(Buffer.from(value, "base64url").toString("utf8"));
    if (!isJsonObject(read)) return undefined;
    const text = (name: keyof FlowState): string => textAt(read, name);
    const [issuer, next] = [text("issuer"), text("next")];
    const [state, nonce, verifier] = [text("state"), text("nonce"), text("verifier")];
    return state === "" || nonce === "" ? undefined : { issuer, state, nonce, verifier, next };
  } catch {
    // A cookie that this server has not written counts as none.
    return undefined;
  }
}

function cookie(facts: Facts, value: string, maxAge: number): string {
  const attributes = [`Path=${path}`, `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Lax"];
  return [`${cookieName}=${value}`, ...attributes, ...secure(facts)].join("; ");
}
