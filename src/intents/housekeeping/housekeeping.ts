// What the server does by itself so that its own kinds keep their promises: namespaces and
// definitions that are deleted come to an end, every namespace has its default service account,
// old events go. Every process does this; each step is harmless when another was faster.

import { every } from "../../kernel/timers.ts";
import type { Timers } from "../../kernel/timers.ts";
import { ensure } from "../bootstrap.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { Intents } from "../request.ts";
import { endDefinition } from "./definition-cleanup.ts";
import { removeOldEvents } from "./event-expiry.ts";
import { keyedWorker } from "./keyed-worker.ts";
import { endNamespace } from "./namespace-deletion.ts";

export interface HousekeepingInput {
  readonly intents: Intents;
  readonly timers: Timers;
  readonly onError: (error: unknown, task: string) => void;
}

const eventSweepMs = 300_000;

export function startHousekeeping({
  intents,
  timers,
  onError,
}: HousekeepingInput): AsyncDisposable {
  const worker = keyedWorker({
    timers,
    onError,
    work: async (key) => {
      const [task = "", name = ""] = key.split(" ");
      switch (task) {
        case "namespace":
          return await endNamespace(intents, name);
        case "account":
          return await ensureDefaultAccount(intents, name);
        default:
          return await endDefinition(intents, name);
      }
    },
  });
  intents.live.follow("namespaces", (namespace) => {
    if (namespace === undefined) return;
    const { name, deletionTimestamp } = namespace.resource.metadata;
    worker.add(deletionTimestamp === undefined ? `account ${name}` : `namespace ${name}`);
  });
  intents.live.follow("serviceaccounts", (account, before) => {
    if (account === undefined && before?.key.name === "default") {
      worker.add(`account ${before.key.namespace}`);
    }
  });
  intents.live.follow(definitionsKind, (definition) => {
    if (definition?.resource.metadata.deletionTimestamp === undefined) return;
    worker.add(`definition ${definition.key.name}`);
  });
  const stop = new AbortController();
  const sweeping = sweepEvents(intents, timers, stop.signal, onError);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all([worker[Symbol.asyncDispose](), sweeping]);
    },
  };
}

async function ensureDefaultAccount(intents: Intents, namespace: string): Promise<undefined> {
  const record = intents.live.get({ kind: "namespaces", namespace: "", name: namespace });
  if (record === undefined || record.resource.metadata.deletionTimestamp !== undefined) return;
  const metadata = { name: "default", namespace };
  await ensure(intents, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}

async function sweepEvents(
  intents: Intents,
  timers: Timers,
  signal: AbortSignal,
  onError: (error: unknown, task: string) => void,
): Promise<void> {
  const sweep = async (): Promise<void> => {
    try {
      await removeOldEvents(intents);
    } catch (error) {
      if (!signal.aborted) onError(error, "events");
    }
  };
  await every(timers, eventSweepMs, sweep, signal);
}
