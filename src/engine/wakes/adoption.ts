// A reconciler that is added to a store which already has resources of its kind: each must become
// due once, and once more for every higher version of the reconciler. A record says which version
// all of them were woken for. It is also how the follower of the log, wherever it runs, learns that
// the kind is reconciled. Processes with older code may run beside this one and use up the wakes;
// so each is woken again until its status says that the new code has looked at it. May be
// interrupted at any time and done by several at once.

import { isSetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ChangePage, Store } from "../../store/port.ts";
import { untilSeen } from "./until-seen.ts";
import type { IsUnseen, SeenPorts } from "./until-seen.ts";
import { adoptionKind } from "../names.ts";
import type { EnginePorts } from "../ports.ts";
import { engineCause } from "../run/engine-cause.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { commitWakes, wakeAll, WakeSet } from "./wakes.ts";

type AdoptionPorts = Pick<EnginePorts, "store" | "timers" | "log"> & SeenPorts;

export interface AdoptionInput {
  /** The kind id. */
  readonly kind: string;
  readonly version: number;
  /** Whether that version has yet to look at a resource; left out, being woken is enough. */
  readonly isUnseen?: IsUnseen;
}

/** Other processes know within this time that writes of the kind make its resources due. */
const settleMs = 30_000;
const retryMs = 1_000;

/** Resolves when all are woken, or nothing had to be; rejects with the reason when aborted. */
export async function adopt(
  ports: AdoptionPorts,
  input: AdoptionInput,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await tryToAdopt(ports, input, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      ports.log.warn({ kind: input.kind, error }, "not all existing resources were woken");
    }
    await ports.timers.sleep(retryMs, signal);
  }
}

/** The kinds that some process reconciles or has reconciled. */
export async function adoptedKinds(store: Pick<Store, "list">): Promise<readonly string[]> {
  const kinds: string[] = [];
  let page = await store.list({ kind: adoptionKind });
  for (;;) {
    for (const { key } of page.records) kinds.push(key.name);
    if (page.next === undefined) return kinds;
    page = await store.list({ kind: adoptionKind, from: page.next });
  }
}

async function tryToAdopt(
  ports: AdoptionPorts,
  { kind, version, isUnseen }: AdoptionInput,
  signal: AbortSignal,
): Promise<void> {
  const { store, timers } = ports;
  const before = await adoptionOf(store, kind, signal);
  if (before.version < version) {
    if (before.revision === undefined) await putAdoption(store, kind, before);
    const revision = await wakeAll(store, kind, signal);
    await timers.sleep(settleMs, signal);
    await wakeChanged(store, kind, revision, signal);
    const now = await adoptionOf(store, kind, signal);
    if (now.version < version) await putAdoption(store, kind, { ...now, version });
  }
  if (isUnseen === undefined || before.seen >= version) return;
  await untilSeen(ports, kind, isUnseen, signal);
  const now = await adoptionOf(store, kind, signal);
  if (now.seen < version) await putAdoption(store, kind, { ...now, seen: version });
}

/** What was written meanwhile by a process that did not know yet. */
async function wakeChanged(
  store: Store,
  kind: string,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  const wakes = new WakeSet();
  const kinds = [kind];
  let page: ChangePage | undefined;
  try {
    do {
      const from = page?.through ?? after;
      page = await unlessAborted(store.changes(from, undefined, { kinds }), signal);
      for (const { type, key, uid } of page.changes) if (type !== "deleted") wakes.add(key, uid);
    } while (page.through < page.revision);
  } catch (error) {
    if (!isSetpointError(error, "history.gone")) throw error;
    await wakeAll(store, kind, signal);
    return;
  }
  await commitWakes(store, wakes.writes(), signal);
}

function adoptionKey(kind: string): ResourceKey {
  return { kind: adoptionKind, namespace: "", name: kind };
}

const noVersion = -1;

interface Adoption {
  /** The version that all resources were woken for. */
  readonly version: number;
  /** The version that has looked at all of them. */
  readonly seen: number;
  /** Of the record; undefined while there is none. */
  readonly revision: number | undefined;
}

async function adoptionOf(
  store: Pick<Store, "get">,
  kind: string,
  signal: AbortSignal,
): Promise<Adoption> {
  const record = await unlessAborted(store.get(adoptionKey(kind)), signal);
  if (record === undefined) return { version: noVersion, seen: noVersion, revision: undefined };
  const stored = parseExact(record.body.toString("utf8")) as Partial<Adoption>;
  const { version = noVersion, seen = version } = stored;
  return { version, seen, revision: record.revision };
}

async function putAdoption(
  store: Pick<Store, "commit">,
  kind: string,
  { version, seen, revision }: Adoption,
): Promise<void> {
  const text = JSON.stringify({
    apiVersion: "setpoint.dev/v1",
    kind: "Adoption",
    metadata: { name: kind },
    version,
    seen,
  });
  const [answer] = await store.commit([
    {
      kind: "put",
      key: adoptionKey(kind),
      uid: "adoption",
      draft: { body: Buffer.from(text), terms: [], secrets: [] },
      when: revision === undefined ? { kind: "absent" } : { kind: "revision", revision },
      cause: engineCause,
    },
  ]);
  if (answer?.kind === "refused") throw answer.error;
}
