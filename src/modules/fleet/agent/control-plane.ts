/**
 * The agent API of a control plane, as an agent uses it. Every call has limits. An error has a
 * message for the log of the agent, which holds the reason that the control plane gave.
 */
import type { HttpAnswer, HttpClient, OpenHttp, TlsMaterial } from "../../../adapters/http/port.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { jsonLines, jsonOf } from "../../../kernel/json-lines.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface ControlPlane extends Disposable {
  /** The Offerings whose instances the cluster may get. */
  discover(signal: AbortSignal): Promise<Discovered>;
  list(plural: string, signal: AbortSignal): Promise<AgentList>;
  /** Changes after a version. The control plane ends the stream, at the latest after `spanMs`. */
  watch(
    plural: string,
    after: string,
    spanMs: number,
    signal: AbortSignal,
  ): AsyncIterable<AgentEvent>;
  reportCluster(plural: string, report: JsonObject, signal: AbortSignal): Promise<void>;
  report(plural: string, reports: JsonObject, signal: AbortSignal): Promise<ReportAnswer>;
}

export interface Discovered {
  readonly dns: string;
  readonly offerings: readonly OfferedToAgent[];
}

export interface OfferedToAgent {
  readonly name: string;
  readonly plural: string;
  readonly applies: { readonly apiVersion: string; readonly kind: string };
  readonly resyncMs: number;
}

export interface AgentList {
  readonly version: string;
  readonly items: readonly JsonObject[];
}

export type AgentEvent =
  | { readonly kind: "change"; readonly version: string; readonly object: JsonObject }
  | { readonly kind: "removed"; readonly version: string; readonly id: string }
  | { readonly kind: "bookmark"; readonly version: string };

export interface ReportAnswer {
  readonly refused: number;
  readonly refusals: readonly JsonObject[];
}

/** The answer of the control plane, or that there was none (status 0). */
export class ControlPlaneError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ControlPlaneError";
    this.status = status;
  }
}

export interface ControlPlaneInput {
  readonly url: URL;
  readonly cluster: string;
  readonly tls: TlsMaterial;
  /** Asked for each request, so that a new token is used at once. */
  readonly token: () => Promise<string | undefined>;
  readonly openHttp: OpenHttp;
}

const timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 60_000 };
const maxBytes = 256 * 1_048_576;
const maxLineChars = 4 * 1_048_576;
/** Bookmarks arrive more often. */
const silentMs = 120_000;

