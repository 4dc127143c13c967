// A call of a route, whatever carries it: an HTTP request, or a command of the message bus. The
// parts are checked in a fixed order: query, access, body. So a caller without access learns
// nothing about the body that would be accepted.

import type { Route, RouteRequest } from "../../contract/route.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { checkAccess } from "./access.ts";
import type { AccessPorts } from "./access.ts";
import { bodyReader } from "./request-body.ts";
import type { BodyReader } from "./request-body.ts";
import { queryReader } from "./request-query.ts";
import type { QueryReader } from "./request-query.ts";

export interface RouteReaders {
  readonly query: QueryReader;
  readonly body: BodyReader | undefined;
}

export function readersOf({ query, body }: Route): RouteReaders {
  return {
    query: queryReader(query),
    body: body === undefined ? undefined : bodyReader(body),
  };
}

export interface RouteCall extends Omit<RouteRequest, "query" | "body" | "headers"> {
  /** A header of the request; undefined when it has none, or several. */
  readonly headerText?: (name: string) => string | undefined;
  /** As in a URL, without "?". */
  readonly search: string;
  /** Completes the query before access is checked. */
  readonly completeQuery?: (query: JsonObject) => JsonObject;
  /** Called for a route with a body, after access was checked. */
  readonly readBody: (maxBytes: number) => Promise<Buffer>;
  readonly contentType: string | undefined;
}

export interface CheckedCall {
  readonly request: RouteRequest;
  /** Empty for a route without a body. */
  readonly bytes: Buffer;
}

/** Throws what is wrong with the call. */
export async function checkedCall(
  ports: AccessPorts,
  { access, textBytes, headers: declared }: Pick<Route, "access" | "textBytes" | "headers">,
  readers: RouteReaders,
  call: RouteCall,
): Promise<CheckedCall> {
  const { path, caller, ifMatch, traceId, signal, pages } = call;
  const sent = readers.query(call.search);
  const query = call.completeQuery?.(sent) ?? sent;
  checkAccess(ports, access, { path, query, caller });
  const hasBody = readers.body !== undefined || textBytes !== undefined;
  const maxBytes = textBytes ?? limits.maxRestBodyBytes;
  const bytes = hasBody ? await call.readBody(maxBytes) : Buffer.alloc(0);
  const body = readers.body?.(bytes, call.contentType);
  const headers = declared === undefined ? undefined : declaredHeaders(declared, call);
  const plain = { path, query, body, caller, ifMatch, traceId, signal, pages };
  const request = headers === undefined ? plain : { ...plain, headers };
  if (textBytes === undefined) return { request, bytes };
  return { request: { ...request, text: bytes.toString("utf8") }, bytes };
}

function declaredHeaders(
  declared: NonNullable<Route["headers"]>,
  { headerText }: RouteCall,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(declared)) {
    const text = headerText?.(name);
    if (text !== undefined) found[name] = text;
  }
  return found;
}
