// The API of sessions, below /console/api/. The script of the console calls it; the session itself
// is in a cookie that no script can read.

import { bearerTokenIn } from "../../intents/auth/authentication.ts";
import { forbidden } from "../../intents/auth/forbidden.ts";
import { headerValues } from "../../intents/auth/request-facts.ts";
import { originProblem } from "../../intents/sessions/same-origin.ts";
import { sessionOfUser, shownSession } from "../../intents/sessions/session-authentication.ts";
import { endedSessionCookie, sessionIdIn } from "../../intents/sessions/session-cookie.ts";
import type { Session } from "../../intents/sessions/sessions.ts";
import { timeText } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { Headers } from "../http/exchange.ts";
import { bodyReader, bodyTooLarge } from "../rest/request-body.ts";
import { beginSession, callCause, checkedOrigin } from "./begin-session.ts";
import { factsOf } from "./console-ports.ts";
import type { ConsoleCall, ConsolePorts } from "./console-ports.ts";
import { pageHeaders } from "./page-headers.ts";

type Handler = (ports: ConsolePorts, call: ConsoleCall) => Promise<void>;

const handlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  session: { GET: showSession, POST: signIn, DELETE: signOut },
  sessions: { GET: listSessions, DELETE: signOutEverywhere },
  links: { POST: createLink },
};

/** Requests that bring credentials in their body instead of having them. */
export function isSignIn(path: string, method: string): boolean {
  return path === "session" && method === "POST";
}

export async function handleApi(
  ports: ConsolePorts,
  call: ConsoleCall,
  path: string,
): Promise<void> {
  const known = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
  if (known === undefined) {
    throw new SetpointError("route.not_found", "the console has no such path");
  }
  const { method } = call.exchange;
  const handler = Object.hasOwn(known, method) ? known[method] : undefined;
  if (handler !== undefined) return await handler(ports, call);
  const allow = Object.keys(known).join(", ");
  throw new SetpointError("request.method_not_allowed", `the path accepts ${allow}`, {
    details: { allow },
    suggestion: `use ${allow}`,
  });
}

/** How a user can sign in, for the page that offers it. */
export function signInMethods({ issuers }: ConsolePorts): JsonObject {
  const methods = ["link", "token", ...(issuers.length === 0 ? [] : ["oidc"])];
  return { methods, issuers: issuers.map(({ name }) => ({ name })) };
}

async function showSession(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  const { user } = call;
  const session = await ownSession(ports, call);
  send(call, 200, {
    user: user.name,
    groups: user.groups,
    method: session?.method ?? "token",
    ...(session === undefined ? {} : { expiresAt: timeText(session.expiresMs) }),
    server: { ...(await ports.readServer()) },
  });
}

const readSignIn = bodyReader({
  required: ["token"],
  properties: { token: { type: "string", minLength: 1, maxLength: limits.maxTokenChars } },
});

/** Of a body with a token, in which each character may be escaped. */
const maxBodyBytes = 6 * limits.maxTokenChars + 1_024;

async function signIn(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  checkedOrigin(ports, call);
  checkSameOrigin(call);
  const { exchange } = call;
  const bytes = await exchange.readBody(maxBodyBytes, () => bodyTooLarge(maxBodyBytes));
  const body = readSignIn(bytes, exchange.headers["content-type"]);
  const token = textAt(body, "token").trim();
  const cookie = await beginSession(ports, call, { token, method: "token" });
  exchange.send(204, { ...ownHeaders, "set-cookie": cookie });
}

async function signOut(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  const session = await ownSession(ports, call);
  if (session !== undefined) await ports.sessions.end(session.name, callCause(call, call.user));
  sendSignedOut(call);
}

async function signOutEverywhere(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  await ports.sessions.endAll(call.user.name, callCause(call, call.user));
  sendSignedOut(call);
}

async function listSessions({ sessions }: ConsolePorts, call: ConsoleCall): Promise<void> {
  const current = sessionOfUser(call.user);
  const items = (await sessions.list(call.user.name)).map((session) => ({
    id: shownSession(session.name),
    method: session.method,
    createdAt: timeText(session.createdMs),
    lastUsedAt: timeText(session.usedMs),
    expiresAt: timeText(session.expiresMs),
    isCurrent: shownSession(session.name) === current,
  }));
  send(call, 200, { items });
}

/** For the command line: a link that begins a session with the token of the caller. */
async function createLink(ports: ConsolePorts, call: ConsoleCall): Promise<void> {
  const { exchange, user } = call;
  const [header = ""] = headerValues(exchange.headers, "authorization");
  const token = bearerTokenIn(header);
  if (token === undefined) {
    const message = "a link needs a token: a session by a certificate is not possible";
    throw new SetpointError("request.invalid", message, {
      suggestion: "use a kubeconfig with a token, or sign in with one on the page",
    });
  }
  const origin = checkedOrigin(ports, call);
  ports.takeSignIn(user);
  const { code, expiresMs } = await ports.links.create(token, callCause(call, user));
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(exchange.remoteAddress);
  const loopback = isLocal ? ports.loopbackOrigin() : undefined;
  const url = linkUrl(loopback ?? origin, code);
  send(call, 201, { url, expiresAt: timeText(expiresMs) });
}

export function linkUrl(origin: string, code: string): string {
  return `${origin}/console/link?code=${code}`;
}

async function ownSession(
  { sessions }: ConsolePorts,
  { user, exchange }: ConsoleCall,
): Promise<Session | undefined> {
  const id = sessionOfUser(user) === undefined ? undefined : sessionIdIn(factsOf(exchange));
  return id === undefined ? undefined : await sessions.find(id);
}

/** A page of another site must not sign a user in, as another user. */
function checkSameOrigin({ exchange }: ConsoleCall): void {
  const problem = originProblem(factsOf(exchange));
  if (problem !== undefined) throw forbidden({ group: "", resource: "", name: "" }, problem);
}

const ownHeaders: Headers = { ...pageHeaders, "cache-control": "no-store" };

function sendSignedOut({ exchange }: ConsoleCall): void {
  const cookie = endedSessionCookie(factsOf(exchange));
  exchange.send(204, { ...ownHeaders, "set-cookie": cookie });
}

function send({ exchange }: ConsoleCall, status: number, document: JsonObject): void {
  const headers = { ...ownHeaders, "content-type": "application/json" };
  exchange.send(status, headers, JSON.stringify(document));
}
