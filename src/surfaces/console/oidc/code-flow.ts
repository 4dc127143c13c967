// The authorization code flow of OpenID Connect with PKCE, state and nonce. The ID token becomes
// the credential of the session, so the session ends with it.

import { timingSafeEqual } from "node:crypto";
import { unauthenticated } from "../../../intents/auth/refusal.ts";
import { unverifiedClaims } from "../../../intents/auth/unverified-token.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { beginSession, checkedOrigin, reasonOf } from "../begin-session.ts";
import { factsOf } from "../console-ports.ts";
import type { ConsoleCall, ConsolePorts } from "../console-ports.ts";
import { localTarget } from "../local-target.ts";
import { redirect, sendToSignIn } from "../sign-in-redirect.ts";
import type { CodeIssuer } from "./code-issuer.ts";
import {
  challengeOf,
  endedFlowCookie,
  flowCookie,
  flowStateIn,
  newFlowState,
} from "./flow-state.ts";
import type { FlowState } from "./flow-state.ts";

export async function startCodeFlow(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  const redirectUri = callbackUrl(checkedOrigin(ports, call));
  const { query } = call.parsed;
  const next = localTarget(query.get("next"));
  const issuer = issuerNamed(ports, query.get("issuer"));
  if (issuer === undefined) return sendToSignIn(call, "issuer-unknown", next);
  const flow = newFlowState(ports.random, issuer.name, next);
  let url: URL;
  try {
    url = new URL(await issuer.authorizationEndpoint());
  } catch (error) {
    ports.onIssuerFailure(issuer.issuer, error);
    return sendToSignIn(call, "issuer-unreachable", next);
  }
  const parameters = {
    response_type: "code",
    client_id: issuer.clientId,
    redirect_uri: redirectUri,
    scope: issuer.scopes.join(" "),
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: challengeOf(flow),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  redirect(call, url.href, flowCookie(factsOf(call.exchange), flow));
}

export async function finishCodeFlow(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  const redirectUri = callbackUrl(checkedOrigin(ports, call));
  const facts = factsOf(call.exchange);
  const { query } = call.parsed;
  const flow = flowStateIn(facts);
  const next = localTarget(flow?.next ?? null);
  const refuse = (reason: string): void => sendToSignIn(call, reason, next, endedFlowCookie(facts));
  const isOwn = flow !== undefined && isSame(flow.state, query.get("state") ?? "");
  if (!isOwn) return refuse("oidc-state");
  const issuer = issuerNamed(ports, flow.issuer);
  const code = query.get("code") ?? "";
  // RFC 9207: a provider may name itself, and the answer of another one is refused.
  const named = query.get("iss");
  if (issuer === undefined || (named !== null && named !== issuer.issuer)) {
    return refuse("oidc-state");
  }
  if (code === "") return refuse("oidc-denied");
  try {
    const { verifier } = flow;
    const token = await issuer.exchangeCode({ code, verifier, redirectUri });
    checkToken(token, issuer, flow);
    const cookie = await beginSession(ports, call, { token, method: "oidc" });
    redirect(call, next, cookie, endedFlowCookie(facts));
  } catch (error) {
    ports.onIssuerFailure(issuer.issuer, error);
    refuse(reasonOf(error) === undefined ? "oidc-failed" : "oidc-refused");
  }
}

/** The rest of the token is checked by its authenticator. */
function checkToken(token: string, { issuer, clientId }: CodeIssuer, { nonce }: FlowState): void {
  const claims = unverifiedClaims(token) ?? {};
  const audience = claims["aud"];
  const audiences = Array.isArray(audience) ? audience : [audience];
  const problem =
    textAt(claims, "iss") !== issuer
      ? "the ID token names another issuer"
      : !audiences.includes(clientId)
        ? "the ID token is for another client"
        : isSame(textAt(claims, "nonce"), nonce)
          ? undefined
          : "the ID token has another nonce";
  if (problem !== undefined) throw unauthenticated({ fault: "wrong-claim", reason: problem });
}

function issuerNamed({ issuers }: ConsolePorts, name: string | null): CodeIssuer | undefined {
  return issuers.find((issuer) => issuer.name === name);
}

function callbackUrl(origin: string): string {
  return `${origin}/console/oidc/callback`;
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
