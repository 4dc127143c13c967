// The write path as people use it, in its simplest form: one change, at once, acknowledged. It does
// what the real one does for the engine: it counts generations, wakes what it writes in the same
// commit, and only marks what a finalizer holds. Housekeeping deletes children of who is gone.

import { decodeDocument } from "../../src/kernel/document.ts";
import { heldWhilePaused } from "../../src/kernel/engine-finalizers.ts";
import { seededIds } from "../../src/kernel/ids.ts";
import type { Ids } from "../../src/kernel/ids.ts";
import { equalJson } from "../../src/kernel/json.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Metadata, Resource, ResourceKey } from "../../src/kernel/resource.ts";
import { timeText } from "../../src/kernel/clock.ts";
import type { Precondition, Write } from "../../src/store/port.ts";
import type { Dice } from "./dice.ts";
import type { SharedStore } from "./shared-store.ts";
import { apiVersion, noteKind, simDraft, simKinds } from "./sim-kinds.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const dueNow = { kind: "wake", afterMs: 0 } as const;

export type Annotations = Readonly<Record<string, string | undefined>>;

export class People {
  readonly #shared: SharedStore;
  readonly #ids: Ids;
  readonly #isAware: () => boolean;

  /** Who is aware that a kind is reconciled wakes what is written. */
  constructor(shared: SharedStore, dice: Dice, isAware: () => boolean) {
    this.#shared = shared;
    this.#ids = seededIds(dice.random);
    this.#isAware = isAware;
  }

  read(key: ResourceKey): Resource | undefined {
    const entry = this.#shared.live(key)?.entry;
    return entry === undefined ? undefined : decodeDocument(entry.body, entry.revision);
  }

  /** All of a kind that are there now, or all of every simulated kind. */
  all(kind?: string): readonly (readonly [ResourceKey, Resource])[] {
    const found: (readonly [ResourceKey, Resource])[] = [];
    for (const { key, entry } of this.#shared.model.state.live.values()) {
      const isWanted = kind === undefined ? key.kind in simKinds : key.kind === kind;
      if (isWanted) found.push([key, decodeDocument(entry.body, entry.revision)]);
    }
    return found;
  }

  /** False when the name is taken. */
  async create(key: ResourceKey, spec: JsonObject, annotated: Annotations = {}): Promise<boolean> {
    if (this.read(key) !== undefined) return false;
    const metadata: Metadata = {
      name: key.name,
      namespace: key.namespace,
      uid: this.#ids.uid(),
      generation: 1,
      creationTimestamp: timeText(this.#shared.nowMs()),
      annotations: withoutAbsent(annotated),
    };
    const resource = { apiVersion, kind: simKinds[key.kind] ?? key.kind, metadata, spec };
    await this.#put(key, resource, { kind: "absent" });
    return true;
  }

  async editSpec(key: ResourceKey, fields: JsonObject): Promise<boolean> {
    return await this.#edit(key, (resource) => {
      const spec = { ...(resource.spec as JsonObject), ...fields };
      if (equalJson(spec, resource.spec)) return resource;
      const generation = resource.metadata.generation + 1;
      return { ...resource, spec, metadata: { ...resource.metadata, generation } };
    });
  }

  async annotate(key: ResourceKey, annotated: Annotations): Promise<boolean> {
    return await this.#edit(key, (resource) => {
      const all = { ...resource.metadata.annotations, ...annotated };
      return {
        ...resource,
        metadata: { ...resource.metadata, annotations: withoutAbsent(all) },
      };
    });
  }

  /** True when there was something that was not yet being deleted. */
  async delete(key: ResourceKey): Promise<boolean> {
    const resource = this.read(key);
    if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return false;
    const marked = deletionOf(key, resource, this.#shared.nowMs());
    await this.#shared.commit(undefined, [this.#isAware() ? marked : withoutWake(marked)]);
    return true;
  }

  async #edit(key: ResourceKey, edit: (resource: Resource) => Resource): Promise<boolean> {
    const resource = this.read(key);
    if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return false;
    await this.#put(key, edit(resource), whenAt(resource));
    return true;
  }

  async #put(key: ResourceKey, resource: Resource, when: Precondition): Promise<void> {
    const { uid } = resource.metadata;
    const draft = simDraft(resource);
    const due = key.kind === noteKind || !this.#isAware() ? {} : { due: dueNow };
    const write: Write = { kind: "put", cause: systemCause, key, uid, draft, when, ...due };
    const [answer] = await this.#shared.commit(undefined, [write]);
    if (answer?.kind === "refused") throw answer.error;
  }
}

export function whenAt({ metadata }: Resource): Precondition {
  return { kind: "revision", revision: Number(metadata.resourceVersion), uid: metadata.uid };
}

/** Gone at once, or marked when somebody holds it, or it is paused. */
export function deletionOf(key: ResourceKey, resource: Resource, nowMs: number): Write {
  const when = whenAt(resource);
  const isReconciled = key.kind !== noteKind;
  const { metadata } = isReconciled ? heldWhilePaused(resource) : resource;
  if ((metadata.finalizers ?? []).length === 0) {
    return { kind: "delete", cause: systemCause, key, when, last: simDraft(resource) };
  }
  const deletionTimestamp = timeText(nowMs);
  const generation = metadata.generation + 1;
  const marked = { ...resource, metadata: { ...metadata, generation, deletionTimestamp } };
  return {
    kind: "put",
    cause: systemCause,
    key,
    uid: metadata.uid,
    draft: simDraft(marked),
    when,
    due: dueNow,
  };
}

function withoutWake(write: Write): Write {
  if (write.kind !== "put") return write;
  const { kind, key, uid, draft, when, cause } = write;
  return { kind, key, uid, draft, when, cause };
}

function withoutAbsent(annotated: Annotations): { readonly [key: string]: string } {
  const kept = Object.entries(annotated).filter((pair): pair is [string, string] => {
    return pair[1] !== undefined;
  });
  return Object.fromEntries(kept);
}
