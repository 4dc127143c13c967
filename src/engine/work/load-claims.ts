// Reads what was claimed and did not come along with its claim, all of a batch in one go. A claim
// without its document is of no use, so it is tried again for as long as one of the leases lasts. A
// document that cannot be read harms nobody but itself.

import type { Resource } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { EnginePorts } from "../ports.ts";
import { readRecord } from "../run/read-record.ts";
import type { Run } from "../run/run.ts";

export interface Claimed {
  readonly run: Run;
  /** The document at the revision of the claim, where it came along. */
  readonly body: Buffer | undefined;
}

export type Loaded =
  | { readonly kind: "found"; readonly resource: Resource; readonly revision: number }
  /** Not there any more, or another one of the same name: with it the claim went as well. */
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly error: unknown };

const firstRetryMs = 50;
const lastRetryMs = 2_000;
const gone: Loaded = { kind: "gone" };

/** In the order of the claims; undefined when there was no way, or no reason any more. */
export async function loadClaims(
  { store, resources, log, timers }: EnginePorts,
  claimed: readonly Claimed[],
  isStopping: () => boolean,
): Promise<readonly Loaded[] | undefined> {
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
    try {
      const missing = claimed.flatMap(({ run, body }) => (body === undefined ? [run.key] : []));
      const read = missing.length === 0 ? [] : await store.getMany(missing);
      let next = 0;
      // All are begun before the first is waited for.
      const begun = claimed.map(({ run, body }) =>
        load(resources, run, body === undefined ? read[next++] : recordOf(run, body)),
      );
      const loaded: Loaded[] = [];
      for (const one of begun) loaded.push(isPromise(one) ? await one : one);
      return loaded;
    } catch (error) {
      log.warn({ error, claims: claimed.length }, "claimed resources not read");
    }
    await timers.sleep(delayMs);
    if (isStopping() || claimed.every(({ run }) => run.isLost)) return undefined;
  }
}

function recordOf({ key, claim: { uid, revision } }: Run, body: Buffer): StoredRecord {
  return { key, uid, revision, body };
}

/** Nearly always known at once: only a conversion by others takes its time. */
function load(
  resources: EnginePorts["resources"],
  run: Run,
  record: StoredRecord | undefined,
): Loaded | Promise<Loaded> {
  if (record === undefined || record.uid !== run.uid) return gone;
  const { revision } = record;
  try {
    const resource = readRecord(resources, record);
    if (!isPromise(resource)) return { kind: "found", resource, revision };
    return resource.then(
      (converted): Loaded => ({ kind: "found", resource: converted, revision }),
      (error: unknown): Loaded => ({ kind: "unreadable", error }),
    );
  } catch (error) {
    return { kind: "unreadable", error };
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}
