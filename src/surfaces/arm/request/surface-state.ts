// The state that all requests of the surface share, and the mistakes of faces that it reports.

import type { Authorizer } from "../../../intents/auth/policy.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { ProviderState } from "../../../modules/resource-provider/provider-state.ts";
import type { SkipKey } from "../protocol/skip-token.ts";
import type { RecentDocuments } from "./recent-documents.ts";
import type { ShownCache } from "./shown-cache.ts";

export interface ArmSurface extends ProviderState {
  readonly authorizer: Authorizer;
  /** The pause that responses ask of clients before the next poll. */
  readonly retryAfterSeconds: number;
  /** Of the tokens that say where a page of a list has ended. */
  readonly skipKey: SkipKey;
  readonly shown: ShownCache;
  readonly documents: RecentDocuments;
  /** Receives mistakes of faces that a request has shown. */
  readonly onMistake?: (mistake: FaceMistake) => void;
  /** Receives resources that a response shows without the properties of their face. */
  readonly onUnshown?: (error: unknown, unshown: Unshown) => void;
}

/** A resource that its face cannot convert. */
export interface Unshown {
  /** Provider and type. */
  readonly type: string;
  readonly apiVersion: string;
  readonly key: ResourceKey;
}

/** A face made a wrong spec. It contains the names of fields and never their values. */
export interface FaceMistake {
  /** The kind refuses the fields, has none such, or they are secrets that a client took away. */
  readonly what: "refused" | "lost" | "kept";
  /** Provider and type. */
  readonly type: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** As the kind calls them, such as "spec.degrees"; those that are kept, as clients do. */
  readonly fields: readonly string[];
  /** The action that made it; otherwise it was a PUT or PATCH. */
  readonly action?: string;
}
