// A REST service in the process of the test, with collections that differ from what an import
// guesses: ids that the service assigns and shows nowhere, only in Location, or only in the
// response; collections without a URL for one object; several fields that name an object. The test
// owns it and reads what the service really has in `objects`.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../src/kernel/json.ts";

export interface Collection {
  /** The last segments of the path of an object, given the object and its number. */
  readonly id: (object: JsonObject, number: number) => string;
  /** What responses show; everything if unset. */
  readonly shows?: (object: JsonObject, id: string) => JsonObject;
  readonly hasLocation?: boolean;
  /** Whether one object can be read by its path; else only the list can. */
  readonly hasItem?: boolean;
  /** The status for an object that does not exist. */
  readonly absentStatus?: number;
}

export interface QuirkyService extends AsyncDisposable {
  readonly url: string;
  /** By collection, then by id. */
  readonly objects: ReadonlyMap<string, Map<string, JsonObject>>;
  /** Requests so far, as "METHOD /path". */
  readonly log: readonly string[];
  /** Answers instead of the service; undefined: as usual. */
  interfere: ((request: QuirkyRequest) => QuirkyAnswer | undefined) | undefined;
}

export interface QuirkyRequest {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

export interface QuirkyAnswer {
  readonly status: number;
  readonly body?: Json;
  readonly location?: string;
}

export async function startQuirkyService(
  collections: Readonly<Record<string, Collection>>,
): Promise<QuirkyService> {
  const objects = new Map(Object.keys(collections).map((name) => [name, new Map()]));
  const log: string[] = [];
  let made = 0;
  const state = { interfere: undefined as QuirkyService["interfere"] };
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const given: QuirkyRequest = {
      method: request.method ?? "",
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      body: text === "" ? {} : (JSON.parse(text) as JsonObject),
    };
    log.push(`${given.method} ${given.path}`);
    const number = given.method === "POST" ? (made += 1) : 0;
    const answer = state.interfere?.(given) ?? answerTo(collections, objects, given, number);
    const { location } = answer;
    const headers = { "content-type": "application/json", ...(location ? { location } : {}) };
    response.writeHead(answer.status, headers);
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void listener(request, response));
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    log,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  });
}

function answerTo(
  collections: Readonly<Record<string, Collection>>,
  objects: ReadonlyMap<string, Map<string, JsonObject>>,
  { method, path, body }: QuirkyRequest,
  number: number,
): QuirkyAnswer {
  const [, name = "", ...rest] = path.split("/");
  const collection = collections[name];
  const stored = objects.get(name);
  if (collection === undefined || stored === undefined) return { status: 404 };
  const shown = (object: JsonObject, id: string): JsonObject =>
    collection.shows?.(object, id) ?? { ...object, id };
  const id = rest.map((part) => decodeURIComponent(part)).join("/");
  if (id === "" && method === "POST") {
    const own = collection.id(body, number);
    if (stored.has(own)) return { status: 409, body: { message: "it exists already" } };
    stored.set(own, body);
    const location = collection.hasLocation === true ? { location: `/${name}/${own}` } : {};
    return { status: 201, body: shown(body, own), ...location };
  }
  if (id === "" && method === "GET") {
    return { status: 200, body: [...stored].map(([key, object]) => shown(object, key)) };
  }
  const found = stored.get(id);
  if (method === "GET" && collection.hasItem === false) return { status: 405 };
  if (found === undefined) return { status: collection.absentStatus ?? 404, body: {} };
  if (method === "DELETE") {
    stored.delete(id);
    return { status: 204 };
  }
  if (method === "PUT") stored.set(id, body);
  return { status: 200, body: shown(stored.get(id) ?? {}, id) };
}
