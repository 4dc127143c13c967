// Operations that were accepted or asked for lately, as far as this process knows them: what they
// are about, and of those that it accepted itself also how they were recorded and what became of
// their resources since, so that who asks for one a moment later is told without looking into what
// was just written. Bounded; what is forgotten is read from the store.

import { isSameKey } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { SeenChange } from "./awaited-changes.ts";
import { operationKind } from "../face.ts";
import type { OperationSpec } from "./record.ts";
import { RecentMap } from "../recent-map.ts";

export interface FollowedOperation {
  /** The resource. */
  readonly about: ResourceKey;
  /** Of one that this process accepted. */
  readonly spec?: OperationSpec;
  accepted?: AcceptedAt;
  /** The last change of the resource; that of the acceptance may be among them. */
  latest?: SeenChange;
}

/** The commit of an operation that goes on after it. */
export interface AcceptedAt {
  /** Of the resource; the record is the next change of the log. */
  readonly revision: number;
  readonly ms: number;
  /** As it was written then; unless it is large. */
  readonly document?: AcceptedDocument | undefined;
}

export interface AcceptedDocument {
  readonly body: Buffer;
  readonly resource: Resource;
}

export interface Observation extends Disposable {
  readonly about: ResourceKey;
  /** The last change since the observation began; unless it is large. */
  latest: SeenChange | undefined;
}

/** Of the documents above, which are kept until their ends are told. */
const mostDocumentBytes = 8_192;
/** What is larger is not kept in memory for somebody who may ask. */
const mostBytes = 65_536;

export class FollowedOperations {
  /** By their names, which no two have, so that no text is made for each question. */
  readonly #recent: RecentMap<FollowedOperation>;
  /** Those of this process by the name of the resource, of which few are the same. */
  readonly #byName: RecentMap<FollowedOperation>;

  /** Of commits that are running, by the name of the resource. */
  readonly #observed = new Map<string, Set<Observation>>();

  constructor(most: number) {
    this.#recent = new RecentMap(most);
    this.#byName = new RecentMap(most);
  }

  get(key: ResourceKey): FollowedOperation | undefined {
    const known = this.#recent.get(key.name);
    return known?.about.namespace === key.namespace ? known : undefined;
  }

  /** One that this process has accepted. What an action was given may be much, and is not kept. */
  begin(key: ResourceKey, spec: OperationSpec, latest?: SeenChange): void {
    const about = spec.resource;
    const followed = {
      about,
      ...(spec.input === undefined ? { spec } : {}),
      ...(latest === undefined ? {} : { latest }),
    };
    this.#recent.set(key.name, followed);
    this.#byName.set(about.name, followed);
  }

  /** Observes the changes of a resource until the result is disposed. */
  observe(about: ResourceKey): Observation {
    const all = this.#observed.get(about.name) ?? new Set();
    const observation: Observation = {
      about,
      latest: undefined,
      [Symbol.dispose]: () => {
        all.delete(observation);
        if (all.size === 0) this.#observed.delete(about.name);
      },
    };
    this.#observed.set(about.name, all.add(observation));
    return observation;
  }

  /** A resource is another than it was, or the record of an operation. */
  changed(change: SeenChange): void {
    if (change.key.kind === operationKind) return this.#recorded(change);
    const isSmall = change.body.length <= mostBytes;
    for (const observation of this.#observed.get(change.key.name) ?? []) {
      if (!isSameKey(observation.about, change.key)) continue;
      observation.latest = isSmall ? change : undefined;
    }
    const followed = this.#byName.get(change.key.name);
    if (followed === undefined || !isSameKey(followed.about, change.key)) return;
    if (isSmall) followed.latest = change;
    // That something has changed is known no more, so nothing is told from memory.
    else delete followed.accepted;
  }

  accepted(key: ResourceKey, at: AcceptedAt): void {
    const known = this.get(key);
    if (known === undefined) return;
    const isLarge = (at.document?.body.length ?? 0) > mostDocumentBytes;
    known.accepted = isLarge ? { ...at, document: undefined } : at;
  }

  /** How an operation ended is in its record from now on. */
  #recorded({ key, type }: SeenChange): void {
    if (type !== "created") delete this.get(key)?.accepted;
  }

  /** Its end was told: who waited for it is done. */
  forget(key: ResourceKey): void {
    const known = this.get(key);
    if (known === undefined) return;
    this.#recent.delete(key.name);
    if (this.#byName.get(known.about.name) === known) this.#byName.delete(known.about.name);
  }

  /** One that was read. */
  seen(key: ResourceKey, about: ResourceKey): void {
    if (this.get(key) === undefined) this.#recent.set(key.name, { about });
  }
}
