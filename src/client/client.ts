/**
 * `setpoint/client`: a typed client of the REST API, for programs on Node.js and in browsers. The
 * types of all operations are written from the OpenAPI document of the server, so a call with an
 * unknown parameter, or a field that no answer has, is an error of the type check. It has no
 * dependencies.
 */
import { operations } from "./rest-api.ts";
import type { Json, JsonObject, Operations, Problem } from "./rest-api.ts";

export { operations } from "./rest-api.ts";
export type * from "./rest-api.ts";

export type OperationName = keyof Operations;
export type Answer<Name extends OperationName> = Operations[Name]["answer"];
export type StreamName = {
  [Name in OperationName]: Operations[Name]["isStream"] extends true ? Name : never;
}[OperationName];
export type CallName = Exclude<OperationName, StreamName>;

export interface ClientOptions {
  /** Such as https://127.0.0.1:7443. */
  readonly server: string;
  /** A bearer token, or a function that returns the current one. None: the cookie of a browser. */
  readonly token?: string | (() => string | Promise<string>);
  /** In place of the global one, for proxies, authorities and tests. */
  readonly fetch?: typeof fetch;
}

interface Common {
  /** Such as If-Match and Idempotency-Key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What an operation has none of is left out, and what it needs cannot be left out. */
type Part<Key extends string, Type> = [Type] extends [undefined]
  ? { readonly [Each in Key]?: undefined }
  : object extends Type
    ? { readonly [Each in Key]?: Type }
    : { readonly [Each in Key]: Type };

export type CallInput<Name extends OperationName> = Common &
  Part<"path", Operations[Name]["path"]> &
  Part<"query", Operations[Name]["query"]> &
  Part<"body", Operations[Name]["body"]>;

/** Without required parts, the input can be left out. */
type Arguments<Name extends OperationName> =
  object extends CallInput<Name> ? [input?: CallInput<Name>] : [input: CallInput<Name>];

export interface Client {
  call<Name extends CallName>(name: Name, ...input: Arguments<Name>): Promise<Answer<Name>>;
  /** The items of a stream, until it ends or the caller leaves the loop. */
  follow<Name extends StreamName>(
    name: Name,
    ...input: Arguments<Name>
  ): AsyncGenerator<Answer<Name>, void>;
}

/** The server refused a request; docs/reference/errors.md lists the codes. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `the server returned status ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.problem = problem;
  }

  /** Such as "resource.not_found"; empty if the response has no problem document. */
  get code(): string {
    return this.problem.code ?? "";
  }
}

export function createClient(options: ClientOptions): Client {
  const client = {
    call: async (name: CallName, input: AnyInput = {}): Promise<unknown> => {
      const response = await send(options, name, input, "application/json");
      const text = await response.text();
      return text === "" ? undefined : JSON.parse(text);
    },
    follow: async function* (name: StreamName, input: AnyInput = {}): AsyncGenerator {
      const response = await send(options, name, input, "application/x-ndjson");
      for await (const line of linesOf(response)) {
        const item = JSON.parse(line) as JsonObject;
        if (item["type"] === "problem") throw problemError(500, item["problem"]);
        yield item;
      }
    },
  };
  // The types of the operations say what the server answers.
  return client as Client;
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

interface AnyInput extends Common {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

async function send(
  { server, token, fetch: own = fetch }: ClientOptions,
  name: OperationName,
  { path, query, body, headers, signal }: AnyInput,
  accept: string,
): Promise<Response> {
  const { method, path: template } = operations[name];
  const url = new URL(`${server.replace(/\/$/, "")}${filled(template, path)}`);
  for (const [key, value] of Object.entries((query ?? {}) as Parameters)) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const bearer = typeof token === "function" ? await token() : token;
  const response = await own(url, {
    method,
    headers: {
      accept,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw problemError(response.status, await problemOf(response));
}

function filled(template: string, path: unknown): string {
  const values = (path ?? {}) as Parameters;
  return template.replaceAll(/\{(\w+)\}/g, (_, key: string) => segment(key, values[key]));
}

/** "." and ".." are parts of a URL with a meaning, and an empty part is another path. */
function segment(key: string, value: Parameters[string]): string {
  const text = value === undefined || value === null ? "" : String(value);
  if (text !== "" && text !== "." && text !== "..") return encodeURIComponent(text);
  throw new TypeError(`the path parameter ${key} must be a name, not ${JSON.stringify(value)}`);
}

async function problemOf(response: Response): Promise<Json | undefined> {
  try {
    return JSON.parse(await response.text()) as Json;
  } catch {
    // A proxy answers with a page; the status is enough.
    return undefined;
  }
}

function problemError(status: number, problem: Json | undefined): ApiError {
  const known = typeof problem === "object" && problem !== null ? problem : {};
  return new ApiError(status, known as Partial<Problem>);
}

/** By a reader: the streams of Safari are not iterable. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    // The caller may have left the loop: the server stops to send.
    await reader.cancel().catch(() => undefined);
  }
  if (rest !== "") yield rest;
}
