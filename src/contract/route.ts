// A route of the REST surface, as data. The router, the access check, the OpenAPI document, the
// documentation page, the labels of metrics and docs/reference/rest.md all come from this table.

import type { Readers } from "../intents/auth/role-holders.ts";
import type { OwnerFollower } from "../intents/housekeeping/follow-owners.ts";
import type { ReadModel } from "../intents/read-model/read-model.ts";
import type { Caller, Intents } from "../intents/request.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { PageMemory } from "./page-memory.ts";
import type { ReadPorts } from "./ports.ts";

/** Given to the routes of a module, when the write path and the change feed exist. */
export interface RoutePorts extends ReadPorts {
  readonly store: ReadPorts["store"] & Pick<Store, "advancedBeyond">;
  /** The write path with all policies: for writes on behalf of the caller. */
  readonly intents: Intents;
  readonly readModel: ReadModel;
  readonly readers: Readers;
  /** The index of owner references. */
  readonly owners: Pick<OwnerFollower, "dependentsOf">;
  readonly timers: Timers;
}

/** Called once for each process. */
export type RoutesOf = (ports: RoutePorts) => readonly Route[];

/** LOCK and UNLOCK are those of WebDAV, which the state backend of Terraform uses. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "LOCK" | "UNLOCK";

/** What the documents of an API show about a route. */
export interface RouteDescription {
  readonly method: RouteMethod;
  /**
   * In the REST API "/api/v1/WORD/{parameter}", where the word is not the name of a resource of
   * the Kubernetes core API. Another surface mounts routes below a base path, as "/things/{id}";
   * "/" is then the base path itself. A parameter is a whole segment.
   */
  readonly path: string;
  /** One line in the imperative, such as "List the revisions of a resource." */
  readonly summary: string;
  readonly description?: string;
  /** Groups routes in the documentation. */
  readonly tag: string;
  /** A route of the kind "public" needs no credentials. */
  readonly access: { readonly kind: string };
  /** Describes each parameter of the path, for the documentation. */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * JSON Schema of the query: an object whose properties are the parameters. Supported types are
   * string, integer, number and boolean. An unknown parameter is refused.
   */
  readonly query?: JsonObject;
  /** JSON Schema of the body. A body that does not match, or has unknown fields, is refused. */
  readonly body?: JsonObject;
  /** The body is text of any type, up to so many bytes, and is not checked. Instead of `body`. */
  readonly textBytes?: number;
  /** JSON Schema of each successful answer, by status. Errors are problem+json: no entry. */
  readonly answers: Readonly<Record<number, RouteAnswerSchema>>;
  /** Headers of the request that the handler reads, in lower case, with a description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The statuses of errors that clients of this route should expect, for the documentation. */
  readonly errors?: readonly number[];
  /** The outcome is stored under the Idempotency-Key of the request, and returned for a repeat. */
  readonly idempotency?: "by-key";
  /**
   * The command of the message bus that calls this route, such as "environments.create": the plural
   * of the resource, a dot and a verb. Unique among all routes, and never renamed.
   */
  readonly command?: string;
  /** The answer has an ETag, and If-None-Match (reads) or If-Match (writes) are honoured. */
  readonly etag?: true;
  /**
   * The answer is a stream of items, as NDJSON or as server-sent events, whichever the client
   * accepts. `after` in the query, or Last-Event-ID, is the revision to resume after.
   */
  readonly stream?: true;
}

export interface Route extends RouteDescription {
  readonly access: RouteAccess;
  /** The route reads the log or many resources: a request costs what a list costs. */
  readonly isList?: true;
  readonly handle: (request: RouteRequest) => Promise<RouteAnswer>;
}

export interface RouteAnswerSchema {
  readonly description: string;
  readonly schema?: JsonObject;
}

/** Checked before the handler runs. Templates such as "{name}" come from path, then query. */
export type RouteAccess =
  | { readonly kind: "public" }
  /** Any authenticated caller. The handler shows only what the caller may read. */
  | { readonly kind: "authenticated" }
  /** A fixed resource type, such as the records of a module. */
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  /**
   * A resource of the kind that the path parameter `kind` names by plural and group, such as
   * "databases.shop.example". `name` is in the path and `namespace` in the query. A namespaced
   * kind without a namespace, and an unknown kind, are refused.
   */
  | { readonly kind: "addressed"; readonly verbs: readonly string[] };

/**
 * Only the headers that the route declares are part of it. What every handler may depend on has a
 * field of its own, so that the documents list it and the surface checks it.
 */
export interface RouteRequest {
  /** Decoded values of the path template. */
  readonly path: Readonly<Record<string, string>>;
  /** Checked against the schema, with defaults, numbers and booleans converted. */
  readonly query: JsonObject;
  /** Checked against the schema; undefined for routes without one. */
  readonly body: JsonObject | undefined;
  /** Undefined for routes without `textBytes`. */
  readonly text?: string | undefined;
  /** Those that the route declares and the request has once, by their name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** The value of If-Match, without quotes; undefined when the request has none. */
  readonly ifMatch: string | undefined;
  readonly traceId: string;
  /** Aborted when the client leaves, the deadline passes or the server stops. */
  readonly signal: AbortSignal;
  /** For each page of documents that the handler reads from the store. */
  readonly pages: PageMemory;
}

export type RouteAnswer = DocumentAnswer | TextAnswer | StreamAnswer;

export interface DocumentAnswer {
  readonly kind: "document";
  readonly status: number;
  /** None for a status without a body, such as 204. */
  readonly document?: JsonObject;
  /** Without quotes. The surface answers 304 to an If-None-Match that has it. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page for people. */
export interface TextAnswer {
  readonly kind: "text";
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamAnswer {
  readonly kind: "stream";
  /** Ends when the iteration ends. An error after the first item is the last item. */
  readonly items: AsyncIterable<StreamItem>;
}

/** Each item carries the revision to resume after. */
export interface StreamItem {
  readonly revision: number;
  /** The name of the event, for clients of server-sent events. */
  readonly type: string;
  readonly item: JsonObject;
}
