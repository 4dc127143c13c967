// What a module may change in how the objects of a kind are kept in a service: functions at named
// points of the loop. Each gets what it is about and `next`, which does what would be done without
// it; several for one kind are called around each other, in the order of the modules. A function
// that is left out is `next`. One that throws ends the run, and is named: nothing is sent by guess.

import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";

export interface ConnectHooks {
  /** The id of the kind. */
  readonly kind: string;
  /** The object as it is wanted, before it is compared. */
  readonly mapDesired?: Hook<JsonObject, JsonObject>;
  /** The object as it was read, before it is compared. */
  readonly mapObserved?: Hook<JsonObject, JsonObject>;
  /** A request just before it is sent; secrets are in it. */
  readonly beforeSend?: Hook<HookRequest, HookRequest>;
  readonly classifyError?: Hook<HookError, HookErrorClass>;
  /** "patch" or "replace"; `next` gives undefined where the usual choice is to be made. */
  readonly chooseVerb?: Hook<readonly HookChange[], "patch" | "replace" | undefined>;
  /** Whether it can be used. */
  readonly isReady?: Hook<HookDocuments, HookReadiness>;
  /** Secrets to be kept beside the resource: by their names, the values of their keys. */
  readonly exportSecrets?: Hook<HookDocuments, HookSecrets>;
  /** Additional errors and warnings for a resource that is being written. */
  readonly validate?: (change: HookWrite, next: (change: HookWrite) => HookVerdict) => HookVerdict;
}

export type Hook<I, O> = (
  input: I,
  next: (input: I) => Promise<O>,
  about: { readonly resource: Resource },
) => O | Promise<O>;

export interface HookRequest {
  readonly method: string;
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  readonly headers: { readonly [name: string]: string };
  readonly body?: Json;
}

export interface HookError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export type HookErrorClass = "soon" | "slow" | "never" | "absent" | "exists" | "busy";

export interface HookChange {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
  readonly why: string;
}

export interface HookDocuments {
  readonly observed: JsonObject;
  readonly joined: JsonObject;
}

export interface HookReadiness {
  readonly isReady: boolean;
  readonly reason?: string;
  readonly message?: string;
}

export type HookSecrets = { readonly [secret: string]: { readonly [key: string]: string } };

export interface HookWrite {
  readonly object: Resource;
  /** Absent for a creation. */
  readonly old?: Resource;
}

export interface HookVerdict {
  /** Each is refused: the field and why. */
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly warnings: readonly string[];
}
