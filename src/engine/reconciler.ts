// What the author of a kind writes: a reconciler, which is told what is wanted and makes it so. It
// may run twice for the same thing, and in another process than the last time; it must converge.
// Everything it may use comes through its context, so that a test or the simulator can own it all.

import type { Clock } from "../kernel/clock.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import type { Resource } from "../kernel/resource.ts";
import type { Outcome } from "./outcome.ts";

export interface Reconciler<R extends Resource = Resource> {
  /** The kind id, such as "databases.example.com". */
  readonly kind: string;
  /** Raise it when every existing resource should be looked at again by the new code. */
  readonly version?: number;
  /** Makes the outside what `resource.spec` says. */
  reconcile(resource: R, context: Context): Promise<Outcome>;
  /**
   * Takes back in the outside what `reconcile` did. When it is present the engine holds every
   * resource by a finalizer, set before `reconcile` first runs and let go once `remove` is done.
   */
  remove?(resource: R, context: Context): Promise<Outcome>;
  /** Looks without touching; all that happens to a resource whose policy is `skip`. */
  observe?(resource: R, context: Context): Promise<Outcome>;
  /**
   * For kinds whose status has a form of its own, such as a namespace: the reconciler writes it,
   * and the engine stores nothing in the document. There are no conditions of the engine, no
   * finalizer, no pause and no policy. `reconcile` also runs for resources in deletion. A settled
   * resource is not looked at again unless `resyncMs` is set. Failures are retried with back-off.
   */
  readonly ownsStatus?: boolean;
  /** A settled resource is looked at again about this often; 0 means never. */
  readonly resyncMs?: number;
  /** A run that takes longer is aborted and counts as failed. */
  readonly timeoutMs?: number;
  /** How many of the kind run at a time in one process. */
  readonly concurrency?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** How long to wait after failures, each spread by up to a quarter so that herds disperse. */
export interface RetryPolicy {
  readonly soonFirstMs: number;
  readonly soonMostMs: number;
  readonly slowFirstMs: number;
  readonly slowMostMs: number;
}

/** What a run may use, whole or taken apart. It is of no use after the run has ended. */
export interface Context {
  /** Aborted when the lease is lost, time is up, or the server stops. Pass it to every call. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the spec has changed since, the resource is being deleted, or it was paused. The
   * run may go on: what changed is looked at after it. To end it early, pass this on as well, or
   * throw its `reason`: that is no failure, and the resource is looked at anew at once.
   */
  readonly superseded: AbortSignal;
  /** Grows with every claim of any resource: an outside that remembers it can refuse older ones. */
  readonly token: number;
  /** 1 when this is the first try since the last success or change of the spec. */
  readonly attempt: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: RunLog;
  readonly tracer: Tracer;
  /** The metrics that the module declares; a name that no module declares is dropped. */
  readonly metrics: RunMetrics;

  /** Merges into the status now, for progress that others should see while the run goes on. */
  readonly status: { patch(fields: JsonObject): Promise<void> };
  readonly children: Children;
  readonly references: References;

  /** Stored by `rememberExternalId`, so that deletion finds what creation made. */
  readonly externalId: string | undefined;
  readonly rememberExternalId: (id: string) => Promise<void>;
  /** Makes a value once and stores it, sealed, before it is used: passwords, suffixes, ids. */
  readonly remember: <T extends Json>(name: string, make: () => Promise<T> | T) => Promise<T>;
  /** Carries out an operation of durable steps, from the first that is not yet done. */
  readonly perform: (operation: Operation) => Promise<StepResults>;
  readonly progress: (progress: Progress) => Promise<void>;

  /**
   * Calls a system outside under its circuit breaker and within its bulkhead. When either refuses,
   * the run ends and is tried again when there is hope, without counting as a failure.
   */
  readonly outside: <T>(system: string, call: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Recorded as an Event of the resource. */
  readonly event: (type: "Normal" | "Warning", reason: string, message: string) => void;
}

/** See `metrics` of defineModule. Values of labels must be few: never names of resources. */
export interface RunMetrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}

export interface RunLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface Tracer {
  /** Measures what happens inside; spans nest, and inherit what those around them are about. */
  span<T>(name: string, inside: () => Promise<T>, about?: SpanFacts): Promise<T>;
  /**
   * The W3C header `traceparent` for a call of an external system, which makes its spans a part of
   * the trace. Absent, or undefined, when the server exports no traces or does not pass them on.
   */
  traceparent?(): string | undefined;
  /** Used by `context.outside`. Absent when the server exports no traces. */
  call?<T>(system: string, inside: () => Promise<T>): Promise<T>;
}

export type SpanFacts = Readonly<Record<string, string>>;

/** Names a resource; the namespace is that of the resource that is reconciled when left out. */
export interface Reference {
  /** The kind id. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Resources that exist because of this one. When one changes, its owner is reconciled. */
export interface Children {
  /** Server-side apply: creates the child or brings it to what is given. It becomes owned. */
  apply(child: ChildDocument): Promise<Resource>;
  /** Whether there was one to delete. What is not owned by this resource is refused. */
  delete(child: Reference): Promise<boolean>;
  /** All children of a kind. */
  list(kind: string): Promise<readonly Resource[]>;
}

export interface ChildDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly [key: string]: Json;
}

/** Resources that this one depends on. When one changes, appears or goes, this one is woken. */
export interface References {
  get(reference: Reference): Promise<Resource | undefined>;
}

/** A long piece of work whose steps are stored as they are done, so that a crash repeats one. */
export interface Operation {
  readonly name: string;
  /** What it is about: when it differs from the stored one the operation begins anew. */
  readonly about?: string;
  /** Once it is aborted no further step begins, and its reason is thrown: `context.superseded`. */
  readonly until?: AbortSignal;
  /** How many steps of the same work others perform: progress is counted over all of them. */
  readonly progress?: { readonly before?: number; readonly after?: number };
  readonly steps: readonly Step[];
}

export interface Step {
  readonly name: string;
  /** Its result is stored before the next step begins. May run twice. */
  run(results: StepResults): Promise<Json> | Promise<void>;
  /** Takes the step back when a later one fails for good; the last step first. May run twice. */
  undo?(result: Json, results: StepResults): Promise<void>;
}

export type StepResults = { readonly [step: string]: Json };

export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly message: string;
}
