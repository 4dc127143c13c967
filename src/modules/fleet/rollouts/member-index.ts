/**
 * The instances of one kind as this process knows them, for Rollouts. It is opened while a Rollout
 * of the Offering runs, because it reads every instance once. It lags behind the commits: `all`
 * first waits until it shows everything that was committed before the call.
 */
import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { followKind } from "../../../intents/watch/follow-kind.ts";
import type { FollowKindInput } from "../../../intents/watch/follow-kind.ts";
import { readMember } from "./member.ts";
import type { Member } from "./member.ts";

export interface MemberIndexPorts extends Pick<FollowKindInput<Member>, "timers" | "onError"> {
  readonly store: Pick<Store, "list">;
  readonly feed: Pick<ChangeFeed, "subscribe" | "reached">;
}

export interface MemberIndex extends AsyncDisposable {
  readonly kind: string;
  /** Everything that was committed before the call. */
  all(): Promise<readonly Member[]>;
}

export function openMemberIndex(ports: MemberIndexPorts, kind: string): MemberIndex {
  const { store, feed } = ports;
  const members = new Map<string, Member>();
  const followed = followKind<Member>({
    ...ports,
    kind,
    read: (resource) => readMember(kind, resource),
    onChange: (key, after) => {
      if (after === undefined) members.delete(keyText(key));
      else members.set(keyText(key), after);
    },
  });
  return {
    kind,
    all: async () => {
      await followed.loaded;
      // The revision of a list is the newest in any process.
      const { revision } = await store.list({ kind, limit: 1 });
      await feed.reached(revision);
      return [...members.values()];
    },
    [Symbol.asyncDispose]: () => followed[Symbol.asyncDispose](),
  };
}
