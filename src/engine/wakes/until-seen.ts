// Wakes what the new version of a reconciler has not looked at yet, until it has. In a rolling
// upgrade older processes run beside the new ones: they take what was woken for the new code, give
// it back as settled, and nothing would ever say that it is still to be looked at. The status says
// which version ran last, so each resource is woken again, ever more seldom, until that is the new
// one. What would not be run anyway, as it is paused for one, is not waited for.

import { limits } from "../../kernel/limits.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { EnginePorts, Resources } from "../ports.ts";
import { readRecord } from "../run/read-record.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { commitWakes, spreadWakes } from "./wakes.ts";

export type SeenPorts = Pick<EnginePorts, "store" | "timers" | "log"> & {
  readonly resources?: Pick<Resources, "read">;
};

export type IsUnseen = (resource: Resource) => boolean;

interface Named {
  readonly key: ResourceKey;
  readonly uid: string;
}

/** The first look comes when all that was woken has become due. */
const firstPauseMs = 60_000;
const lastPauseMs = 300_000;

export async function untilSeen(
  ports: SeenPorts,
  kind: string,
  isUnseen: IsUnseen,
  signal: AbortSignal,
): Promise<void> {
  const { store, timers, log } = ports;
  let pauseMs = firstPauseMs;
  await timers.sleep(pauseMs, signal);
  let left = await unseenOfKind(ports, kind, isUnseen, signal);
  while (left.length > 0) {
    log.info({ kind, left: left.length }, "resources woken again for the new reconciler");
    await commitWakes(store, spreadWakes(left), signal);
    await timers.sleep(pauseMs, signal);
    pauseMs = Math.min(lastPauseMs, pauseMs * 2);
    left = await stillUnseen(ports, left, isUnseen, signal);
  }
}

async function unseenOfKind(
  ports: SeenPorts,
  kind: string,
  isUnseen: IsUnseen,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const { store } = ports;
  const limit = limits.defaultPageItems;
  const found: Named[] = [];
  let page = await unlessAborted(store.list({ kind, limit }), signal);
  for (;;) {
    found.push(...(await unseenIn(ports, page.records, isUnseen)));
    if (page.next === undefined) return found;
    page = await unlessAborted(store.list({ kind, limit, from: page.next }), signal);
  }
}

async function stillUnseen(
  ports: SeenPorts,
  named: readonly Named[],
  isUnseen: IsUnseen,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (let at = 0; at < named.length; at += limits.defaultPageItems) {
    const keys = named.slice(at, at + limits.defaultPageItems).map(({ key }) => key);
    const records = await unlessAborted(ports.store.getMany(keys), signal);
    found.push(...(await unseenIn(ports, records, isUnseen)));
  }
  return found;
}

async function unseenIn(
  { resources = {}, log }: SeenPorts,
  records: readonly (StoredRecord | undefined)[],
  isUnseen: IsUnseen,
): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (const record of records) {
    if (record === undefined) continue;
    const { key, uid } = record;
    try {
      if (isUnseen(await readRecord(resources, record))) found.push({ key, uid });
    } catch (error) {
      // Whoever claims it says the same, and no version can look at it.
      log.debug({ error, key }, "resource not readable, not woken again");
    }
  }
  return found;
}
