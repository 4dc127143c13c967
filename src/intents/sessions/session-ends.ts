// Ends the running requests of a session that has ended, such as its streams, on every server: each
// follows the log.

import type { ChangeFeed } from "../watch/change-feed.ts";
import { sessionKind } from "./own-record.ts";
import { shownSession } from "./session-authentication.ts";

export interface SessionEnds extends Disposable {
  /** Calls `end` when the session has ended, until the returned function is called. */
  follow(shown: string, end: () => void): () => void;
}

export function followSessionEnds(feed: Pick<ChangeFeed, "subscribe">): SessionEnds {
  const followers = new Map<string, Set<() => void>>();
  const unsubscribe = feed.subscribe((changes) => {
    if (followers.size === 0) return;
    for (const { type, key } of changes) {
      if (type !== "deleted" || key.kind !== sessionKind) continue;
      const shown = shownSession(key.name);
      const ends = followers.get(shown);
      followers.delete(shown);
      for (const end of ends ?? []) end();
    }
  });
  return {
    follow: (shown, end) => {
      const ends = followers.get(shown) ?? new Set();
      followers.set(shown, ends.add(end));
      return () => {
        ends.delete(end);
        if (ends.size === 0 && followers.get(shown) === ends) followers.delete(shown);
      };
    },
    [Symbol.dispose]: unsubscribe,
  };
}
