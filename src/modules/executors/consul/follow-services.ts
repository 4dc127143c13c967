// Wakes ConsulServices when the health of their service changes. One process at a time holds a
// blocking query for each service of each ConsulServer that a ConsulService names. A query that
// fails is repeated after a growing pause; ConsulServices are also compared from time to time, so a
// lost query delays a change and loses none.

import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { ModuleLog } from "../../../contract/ports.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { LiveRecord, LiveView } from "../../../intents/live-view.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { onAbort } from "../../../kernel/on-abort.ts";
import type { Random } from "../../../kernel/random.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Store } from "../../../store/port.ts";
import { executorLimits } from "../limits.ts";
import type { ConsulClient, OpenConsul } from "./client.ts";
import { consulAccess } from "./consul-access.ts";
import { consulServersKind, consulServicesKind } from "./consul-kinds.ts";
import { queryOf } from "./service-reconciler.ts";

export interface FollowServicesInput {
  readonly openConsul: OpenConsul;
  readonly live: Pick<LiveView, "get" | "follow">;
  readonly store: Pick<Store, "commit">;
  /** Reads stored resources, such as the Secret with the token. */
  readonly references: Context["references"];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: ModuleLog;
}

export function followServices(input: FollowServicesInput): LeaderTask {
  return {
    name: "health of Consul services",
    lead: async (_claim, signal) => {
      const followed = new Map<string, Followed>();
      const running = new Set<Promise<void>>();
      const judge = (after: LiveRecord | undefined, before: LiveRecord | undefined): void => {
        if (before !== undefined) leave(followed, before);
        if (after === undefined || after.resource.metadata.deletionTimestamp !== undefined) return;
        const group = join(followed, after);
        if (group.isRunning) return;
        group.isRunning = true;
        const work = follow(input, group, AbortSignal.any([signal, group.stop.signal]));
        const ended: Promise<void> = work.finally(() => running.delete(ended));
        running.add(ended);
      };
      const unfollow = input.live.follow(consulServicesKind, judge);
      const stopped = Promise.withResolvers<void>();
      onAbort(signal, () => stopped.resolve());
      if (signal.aborted) stopped.resolve();
      await stopped.promise;
      unfollow();
      await Promise.all(running);
    },
  };
}

/** The ConsulServices with the same query. */
interface Followed {
  readonly service: Resource;
  readonly keys: Map<string, ResourceKey>;
  readonly stop: AbortController;
  isRunning: boolean;
}

function groupOf({ resource }: LiveRecord): string {
  const {
    server = "",
    service = "",
    tag = "",
    datacenter = "",
  } = resource.spec as {
    readonly [field: string]: string;
  };
  return JSON.stringify([server, service, tag, datacenter]);
}

function join(followed: Map<string, Followed>, record: LiveRecord): Followed {
  const group = groupOf(record);
  const found = followed.get(group) ?? {
    service: record.resource,
    keys: new Map<string, ResourceKey>(),
    stop: new AbortController(),
    isRunning: false,
  };
  found.keys.set(keyText(record.key), record.key);
  followed.set(group, found);
  return found;
}

function leave(followed: Map<string, Followed>, record: LiveRecord): void {
  const group = groupOf(record);
  const found = followed.get(group);
  found?.keys.delete(keyText(record.key));
  if (found === undefined || found.keys.size > 0) return;
  // A change of the status leaves and joins at once: the query goes on.
  queueMicrotask(() => {
    if (found.keys.size > 0 || followed.get(group) !== found) return;
    found.stop.abort();
    followed.delete(group);
  });
}

async function follow(
  input: FollowServicesInput,
  group: Followed,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let index = 0;
  while (!signal.aborted) {
    try {
      const next = await queryOnce(input, group, index, signal);
      if (next !== index) await wakeAll(input, group, signal);
      failures = 0;
      index = next;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      index = 0;
      const server = textAt(group.service, "spec", "server");
      input.log.debug({ error, server }, "query of the health of a service failed");
      await pause(input, failures, signal);
    }
  }
}

async function queryOnce(
  input: FollowServicesInput,
  { service }: Followed,
  index: number,
  signal: AbortSignal,
): Promise<number> {
  const name = textAt(service, "spec", "server");
  const server = input.live.get({ kind: consulServersKind, namespace: "", name })?.resource;
  if (server === undefined) throw new Error("the ConsulServer does not exist");
  const access = await consulAccess(server, input);
  const outside: Context["outside"] = async (_system, call) => await call(signal);
  const client: ConsulClient = input.openConsul(access, { outside, clock: input.clock });
  const { index: answered } = await client.health(queryOf(service, index));
  if (answered === 0) throw new Error("the server sent no index");
  return nextIndex(index, answered);
}

/** An index that goes backwards starts again at the beginning. */
export function nextIndex(before: number, answered: number): number {
  return answered < before ? 0 : answered;
}

async function wakeAll(
  { store }: FollowServicesInput,
  { keys }: Followed,
  signal: AbortSignal,
): Promise<void> {
  const wakes = [...keys.values()].map((key) => wake(key, undefined));
  await commitWakes(store, wakes, signal);
}

async function pause(
  { timers, random }: FollowServicesInput,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { consulRetryFirstMs, consulRetryMostMs } = executorLimits;
  const waitMs = Math.min(consulRetryMostMs, consulRetryFirstMs * 2 ** Math.min(failures, 10));
  await timers.sleep(waitMs * (0.75 + random.next() / 4), signal).catch(() => undefined);
}
