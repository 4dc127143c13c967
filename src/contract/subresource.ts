// A Kubernetes subresource that a module serves, such as GET .../kinds/NAME/plan. The surface
// authenticates the caller, checks the right to the verb on "PLURAL/SUBRESOURCE", reads the
// body and encodes the answer. The handler does the rest.

import type { Caller, FieldValidation, Intents, Target } from "../intents/request.ts";
import type { Json, JsonObject } from "../kernel/json.ts";

export interface Subresource {
  /** The id of a kind, or "*" for every kind. */
  readonly kind: string;
  readonly name: string;
  readonly verbs: readonly ("get" | "create" | "update")[];
  /** Whether a kind has it, where `kind` is "*". A kind without it answers 404. */
  readonly isServed?: (kind: string) => boolean;
  readonly handle: (request: SubresourceRequest) => Promise<SubresourceAnswer>;
}

export interface SubresourceRequest {
  readonly verb: "get" | "create" | "update";
  readonly target: Target;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** The write path with all policies, for writes and dry runs on behalf of the caller. */
  readonly intents: Intents;
  /** The body as an object of the kind, read when it is first needed. */
  readonly body: () => Promise<SubresourceBody>;
  /** The body as text, whatever its media type. */
  readonly text: () => Promise<string>;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

export interface SubresourceBody {
  readonly value: Json;
  /** Keys that the body has twice. */
  readonly problems: readonly string[];
  /** What the caller wants to happen with unknown fields. */
  readonly fieldValidation: FieldValidation;
}

export interface SubresourceAnswer {
  readonly status: number;
  readonly document: JsonObject;
}
