// A reconciler that is added to a store which already has resources of its kind: each must become
// due once, and once more for every higher version of the reconciler. A record says which version
// all of them were woken for. It is also how the follower of the log, wherever it runs, learns that
// the kind is reconciled. May be interrupted at any time and done by several at once.

import { isSetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ChangePage, Store, StoredRecord } from "../../store/port.ts";
import { adoptionKind } from "../names.ts";
import type { EnginePorts } from "../ports.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { commitWakes, wakeAll, WakeSet } from "./wakes.ts";

type AdoptionPorts = Pick<EnginePorts, "store" | "timers" | "log">;

export interface AdoptionInput {
  /** The kind id. */
  readonly kind: string;
  readonly version: number;
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
      ports.log.warn({ kind: input.kind, error }, "existing resources could not all be woken yet");
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
  { store, timers }: AdoptionPorts,
  { kind, version }: AdoptionInput,
  signal: AbortSignal,
): Promise<void> {
  const before = await unlessAborted(store.get(adoptionKey(kind)), signal);
  if (versionOf(before) >= version) return;
  if (before === undefined) await putAdoption(store, kind, before, noVersion);
  const revision = await wakeAll(store, kind, signal);
  await timers.sleep(settleMs, signal);
  await wakeChanged(store, kind, revision, signal);
  const now = await unlessAborted(store.get(adoptionKey(kind)), signal);
  if (versionOf(now) < version) await putAdoption(store, kind, now, version);
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

/** The version that all resources were woken for. */
function versionOf(record: StoredRecord | undefined): number {
  if (record === undefined) return noVersion;
  return (JSON.parse(record.body.toString("utf8")) as { readonly version: number }).version;
}

async function putAdoption(
  store: Pick<Store, "commit">,
  kind: string,
  before: StoredRecord | undefined,
  version: number,
): Promise<void> {
  const text = JSON.stringify({
    apiVersion: "setpoint.dev/v1",
    kind: "Adoption",
    metadata: { name: kind },
    version,
  });
  const [answer] = await store.commit([
    {
      kind: "put",
      key: adoptionKey(kind),
      uid: "adoption",
      draft: { body: Buffer.from(text), terms: [], secrets: [] },
      when:
        before === undefined ? { kind: "absent" } : { kind: "revision", revision: before.revision },
    },
  ]);
  if (answer?.kind === "refused") throw answer.error;
}
