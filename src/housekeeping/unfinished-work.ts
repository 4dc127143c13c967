// Makes namespaces and definitions due whose work is unfinished and for which no write will do it:
//
// - the default ServiceAccount of a namespace was deleted;
// - a process of an older release, which does this work in loops of its own, was stopped before it
//   was done. Its writes did not make anything due.
//
// Everything is read from the live view, so a server without unfinished work writes nothing.

import { commitWakes, wake } from "../engine/wakes/wakes.ts";
import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { LiveRecord, LiveView } from "../intents/live-view.ts";
import type { Intents } from "../intents/request.ts";
import { every } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";
import { namespacesKind } from "../intents/write/namespace.ts";
import { defaultAccount } from "./namespaces.ts";

const lookMs = 60_000;

export interface UnfinishedWorkInput {
  readonly intents: Intents;
  readonly timers: Timers;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
}

export function unfinishedWork({ intents, timers, log }: UnfinishedWorkInput): LeaderTask {
  const { live, store } = intents;
  return {
    name: "unfinished work",
    lead: async (_claim, signal) => {
      const makeDue = async (records: readonly LiveRecord[]): Promise<void> => {
        const wakes = records.map(({ key, resource }) => wake(key, resource.metadata.uid));
        try {
          await commitWakes(store, wakes, signal);
        } catch (error) {
          // It is tried again at the next look.
          if (!signal.aborted) log.warn({ error }, "unfinished work not scheduled");
        }
      };
      const unfollow = live.follow("serviceaccounts", (account, before) => {
        if (account !== undefined || before?.key.name !== defaultAccount) return;
        const { namespace: name } = before.key;
        const namespace = live.get({ kind: namespacesKind, namespace: "", name });
        if (namespace !== undefined) void makeDue([namespace]);
      });
      try {
        await makeDue(unfinished(live));
        await every(timers, lookMs, async () => await makeDue(unfinished(live)), signal);
      } finally {
        unfollow();
      }
    },
  };
}

function unfinished(live: LiveView): readonly LiveRecord[] {
  const namespaces = [...live.all(namespacesKind)].filter((record) => {
    const key = { kind: "serviceaccounts", namespace: record.key.name, name: defaultAccount };
    return isDeleting(record) || live.get(key) === undefined;
  });
  return [...namespaces, ...[...live.all(definitionsKind)].filter(isDeleting)];
}

function isDeleting({ resource }: LiveRecord): boolean {
  return resource.metadata.deletionTimestamp !== undefined;
}
