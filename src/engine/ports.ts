// What the engine needs from around it. The store is used directly, for claims and for the fenced
// writes of status; everything that is a change of intent (children, events) goes through the one
// write path, which is above the engine and so comes in through `Resources`.

import type { Clock } from "../kernel/clock.ts";
import type { Draft } from "../kernel/draft.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Cause } from "../kernel/cause.ts";
import type { Answer, ClaimRef, Store, StoredRecord, Write } from "../store/port.ts";
import type { ChildDocument, RunLog, Tracer } from "./reconciler.ts";

export interface EnginePorts {
  readonly store: Store;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: RunLog & { error(fields: Readonly<Record<string, unknown>>, text: string): void };
  /** For `context.log` of reconcilers; `log` when it is left out. */
  readonly authorLog?: RunLog;
  readonly tracer: Tracer;
  readonly meter: Meter;
}

/** The write path as the engine uses it. All documents are in the storage version of their kind. */
export interface Resources {
  /** In the storage version, whichever the stored one is; as stored when this is left out. */
  read?(record: StoredRecord): Resource | Promise<Resource>;
  /**
   * For a write of the engine itself: metadata and status only, so nothing is admitted again. A
   * status that differs from the one in `before` is held against the schema, and refused.
   */
  draft(kind: string, resource: Resource, before?: Resource): Draft | Promise<Draft>;
  /**
   * A document as `draft` would store it: without what its kind has no place for. Throws where that
   * refuses it. Left out where everything has a place.
   */
  stored?(kind: string, resource: Resource, before: Resource): Resource;
  /** The values in a resource that are never shown, so that they can be kept out of the log. */
  secretsOf?(kind: string, resource: Resource): readonly string[];
  /** Owner references, field ownership and the fence are added to what is given. */
  applyChild(change: ChildChange & { readonly document: ChildDocument }): Promise<Resource>;
  /** False when it is not there; refused when it is not a child of the owner. */
  deleteChild(change: ChildChange & { readonly key: ResourceKey }): Promise<boolean>;
  /** The kind id for an apiVersion and Kind, when it is served. */
  kindOf(apiVersion: string, kind: string): string | undefined;
  /** Whether resources of a kind id live in namespaces; undefined when it is not served. */
  isNamespaced(kind: string): boolean | undefined;
  /** Kinds of which a change of the status alone wakes nobody who refers to them. */
  readonly quietKinds?: readonly string[];
  /** Nobody waits for it. */
  recordEvent(event: EngineEvent): Promise<void>;
  /** How much more than others a namespace may run at a time; 1 by default. */
  weightOf(namespace: string): number;
}

export interface ChildChange {
  readonly owner: Resource;
  readonly ownerKey: ResourceKey;
  /** The claim on the owner, checked inside the commit. */
  readonly claim: ClaimRef;
  readonly cause: Cause;
}

export interface EngineEvent {
  readonly key: ResourceKey;
  readonly resource: Resource;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Numbers for people who watch. Names and labels come from the program, never from users. */
export interface Meter {
  count(name: string, labels?: Labels, by?: number): void;
  gauge(name: string, value: number, labels?: Labels): void;
  observe(name: string, seconds: number, labels?: Labels): void;
}

export type Labels = Readonly<Record<string, string>>;

/**
 * What the parts of one run share. Every write made here names the claim; when the store refuses
 * it as no longer held, the run is aborted and the error is thrown, so nothing after it happens.
 */
export interface RunScope {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly claim: ClaimRef;
  /** Of every write of the run: the engine, and the trace of the run. */
  readonly cause: Cause;
  readonly signal: AbortSignal;
  /** As it was when the run began: what the reconciler was told. */
  loaded(): Resource;
  /** As of the last read or write in this run. */
  current(): Resource;
  /** Atomic. The claim is added to each write. Throws when any is refused. */
  commit(writes: readonly Write[]): Promise<readonly Answer[]>;
  /**
   * Writes what `edit` makes of the newest document, again when another writer was faster. Only
   * status and, by the engine, finalizers may differ. What goes `alongside` is in the same commit,
   * also when nothing else changes, and is answered for; then who was not the fastest is refused.
   */
  update(
    edit: (resource: Resource) => Resource,
    alongside?: readonly Write[],
  ): Promise<readonly Answer[]>;
}

/** The engine's part of a status; see settle.ts for who writes what. */
export interface ReconcileStatus {
  /** Failed tries since the last success or change of the spec. */
  readonly attempts?: number;
  readonly nextAttempt?: string;
  /** A removal said that it cannot succeed; it is tried again nevertheless. */
  readonly isFinal?: boolean;
  /** The token of the last request by annotation that was dealt with. */
  readonly handledRequest?: string;
  /** The newest generation that became ready, and when; it stays when the resource degrades. */
  readonly succeeded?: JsonObject;
  readonly externalId?: string;
  readonly waitingFor?: readonly JsonObject[];
  readonly progress?: JsonObject;
  readonly lastRun?: JsonObject;
  readonly [key: string]: Json | undefined;
}
