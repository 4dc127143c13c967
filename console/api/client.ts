// Requests to the server that served the console. The session cookie authenticates them; no token
// is ever in reach of this code.

import { signal } from "@preact/signals";
import { ApiError, errorFrom, unreachable } from "./errors.ts";

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** An object is sent as JSON; a text as `type` says. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Counts the responses that said that the session has ended. */
export const signedOut = signal(0);

export async function request<T>(path: string, call: Call = {}): Promise<T> {
  const response = await send(path, call);
  const text = await response.text();
  if (text === "") return undefined as T;
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return (isJson ? JSON.parse(text) : text) as T;
}

async function send(path: string, call: Call = {}): Promise<Response> {
  const { method = "GET", body, signal: aborted, accept = "application/json" } = call;
  const headers: Record<string, string> = { accept, ...call.headers };
  if (body !== undefined) headers["content-type"] = call.type ?? "application/json";
  return await checked(withQuery(path, call.query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(aborted === undefined ? {} : { signal: aborted }),
  });
}

/** As `fetch`, but a refusal is an error. */
export async function checked(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await answered(url, init);
  if (response.ok) return response;
  if (response.status === 401) signedOut.value += 1;
  throw errorFrom(response.status, await bodyOf(response), traceOf(response));
}

async function answered(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw unreachable();
  }
}

function withQuery(path: string, query: Call["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function traceOf(response: Response): string | undefined {
  return response.headers.get("traceparent")?.split("-")[1];
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text());
  } catch {
    // A proxy between answered with a page: the status says enough.
    return undefined;
  }
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
