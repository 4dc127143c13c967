// The place in the log up to which others were woken, kept in one record. Who holds the claim on it
// is the one process that follows the log; the others stand by and take over when the lease ends or
// is handed back. Writes of the place name the claim, so a holder that lost it cannot turn it back.

import { isSetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Claim, ClaimRef, DueChange, Put, Store } from "../../store/port.ts";
import { cursorKind } from "../names.ts";
import type { EnginePorts } from "../ports.ts";
import { engineCause } from "../run/engine-cause.ts";
import { unlessAborted } from "../run/unless-aborted.ts";

export interface Place {
  /** Everything up to here was dealt with. */
  readonly revision: number;
  /** False: something may have been missed before it, so everything has to be woken once. */
  readonly isComplete: boolean;
}

type CursorPorts = Pick<EnginePorts, "store" | "timers">;

export const followerLeaseMs = 10_000;
/** The holder gives up this much before the lease ends by its own timer. */
const marginMs = 1_000;
/** How often those who stand by look whether the claim was handed back, while there is traffic. */
const standByMs = 1_000;
const soonestMs = 20;

const key: ResourceKey = { kind: cursorKind, namespace: "", name: "wake-ups" };
const uid = "wake-ups";

/** Resolves once this process holds the cursor, however long that takes. */
export async function claimCursor(
  { store, timers }: CursorPorts,
  owner: string,
  signal: AbortSignal,
): Promise<Claim> {
  for (;;) {
    const tick = store.workTick();
    const request = { owner, kinds: [cursorKind], limit: 1, leaseMs: followerLeaseMs };
    const [claim] = await unlessAborted(store.claim(request), signal);
    if (claim !== undefined) return claim;
    const dueMs = await unlessAborted(store.nextDue([cursorKind]), signal);
    if (dueMs === undefined) await unlessAborted(makeDue(store), signal);
    let leftMs = Math.max(dueMs ?? 0, soonestMs);
    do {
      const stepMs = Math.min(leftMs, standByMs);
      await timers.sleep(stepMs, signal);
      leftMs -= stepMs;
    } while (leftMs > 0 && store.workTick() === tick);
  }
}

export async function readPlace(store: Pick<Store, "get">): Promise<Place> {
  const record = await store.get(key);
  if (record === undefined) return { revision: 0, isComplete: false };
  const { revision, isComplete } = parseExact(record.body.toString("utf8")) as Place;
  return { revision, isComplete };
}

/** Stores the place; with `isLast` the claim is handed back as well. */
export async function writePlace(
  store: Pick<Store, "commit">,
  claim: ClaimRef,
  place: Place,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<void> {
  const due: DueChange = { kind: "release", afterMs: 0, attempts: "reset" };
  const put: Put = {
    ...placed(place),
    when: { kind: "exists" },
    claim: { key: claim.key, token: claim.token },
    ...(isLast ? { due } : {}),
  };
  const [answer] = await store.commit([put]);
  if (answer?.kind === "refused") throw answer.error;
}

/** Renews the claim until aborted; rejects when it was lost, or may have been. */
export async function keepCursor(
  { store, timers }: CursorPorts,
  claim: ClaimRef,
  signal: AbortSignal,
): Promise<void> {
  const lost = Promise.withResolvers<never>();
  const arm = (): (() => void) =>
    timers.after(followerLeaseMs - marginMs, () => lost.reject(new Error("the lease expired")));
  let disarm = arm();
  const renew = async (): Promise<void> => {
    // Counted from before the call, as the store may have renewed it right then.
    const disarmNext = arm();
    try {
      const renewal = await store.renew([claim], followerLeaseMs);
      if (renewal.lost.length > 0) lost.reject(new Error("the claim was lost"));
      disarm();
      disarm = disarmNext;
    } catch {
      disarmNext();
    }
  };
  const renewing = (async () => {
    for (;;) {
      await timers.sleep(followerLeaseMs / 3, signal);
      await renew();
    }
  })();
  try {
    await unlessAborted(Promise.race([renewing, lost.promise]), signal);
  } finally {
    disarm();
  }
}

/** Creates the record, or makes it due should it be settled. */
async function makeDue(store: Pick<Store, "head" | "commit">): Promise<void> {
  // What happened before was not followed: references and children may have changed by then.
  const { revision } = await store.head();
  const due: DueChange = { kind: "wake", afterMs: 0 };
  const [made] = await store.commit([
    { ...placed({ revision, isComplete: false }), when: { kind: "absent" }, due },
  ]);
  if (made?.kind !== "refused") return;
  if (!isSetpointError(made.error, "resource.already_exists")) throw made.error;
  await store.commit([{ kind: "schedule", key, when: { kind: "exists" }, due }]);
}

function placed({
  revision,
  isComplete,
}: Place): Pick<Put, "kind" | "key" | "uid" | "draft" | "cause"> {
  const text = JSON.stringify({
    apiVersion: "setpoint.dev/v1",
    kind: "Cursor",
    metadata: { name: key.name },
    revision,
    isComplete,
  });
  const draft = { body: Buffer.from(text), terms: [], secrets: [] };
  return { kind: "put", key, uid, draft, cause: engineCause };
}
