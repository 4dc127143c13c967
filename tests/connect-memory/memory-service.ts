// A service in memory, for tests of what is kept in one: collections of objects under paths, and
// whatever a test wants to go wrong. It answers in the turn of the event loop after the request, so
// that time and order belong to the test.

import type { JsonObject, Json, MutableJsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { applyMergePatch } from "../../src/kernel/merge-patch.ts";
import { isForm } from "../../src/modules/connect/http/body-bytes.ts";
import { ExchangeFailed } from "../../src/modules/connect/http/exchange.ts";
import type { OpenWire, RawAnswer, RawRequest } from "../../src/modules/connect/http/exchange.ts";

export interface ServiceRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string };
  readonly body: Json | undefined;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly body?: Json | string;
  readonly headers?: { readonly [name: string]: string };
}

/** Undefined: as usual. "lost": the request is carried out, and its answer never arrives. */
export type Interference = (
  request: ServiceRequest,
) => ServiceAnswer | "lost" | "refused" | undefined;

export interface MemoryService {
  readonly openWire: OpenWire;
  /** By path; what others change in the service is changed here. */
  readonly objects: Map<string, JsonObject>;
  /** All requests so far, as "METHOD path". */
  readonly log: string[];
  readonly requests: ServiceRequest[];
  interfere: Interference | undefined;
  /** What an answer waits for, once the request has been carried out. */
  hold: ((request: ServiceRequest) => Promise<void> | undefined) | undefined;
  /** What of an object is shown, where that is not all. */
  show: (object: JsonObject) => JsonObject;
  /** What is kept of what is written. */
  keep: (next: JsonObject, before: JsonObject | undefined) => JsonObject;
  /** How the id of a new object is made; undefined: of its name. */
  nextId: (() => string) | undefined;
}

export function memoryService(): MemoryService {
  const service: MemoryService = {
    objects: new Map(),
    log: [],
    requests: [],
    interfere: undefined,
    hold: undefined,
    show: (object) => object,
    keep: (next) => next,
    nextId: undefined,
    openWire: () => ({
      exchange: async (raw, signal) => {
        await Promise.resolve();
        signal.throwIfAborted();
        const answer = exchange(service, raw);
        const [request] = service.requests.slice(-1);
        if (request !== undefined) await service.hold?.(request);
        return answer;
      },
      [Symbol.dispose]: () => undefined,
    }),
  };
  return service;
}

/** Requests that change something. */
export function writesOf({ log }: MemoryService): readonly string[] {
  return log.filter((line) => !line.startsWith("GET "));
}

function exchange(service: MemoryService, raw: RawRequest): RawAnswer {
  const url = new URL(raw.target, "http://service");
  const text = raw.body?.toString("utf8") ?? "";
  const request: ServiceRequest = {
    method: raw.method,
    path: url.pathname,
    query: url.searchParams,
    headers: raw.headers,
    body: text === "" ? undefined : bodyIn(text, raw.headers["content-type"]),
  };
  service.log.push(`${request.method} ${request.path}`);
  service.requests.push(request);
  const interfered = service.interfere?.(request);
  if (interfered === "refused") {
    throw new ExchangeFailed("ConnectionFailed", "the connection was refused", true);
  }
  if (interfered === "lost") {
    answerOf(service, request);
    throw new ExchangeFailed("ConnectionFailed", "the connection was lost", false);
  }
  return rawAnswer(interfered ?? answerOf(service, request));
}

function bodyIn(text: string, mediaType = ""): Json {
  if (!isForm(mediaType)) return JSON.parse(text) as Json;
  return Object.fromEntries(new URLSearchParams(text));
}

function rawAnswer({ status, body, headers = {} }: ServiceAnswer): RawAnswer {
  const isText = typeof body === "string";
  const text = body === undefined ? "" : isText ? body : JSON.stringify(body);
  const type = isText ? "text/plain" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: Buffer.from(text) };
}

function answerOf(service: MemoryService, request: ServiceRequest): ServiceAnswer {
  const { method, path } = request;
  const found = service.objects.get(path);
  if (method === "POST") return made(service, request);
  if (method === "GET" && found === undefined) return listed(service, path);
  if (method === "PUT" && found === undefined) {
    service.objects.set(path, service.keep(asObject(request.body), undefined));
    return { status: 201, body: service.show(service.objects.get(path) ?? {}) };
  }
  if (found === undefined) return { status: 404, body: "Not Found" };
  const etag = `"${digest(found)}"`;
  const { "if-match": ifMatch = etag } = request.headers;
  if (ifMatch !== etag) return { status: 412, body: { error: "changed" } };
  switch (method) {
    case "PUT":
      service.objects.set(path, {
        ...service.keep(asObject(request.body), found),
        ...(found["id"] === undefined ? {} : { id: found["id"] }),
      });
      return { status: 204 };
    case "PATCH": {
      const patched = applyMergePatch(found, request.body ?? {});
      service.objects.set(path, service.keep(asObject(patched), found));
      return { status: 200, body: service.show(service.objects.get(path) ?? {}) };
    }
    case "DELETE":
      service.objects.delete(path);
      return { status: 204 };
    default:
      return { status: 200, body: service.show(found), headers: { etag } };
  }
}

function made(service: MemoryService, { path, body }: ServiceRequest): ServiceAnswer {
  const given = asObject(body);
  const id = service.nextId === undefined ? textAt(given, "name") : service.nextId();
  const place = `${path}/${id}`;
  if (service.objects.has(place)) return { status: 409, body: "Conflict" };
  const object: MutableJsonObject = { ...service.keep(given, undefined), id };
  service.objects.set(place, object);
  return { status: 201, body: service.show(object) };
}

/** The objects right below a path; 404 where it is the path of an object that is not there. */
function listed(service: MemoryService, path: string): ServiceAnswer {
  const depth = path.split("/").length;
  if (depth % 2 === 1) return { status: 404, body: "Not Found" };
  const below = [...service.objects].filter(([at]) => {
    return at.startsWith(`${path}/`) && at.split("/").length === depth + 1;
  });
  return { status: 200, body: below.map(([, object]) => service.show(object)) };
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

function digest(object: JsonObject): string {
  return Buffer.from(JSON.stringify(object)).toString("base64url").slice(-40);
}
