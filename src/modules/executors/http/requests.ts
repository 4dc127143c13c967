// The requests of an HttpCall, from its spec. Pure.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  listAt,
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export type HttpAction = "create" | "update" | "destroy";

export interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for none. */
  readonly body: Json | undefined;
  /** Empty: 200 to 299. */
  readonly expect: readonly number[];
}

/** A destruction needs a request of its own; a change without one sends the creation again. */
export function requestFor(call: Resource, action: "create" | "update"): PlannedRequest {
  const requests = presentObjectAt(call, "spec", "requests");
  const chosen = presentObjectAt(requests, action) ?? presentObjectAt(requests, "create");
  return planned(call, chosen, action);
}

/** Undefined when nothing is to be sent. */
export function destroyRequest(call: Resource): PlannedRequest | undefined {
  const given = presentObjectAt(call, "spec", "requests", "destroy");
  return given === undefined ? undefined : planned(call, given, "destroy");
}

function planned(
  call: Resource,
  chosen: JsonObject | undefined,
  action: HttpAction,
): PlannedRequest {
  const method = textAt(chosen, "method") || "POST";
  return {
    method,
    url: urlWith(textAt(call, "spec", "url"), textAt(chosen, "path")),
    headers: { ...headersOf(call, "headers"), ...headersOf(call, "secretHeaders") },
    body: method === "GET" ? undefined : bodyOf(call, chosen, action),
    expect: expectedIn(chosen),
  };
}

export interface StatusEndpoint extends PlannedRequest {
  /** Empty for none. */
  readonly healthyWhen: string;
}

/** Secret headers are sent to the origin of the call only. */
export function statusEndpoints(call: Resource): readonly StatusEndpoint[] {
  const own = textAt(call, "spec", "url");
  return objectsAt(call, "spec", "statusEndpoints").map((given) => {
    const other = textAt(given, "url");
    const url = other === "" ? urlWith(own, textAt(given, "path")) : new URL(other);
    const isOwn = url.origin === new URL(own).origin;
    return {
      method: "GET",
      url,
      headers: {
        ...headersOf(call, "headers"),
        ...(isOwn ? headersOf(call, "secretHeaders") : {}),
      },
      body: undefined,
      expect: expectedIn(given),
      healthyWhen: textAt(given, "healthyWhen"),
    };
  });
}

export function isExpected({ expect }: Pick<PlannedRequest, "expect">, status: number): boolean {
  return expect.length === 0 ? status >= 200 && status < 300 : expect.includes(status);
}

/** A path is appended, not resolved: the URL may have a path itself. */
export function urlWith(base: string, path: string): URL {
  const url = new URL(base);
  if (path === "") return url;
  const [plain = "", query] = path.split("?", 2);
  url.pathname = `${withoutTrailing(url.pathname, "/")}/${plain.replace(/^\/+/, "")}`;
  if (query !== undefined) url.search = query;
  return url;
}

function headersOf(call: Resource, field: string): Readonly<Record<string, string>> {
  const headers = objectAt(call, "spec", field);
  return Object.fromEntries(
    Object.keys(headers).map((name) => [name.toLowerCase(), textAt(headers, name)]),
  );
}

function bodyOf(
  call: Resource,
  chosen: JsonObject | undefined,
  action: HttpAction,
): Json | undefined {
  const plain = valueAt(chosen, "body") ?? valueAt(call, "spec", "body");
  if (plain !== undefined && !isJsonObject(plain)) return plain;
  const command = textAt(call, "spec", "command");
  const name = textAt(call, "spec", "name") || call.metadata.name;
  const reference = { name, ...(command === "" ? {} : { command }), action };
  const secret = objectAt(call, "spec", "secretBody");
  const merged = { ...(chosen === undefined ? reference : {}), ...plain, ...secret };
  return Object.keys(merged).length === 0 && plain === undefined ? undefined : merged;
}

function expectedIn(given: JsonObject | undefined): readonly number[] {
  return listAt(given, "expect").flatMap((status) => (typeof status === "number" ? status : []));
}
