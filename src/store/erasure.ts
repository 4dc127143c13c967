/**
 * Erasure: removes values from earlier states before compaction removes the states. The log keeps
 * its changes, so revisions stay gapless and followers miss nothing. An erased change is read
 * `unopened` with `secret.erased`: its secrets are null, or all that is left is its identity.
 *
 * What is current is never erased. Each erasure that changed something is a record in the log, so
 * that every process drops the copies in its memory (recent-log.ts).
 */
import { SetpointError } from "../kernel/errors.ts";
import { parseExact } from "../kernel/int64.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Json, MutableJsonObject } from "../kernel/json.ts";
import { systemCause } from "../kernel/cause.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { checkKey } from "./arguments.ts";
import type { Change, Precondition, Put, Store } from "./port.ts";

export interface Erasure {
  /**
   * Erases in slices and returns the number of changes that it erased. A second call with the same
   * request finds nothing. `store.read_only` on a store that was opened for reading.
   */
  erase(request: EraseRequest, signal?: AbortSignal): Promise<number>;
}

export type EraseRequest =
  /** Secrets of resources that were deleted at least `minAgeMs` ago, by the database's clock. */
  | { readonly kind: "deleted"; readonly minAgeMs: number; readonly namespace?: string }
  /** The documents of all states of this key but the current one, earlier lives included. */
  | { readonly kind: "earlier"; readonly key: ResourceKey };

/** One change to erase; without a document only its secrets are erased. */
export interface ErasedChange {
  readonly revision: number;
  readonly document?: Buffer;
}

/** A part of the sealed changes: those to erase, and where to continue; undefined at the end. */
export interface DeletedPage {
  readonly revisions: readonly number[];
  readonly next: number | undefined;
}

/** What each implementation does itself. */
export interface ErasureParts {
  deleted(after: number, minAgeMs: number, namespace: string | undefined): Promise<DeletedPage>;
  /** Returns how many of them were not erased before and are not current. */
  write(changes: readonly ErasedChange[]): Promise<number>;
}

/** No surface serves it. */
export const erasureKind = "erasures.setpoint.dev";
const recordKey: ResourceKey = { kind: erasureKind, namespace: "", name: "last" };
const historyItems = 100;

type Erasable = Pick<Store, "commit" | "getMany" | "head" | "history">;

export async function eraseWith(
  store: Erasable,
  parts: ErasureParts,
  request: EraseRequest,
  signal?: AbortSignal,
): Promise<number> {
  checkRequest(request);
  const pages = request.kind === "deleted" ? deletedOf(parts, request) : earlierOf(store, request);
  let erased = 0;
  for await (const changes of pages) {
    signal?.throwIfAborted();
    if (changes.length > 0) erased += await parts.write(changes);
  }
  if (erased > 0) await recordErasure(store, erased);
  return erased;
}

function checkRequest(request: EraseRequest): void {
  if (request.kind === "earlier") return checkKey(request.key);
  const { minAgeMs } = request;
  if (Number.isSafeInteger(minAgeMs) && minAgeMs >= 0) return;
  throw new SetpointError("request.invalid", "minAgeMs must be a whole number from 0 on", {
    details: { field: "minAgeMs" },
  });
}

async function* deletedOf(
  parts: ErasureParts,
  { minAgeMs, namespace }: Extract<EraseRequest, { kind: "deleted" }>,
): AsyncIterable<readonly ErasedChange[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: DeletedPage = await parts.deleted(after, minAgeMs, namespace);
    yield page.revisions.map((revision) => ({ revision }));
    after = page.next;
  }
}

async function* earlierOf(
  store: Erasable,
  { key }: Extract<EraseRequest, { kind: "earlier" }>,
): AsyncIterable<readonly ErasedChange[]> {
  const [present] = await store.getMany([key]);
  let oldest: Change | undefined;
  for (;;) {
    const before = oldest?.revision ?? Number.MAX_SAFE_INTEGER;
    const page = await store.history(key, { before, limit: historyItems });
    if (page.length === 0) break;
    oldest = page.at(-1);
    yield page
      .filter(({ revision }) => revision !== present?.revision)
      .map(({ revision, body }) => ({ revision, document: identityOf(body) }));
  }
  // The state that was current at the mark of compaction is in snapshots, not in the history.
  if (oldest?.previous === undefined) return;
  yield [{ revision: oldest.previous, document: identityOf(oldest.body) }];
}

const identityFields = ["name", "namespace", "uid", "creationTimestamp"] as const;

/** The part of a document that names the resource and says nothing about it. */
function identityOf(body: Buffer): Buffer {
  const document = parseExact(body.toString("utf8")) as Json;
  const { apiVersion, kind, metadata } = isJsonObject(document) ? document : {};
  const kept: MutableJsonObject = {};
  if (isJsonObject(metadata)) {
    for (const field of identityFields) {
      const value = metadata[field];
      if (typeof value === "string") kept[field] = value;
    }
  }
  return Buffer.from(JSON.stringify({ apiVersion, kind, metadata: kept }));
}

async function recordErasure(store: Erasable, changes: number): Promise<void> {
  const { revision } = await store.head();
  const body = Buffer.from(JSON.stringify({ changes, head: revision }));
  const conditions: readonly Precondition[] = [{ kind: "exists" }, { kind: "absent" }];
  for (let attempt = 0; ; attempt += 1) {
    const when = conditions[attempt % 2] ?? { kind: "exists" };
    const [answer] = await store.commit([recordOf(body, when)]);
    if (answer?.kind !== "refused") return;
    // Another process may have written the first record between two attempts.
    if (attempt >= 3) throw answer.error;
  }
}

function recordOf(body: Buffer, when: Precondition): Put {
  const draft = { body, terms: [], secrets: [] };
  return { kind: "put", key: recordKey, uid: "last", draft, when, cause: systemCause };
}
