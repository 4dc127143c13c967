// A route that the module of an author adds to an API of an Offering. It has the authentication,
// the visibility, the limits and the error object of its class, and is a part of its OpenAPI
// document and of its documentation page.

import type { RouteMethod } from "../../../contract/route.ts";
import type { JsonObject } from "../../../kernel/json.ts";

export interface OwnRoute {
  /**
   * public: below /v1, for members of an organisation. admin: below /v1/admin, for administrators
   * with a role for the method. agent: below /v1/agent-clusters, for the agent of the cluster that
   * the path parameter `cluster` names.
   */
  readonly class: "public" | "admin" | "agent";
  readonly method: RouteMethod;
  /** Below the root of the class, such as "/dinosaurs/{id}/feedings". */
  readonly path: string;
  /** One line in the imperative, such as "List the feedings of a dinosaur." */
  readonly summary: string;
  readonly description?: string;
  /** Describes each parameter of the path. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** JSON Schema of the query: an object whose properties are the parameters. */
  readonly query?: JsonObject;
  /** JSON Schema of the body. A body that does not match, or has unknown fields, is refused. */
  readonly body?: JsonObject;
  /** JSON Schema of each successful answer, by status. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema?: JsonObject }>
  >;
  readonly handle: (request: OwnRequest) => OwnAnswer | Promise<OwnAnswer>;
}

export interface OwnRequest {
  readonly offering: string;
  readonly caller: OwnCaller;
  /** Decoded values of the path template. */
  readonly path: Readonly<Record<string, string>>;
  /** The values of each parameter that the request has. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: JsonObject | undefined;
  /** The id of the request in the answer, in the log and in the audit record. */
  readonly operationId: string;
  /** Aborted when the client leaves, the deadline passes or the server stops. */
  readonly signal: AbortSignal;
  readonly instances: VisibleInstances;
}

/** Who sends the request, as the APIs see the user. */
export interface OwnCaller {
  readonly user: string;
  readonly organisation: string | undefined;
  readonly isOrganisationAdmin: boolean;
  readonly roles: readonly string[];
  /** The cluster of an agent. */
  readonly cluster: string | undefined;
}

/**
 * The instances that the caller may see: those of the organisation in the public API, those on the
 * cluster in the agent API, all of them in the admin API.
 */
export interface VisibleInstances {
  /** As the API of the class shows it. Undefined: there is none, or the caller may not see it. */
  get(id: string): Promise<JsonObject | undefined>;
  /** The first page of the list, by name. `search` is the language of the lists. */
  list(given?: {
    readonly search?: string;
    readonly size?: number;
  }): Promise<readonly JsonObject[]>;
  /**
   * Merges into spec.parameters as the caller, who must be allowed to change the instance. The
   * result is the instance after the change. Undefined as in `get`.
   */
  setParameters(id: string, parameters: JsonObject): Promise<JsonObject | undefined>;
}

export type OwnAnswer =
  | { readonly kind: "document"; readonly status: number; readonly document?: JsonObject }
  /** The error object with a number of GET /errors, which also decides the status. */
  | { readonly kind: "refused"; readonly error: number; readonly reason: string };
