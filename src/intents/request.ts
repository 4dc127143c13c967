// What every surface hands to the write path: who asks, for which resource, and how.

import type { Clock } from "../kernel/clock.ts";
import type { HeavyWork } from "../kernel/heavy-work.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";
import type { ClaimRef, Store, UniqueName, Write } from "../store/port.ts";
import type { Admission } from "./admission/admission.ts";
import type { UserInfo } from "./auth/user.ts";
import type { KindRegistry } from "./kinds/registry.ts";
import type { ServedKind, ServedVersion } from "./kinds/served-kind.ts";
import type { LiveView } from "./live-view.ts";

/** Everything the write path reaches for. */
export interface Intents {
  readonly store: Store;
  readonly live: LiveView;
  readonly kinds: KindRegistry;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly heavy: HeavyWork;
}

/** Who asks; warnings are for them to read and change nothing. */
export interface Caller {
  readonly user: UserInfo;
  /** Where the request came in: `kube`, `arm`, `rest`, `engine`, `system`. See kernel/cause.ts. */
  readonly surface: string;
  /** Recorded as the actor of a change in place of the name of the user. */
  readonly actor?: string | undefined;
  /** The user who was authenticated, where `user` is impersonated. */
  readonly impersonator?: string | undefined;
  /** 32 hexadecimal digits. A surface may make it when it is first read. */
  readonly traceId?: string | undefined;
  /** The name that the client gave to the request, or the surface. */
  readonly correlationId?: string | undefined;
  /** The surface that they ask through, where parts of the metadata are for it alone to write. */
  readonly through?: string;
  /** Whose share of the server the request uses; left out: that of the namespace it writes to. */
  readonly tenant?: string | undefined;
  warn(text: string): void;
  /**
   * Takes memory for a stored document of so many bytes before work on it, until the request ends.
   * Undefined means at once. Throws, or rejects with, request.overloaded.
   */
  reserveDocument?(bytes: number): Promise<void> | undefined;
  /** Adds to the record of the request in the audit log, where there is one. */
  annotate?(key: string, value: string): void;
  /** Throws when a write that turns out to create the resource is not allowed to. */
  mayCreate?(): void;
  /** Committed with the first write of the request, such as the record of a command. */
  readonly beside?: Beside | undefined;
}

/** Records of a request: they are committed with its first write, or not at all. */
export interface Beside {
  /** The records and their preconditions; none once they are stored. */
  writes(): readonly Write[];
  /** Called when they are stored, with the resource that they were committed with. */
  stored(key: ResourceKey, revision: number): void;
}

export interface Target {
  readonly served: ServedKind;
  readonly version: ServedVersion;
  /** Empty in cluster scope. */
  readonly namespace: string;
  /** Empty for a creation whose name is in the document. */
  readonly name: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
}

/** A write to a second form of a kind is a write of the kind: see kinds/other-form.ts. */
export function storedTarget(target: Target): Target {
  const own = target.served.form?.own;
  return own === undefined ? target : { ...target, served: own, version: own.storage };
}

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions {
  readonly isDryRun: boolean;
  /** Who is recorded as the owner of the fields that this write changes. */
  readonly fieldManager: string;
  /** Its labels and annotations are notes of the server, which nobody sent: nobody owns them. */
  readonly ownsNoNotes?: boolean;
  readonly fieldValidation: FieldValidation;
  /** Of the request; the steps of a large write are separated by turns of the event loop. */
  readonly bodyBytes?: number;
  /** The options that the client named itself, for policies to see. */
  readonly sent?: JsonObject;
  /** The claim of the worker on whose behalf it is written; refused once that is lost. */
  readonly claim?: ClaimRef;
  readonly also?: AlsoWritten;
  /** The unique names that it holds from now on; as before when left out. */
  readonly names?: readonly UniqueName[];
}

/**
 * Records that a surface keeps beside a resource, made of the finished document: they are committed
 * with it or not at all, and with its cause. A race that is lost on one of them counts as lost on
 * the resource.
 */
export type AlsoWritten = (resource: Resource) => readonly Write[] | Promise<readonly Write[]>;

/** What stands in the store after a write, or would stand there after a dry run. */
export interface Written {
  readonly revision: number;
  /** In the storage version, without metadata.resourceVersion. */
  readonly body: Buffer;
  readonly outcome: "created" | "updated" | "unchanged" | "deleted";
}

export function keyOfTarget({ served, namespace, name }: Target): ResourceKey {
  return { kind: served.id, namespace, name };
}
