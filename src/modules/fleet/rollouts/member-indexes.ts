// The indexes of instances that the running Rollouts of this process need: one for each Offering
// with a running Rollout, opened when a Rollout first asks for it.

import type { LiveView } from "../../../intents/live-view.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { rolloutsKind } from "../names.ts";
import { openMemberIndex } from "./member-index.ts";
import type { MemberIndex, MemberIndexPorts } from "./member-index.ts";
import type { Member } from "./member.ts";
import { runningRollouts } from "./running.ts";

export interface MemberIndexesPorts extends MemberIndexPorts {
  readonly live: Pick<LiveView, "all" | "follow">;
  readonly offerings: Pick<OfferingIndex, "byName">;
}

export interface MemberIndexes extends AsyncDisposable {
  /** Undefined for an unknown Offering. */
  membersOf(offering: string): Promise<readonly Member[]> | undefined;
}

export function openMemberIndexes(ports: MemberIndexesPorts): MemberIndexes {
  const { live, offerings } = ports;
  /** By Offering. */
  const open = new Map<string, MemberIndex>();
  const ending = new Set<Promise<void>>();
  const close = (name: string): void => {
    const end = Promise.resolve(open.get(name)?.[Symbol.asyncDispose]());
    open.delete(name);
    ending.add(end);
    void end.then(() => ending.delete(end));
  };
  const unfollow = live.follow(rolloutsKind, () => {
    const needed = new Set([...runningRollouts(live)].map(({ rollout }) => rollout.offering));
    for (const name of open.keys()) if (!needed.has(name)) close(name);
  });
  const indexOf = (name: string, kind: string): MemberIndex => {
    const known = open.get(name);
    if (known?.kind === kind) return known;
    close(name);
    const index = openMemberIndex(ports, kind);
    open.set(name, index);
    return index;
  };
  return {
    membersOf: (name) => {
      const offering = offerings.byName(name);
      return offering && indexOf(name, instanceKindId(offering)).all();
    },
    [Symbol.asyncDispose]: async () => {
      unfollow();
      for (const name of open.keys()) close(name);
      await Promise.all(ending);
    },
  };
}
