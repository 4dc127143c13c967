// Operations that were accepted or asked for lately, as far as this process knows them: what they
// are about, and of those that it accepted itself also how they were recorded, so that who asks
// for one a moment later is told without looking into what was just written. Bounded; what is
// forgotten is read from the store.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { OperationSpec } from "./operations.ts";
import { RecentMap } from "./recent-map.ts";

export interface FollowedOperation {
  /** The resource. */
  readonly about: ResourceKey;
  /** Of one that this process accepted. */
  readonly spec?: OperationSpec;
  accepted?: AcceptedAt;
}

/** The commit of an operation that goes on after it. */
export interface AcceptedAt {
  /** Of the resource; the record is the next change of the log. */
  readonly revision: number;
  readonly ms: number;
}

export class FollowedOperations {
  readonly #recent: RecentMap<FollowedOperation>;

  constructor(most: number) {
    this.#recent = new RecentMap(most);
  }

  get(key: ResourceKey): FollowedOperation | undefined {
    return this.#recent.get(followedAs(key));
  }

  /** One that is written now. What an action was given may be much, and is not kept. */
  begin(key: ResourceKey, about: ResourceKey, spec: OperationSpec): void {
    this.#recent.set(followedAs(key), spec.input === undefined ? { about, spec } : { about });
  }

  accepted(key: ResourceKey, at: AcceptedAt): void {
    const known = this.get(key);
    if (known !== undefined) known.accepted = at;
  }

  /** Its end was told: who waited for it is done. */
  forget(key: ResourceKey): void {
    this.#recent.delete(followedAs(key));
  }

  /** One that was read. */
  seen(key: ResourceKey, about: ResourceKey): void {
    if (this.get(key) === undefined) this.#recent.set(followedAs(key), { about });
  }
}

function followedAs({ namespace, name }: ResourceKey): string {
  return `${namespace}/${name}`;
}