export function openControlPlane(input: ControlPlaneInput): ControlPlane {
  const { openHttp, tls, cluster } = input;
  const http = openHttp({ tls });
  const below = (plural: string): string =>
    `/api/${plural}_mgmt/v1/agent-clusters/${encodeURIComponent(cluster)}`;
  const send = async (call: Call): Promise<JsonObject> => await answerTo(http, input, call);
  return {
    discover: async (signal) => {
      const path = `/api/v1/agent-clusters/${encodeURIComponent(cluster)}`;
      return discoveredIn(await send({ method: "GET", path, signal }));
    },
    list: async (plural, signal) => {
      const list = await send({ method: "GET", path: `${below(plural)}/${plural}`, signal });
      return { version: textAt(list, "resource_version"), items: objectsAt(list, "items") };
    },
    watch: (plural, after, spanMs, signal) => {
      const seconds = String(Math.max(1, Math.ceil(spanMs / 1_000)));
      const fields = { watch: "true", gt_version: after, timeout_seconds: seconds };
      const query = new URLSearchParams(fields).toString();
      return events(http, input, `${below(plural)}/${plural}?${query}`, signal);
    },
    reportCluster: async (plural, body, signal) => {
      await send({ method: "PUT", path: `${below(plural)}/status`, body, signal });
    },
    report: async (plural, body, signal) => {
      const path = `${below(plural)}/${plural}/status`;
      const answer = await send({ method: "PUT", path, body, signal });
      return { refused: numberAt(answer, "refused") ?? 0, refusals: objectsAt(answer, "refusals") };
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly signal: AbortSignal;
}

async function answerTo(
  http: HttpClient,
  input: ControlPlaneInput,
  { method, path, body, signal }: Call,
): Promise<JsonObject> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const result = await http.send({
    place: { kind: "origin", origin: input.url.origin },
    method,
    target: `${basePath(input.url)}${path}`,
    headers: { ...(await headersOf(input)), ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeouts,
    maxBytes,
    signal,
  });
  signal.throwIfAborted();
  if (result.kind === "failure") throw unreachable(input.url, result.message, result.cause);
  const document = result.body.length === 0 ? {} : jsonOf(result.body);
  if (result.status < 300 && isJsonObject(document)) return document;
  throw refusedBy(result, document);
}

async function* events(
  http: HttpClient,
  input: ControlPlaneInput,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const stream = await http.stream({
    place: { kind: "origin", origin: input.url.origin },
    method: "GET",
    target: `${basePath(input.url)}${path}`,
    headers: await headersOf(input),
    timeouts: { connectMs: timeouts.connectMs, headersMs: silentMs, bodyMs: silentMs },
    maxBytes: Number.MAX_SAFE_INTEGER,
    signal,
  });
  signal.throwIfAborted();
  if (stream.kind === "failure") throw unreachable(input.url, stream.message, stream.cause);
  using opened = stream;
  for await (const item of jsonLines(opened.body, maxLineChars)) {
    if (opened.status !== 200) throw refusedBy(opened, item);
    const event = eventIn(item);
    if (event !== undefined) yield event;
  }
  if (opened.status !== 200) throw refusedBy(opened, undefined);
}

/** Undefined for an event that a newer control plane sends and this agent does not know. */
function eventIn(item: JsonObject): AgentEvent | undefined {
  const version = textAt(item, "resource_version");
  const object = objectAt(item, "object");
  switch (textAt(item, "type")) {
    case "CHANGE":
      return { kind: "change", version, object };
    case "DELETED":
      return { kind: "removed", version, id: textAt(object, "id") };
    case "BOOKMARK":
      return { kind: "bookmark", version };
    case "error": {
      const error = objectAt(item, "error");
      throw new ControlPlaneError(500, `the watch ended: ${textAt(error, "reason")}`);
    }
    default:
      return undefined;
  }
}

function discoveredIn(document: JsonObject): Discovered {
  return {
    dns: textAt(document, "dns"),
    offerings: objectsAt(document, "offerings").map((offering) => ({
      name: textAt(offering, "name"),
      plural: textAt(offering, "plural"),
      applies: {
        apiVersion: textAt(offering, "applies", "apiVersion"),
        kind: textAt(offering, "applies", "kind"),
      },
      resyncMs: (numberAt(offering, "resync_seconds") ?? 60) * 1_000,
    })),
  };
}

async function headersOf({ token }: ControlPlaneInput): Promise<Record<string, string>> {
  const bearer = await token();
  const login = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return { accept: "application/json", "user-agent": "setpoint-agent", ...login };
}

function basePath({ pathname }: URL): string {
  return withoutTrailing(pathname, "/");
}

function unreachable({ origin }: URL, why: string, cause: unknown): ControlPlaneError {
  return new ControlPlaneError(0, `the control plane ${origin} cannot be reached: ${why}`, {
    cause,
  });
}

/** The control plane does not show callers without access what exists: see agent-access.ts. */
const hints: ReadonlyMap<number, string> = new Map([
  [401, ": the credential is not valid: check --token-file or --kubeconfig, and the expiry"],
  [403, ": the credential has no access: use the ServiceAccount agent of the cluster"],
  [
    404,
    ": the cluster does not exist, or the credential belongs to another cluster: compare " +
      "--cluster with the DataPlaneCluster, and use its ServiceAccount agent",
  ],
]);

/** The reason of a fleet API, the detail of a problem document, or the status alone. */
function refusedBy({ status }: Pick<HttpAnswer, "status">, document: Json | undefined): Error {
  const said = textAt(document, "reason") || textAt(document, "detail");
  const why = said === "" ? "" : `: ${said.slice(0, 1_000)}`;
  const hint = hints.get(status) ?? "";
  return new ControlPlaneError(status, `the control plane returned status ${status}${why}${hint}`);
}
