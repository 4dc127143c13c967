// A route of the three APIs of an Offering, as data. The surface finds the route, authorises the
// caller, reads query and body, and words the answer; the OpenAPI documents and the documentation
// pages come from the same table. A handler is the rest.

import type { PageMemory } from "../../../contract/page-memory.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import type { RouteAnswer, RouteDescription, RoutePorts } from "../../../contract/route.ts";
import type { Caller, Intents } from "../../../intents/request.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { FleetState } from "../fleet-state.ts";
import type { FleetCaller } from "../identity.ts";
import type { Offering } from "../offering.ts";
import type { ChangeSignals } from "./change-signals.ts";

/** public: /v1. admin: /v1/admin. agent: /v1/agent-clusters. */
export type ApiClass = "public" | "admin" | "agent";

export type FleetAccess =
  /** No token is needed. */
  | "public"
  /** A token of any issuer that the server trusts. */
  | "any-token"
  /** A token of an issuer of the API. */
  | "token"
  /** The same, of a member of an organisation who may use the service. */
  | "member"
  /** An administrator with a role for the method. Every refusal is "not found". */
  | "admin"
  /** The agent of the cluster that the path parameter `cluster` names, or 404. */
  | "agent";

/**
 * The path is below the root of the class, such as "/dinosaurs/{id}"; "/" is the root itself. A
 * parameter of `query` may be given once, unless its schema is an array. Handlers read the values,
 * because each has its own error in the catalogue.
 */
export interface FleetRoute extends Omit<RouteDescription, "idempotency" | "etag" | "stream"> {
  readonly access: {
    readonly kind: FleetAccess;
    /** The role that an administrator needs in any case, whatever the method is. */
    readonly role?: "full";
  };
  /** With ?watch=true the answer is a stream. */
  readonly isWatchable?: true;
  /** The route reads many resources: a request costs what a list costs. */
  readonly isList?: true;
  /** Refuses a request before its body is read. */
  readonly guard?: (request: FleetRequest) => void | Promise<void>;
  readonly handle: (request: FleetRequest) => Promise<RouteAnswer>;
}

export interface FleetRequest {
  readonly offering: Offering;
  /** Without organisation and roles on open routes. */
  readonly fleetCaller: FleetCaller;
  /** For the write path. */
  readonly caller: Caller;
  /** Decoded values of the path template. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: FleetQuery;
  /** Checked against the schema; undefined for routes without one, and in `guard`. */
  readonly body: JsonObject | undefined;
  /** The id of the request in answers, in the log and in the audit record. */
  readonly operationId: string;
  readonly userAgent: string;
  /** Whose work it is, where tenants take turns. */
  readonly tenant: string;
  /** Aborted when the client leaves, the deadline passes or the server stops. */
  readonly signal: AbortSignal;
  /** For each page of documents that the handler reads from the store. */
  readonly pages: PageMemory;
}

export interface FleetQuery {
  /** Undefined when the parameter is absent. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
}

/** What handlers may use. */
export interface FleetRoutePorts
  extends RoutePorts, Pick<ProcessPorts, "clock" | "ids" | "openHttp" | "log" | "meter"> {
  /** The write path without policies: for the module's own records. */
  readonly ownIntents: Intents;
}

/** What the handlers of the public API and of the admin API may use besides. */
export interface CustomerPorts extends FleetRoutePorts {
  readonly fleet: FleetState;
  readonly signals: ChangeSignals;
}

/** Routes that a user module adds to a class. They appear in the documents as well. */
export interface ExtraRoutes {
  readonly apiClass: ApiClass;
  readonly routesOf: FleetRoutesOf;
}

/** Called again after each change of the Offering. */
export type FleetRoutesOf = (ports: CustomerPorts, offering: Offering) => readonly FleetRoute[];
