// Follows the log for what garbage collection needs: which resource is owned by which, and which
// deletions wait for others. A follower of each process: it writes nothing. It names the keys that
// may need work (`Finding`), and the store decides whether they do: see housekeeping.
//
// At the start every resource is listed once. Changes are held until then, so that the graph is
// complete before the first of them is used.

import { appendAll } from "../../kernel/append.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isDeletionPaused, nestedFinalizer } from "../../kernel/engine-finalizers.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { ownerUids } from "../../kernel/owners.ts";
import { formatReference } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import { ownerTerm } from "../../kernel/terms.ts";
import type { Timers } from "../../kernel/timers.ts";
import { untilAborted } from "../../kernel/until-aborted.ts";
import type { Change, StoredRecord } from "../../store/port.ts";
import type { Intents } from "../request.ts";
import type { ChangeFeed } from "../watch/change-feed.ts";
import { foregroundFinalizer, orphanFinalizer } from "../write/finalizers.ts";
import { ownerGraph } from "./owner-graph.ts";

export interface FollowOwnersInput {
  readonly intents: Pick<Intents, "store" | "kinds">;
  readonly feed: ChangeFeed;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
  /** Called for each resource whose secrets cannot be opened: the listing reads all of them. */
  readonly onUnopened: (error: Error, resource: string) => void;
}

/**
 * What may have to be done about a resource: delete it because its owners do not exist (`item`),
 * end its wait for its dependents (`waiting`), or release its dependents first (`orphan`).
 */
export type Duty = "item" | "waiting" | "orphan";

export type Finding = (duty: Duty, key: ResourceKey) => void;

export interface OwnerFollower extends AsyncDisposable {
  /** The resources that name this uid as an owner, as far as the log was read. */
  dependentsOf(uid: string): readonly ResourceKey[];
  /** Calls `found` for each change that may need work, until the returned function is called. */
  follow(found: Finding): () => void;
  /** Calls `found` for every resource that may need work now. Resolves when all were looked at. */
  lookAtAll(found: Finding, signal: AbortSignal): Promise<void>;
}

const startAfterMs = 1_000;
const betweenPagesMs = 2;
const retryMs = 5_000;

const ownerPrefix = ownerTerm("");
const ownersMark = Buffer.from('"ownerReferences"');
const deletionMark = Buffer.from('"deletionTimestamp"');

export function followOwners(input: FollowOwnersInput): OwnerFollower {
  const { feed } = input;
  const graph = ownerGraph();
  /** Owners that wait for their dependents, by uid. */
  const awaiting = new Map<string, ResourceKey>();
  const followers = new Set<Finding>();
  const found: Finding = (duty, key) => {
    for (const follower of followers) follower(duty, key);
  };
  const take = (change: Change): void => takeChange(change, { graph, awaiting, found });
  const held: Change[] = [];
  let isListed = false;
  const unsubscribe = feed.subscribe((changes) => {
    if (isListed) for (const change of changes) take(change);
    else appendAll(held, changes.filter(matters));
  });
  const stop = new AbortController();
  /** Of the first listing: for one `lookAtAll` of a follower that saw every change since. */
  let first: Listed | undefined;
  const listing = (async () => {
    const listed = await untilListed(input, stop.signal, (key, of) => graph.put(key, of));
    if (listed === undefined) return;
    if (followers.size > 0) first = listed;
    isListed = true;
    for (const change of held.splice(0)) take(change);
    for (const record of listed.deleted) noteWaiting(record, awaiting);
  })();
  return {
    dependentsOf: (uid) => graph.dependentsOf(uid),
    follow: (follower) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    lookAtAll: async (each, signal) => {
      await Promise.race([listing, untilAborted(signal)]);
      signal.throwIfAborted();
      const listed = first ?? (await listEverything(input, signal));
      first = undefined;
      for (const key of listed.lost) each("item", key);
      // Deletions that wait are looked at last, as the dependents may be among the newest changes.
      await Promise.race([feed.reached(listed.revision), untilAborted(signal)]);
      signal.throwIfAborted();
      for (const record of listed.deleted) lookAtDeletion(record, awaiting, each);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      unsubscribe();
      await listing;
    },
  };
}

/** Whether its deletion was requested, and waits for its dependents. */
export function isWaiting(resource: Resource): boolean {
  return waitingFinalizers.some((finalizer) => isWaitingFor(resource, finalizer));
}

const waitingFinalizers = [foregroundFinalizer, nestedFinalizer];
const finalizerMarks = [orphanFinalizer, ...waitingFinalizers].map((name) =>
  Buffer.from(JSON.stringify(name)),
);

/**
 * Whether its deletion was requested, is not paused, and this finalizer still holds it. The write
 * that ends a pause is a change, by which it is looked at again.
 */
export function isWaitingFor(resource: Resource, finalizer: string): boolean {
  const { deletionTimestamp, finalizers = [] } = resource.metadata;
  const isHeld = deletionTimestamp !== undefined && finalizers.includes(finalizer);
  return isHeld && !isDeletionPaused(resource);
}

interface Followed {
  readonly graph: ReturnType<typeof ownerGraph>;
  readonly awaiting: Map<string, ResourceKey>;
  readonly found: Finding;
}

function takeChange(change: Change, { graph, awaiting, found }: Followed): void {
  const owners = ownersIn(change.terms);
  if (change.type === "deleted") {
    graph.remove(change.key);
    awaiting.delete(change.uid);
    for (const dependent of graph.dependentsOf(change.uid)) found("item", dependent);
  } else {
    graph.put(change.key, owners);
    const isNew = change.type === "created" || change.previousTerms !== undefined;
    if (owners.length > 0 && isNew) found("item", change.key);
    lookAtDeletion(change, awaiting, found);
  }
  for (const uid of [...owners, ...ownersIn(change.previousTerms ?? [])]) {
    const owner = awaiting.get(uid);
    if (owner !== undefined) found("waiting", owner);
  }
}

function lookAtDeletion(
  record: StoredRecord,
  awaiting: Map<string, ResourceKey>,
  found: Finding,
): void {
  const { key, revision, body } = record;
  // Most deletions do not wait, and decoding a large document takes long.
  if (!body.includes(deletionMark) || !finalizerMarks.some((mark) => body.includes(mark))) return;
  const resource = decodeDocument(body, revision);
  if (isWaitingFor(resource, orphanFinalizer)) found("orphan", key);
  if (noteWaiting(record, awaiting, resource)) found("waiting", key);
}

function noteWaiting(
  { key, uid, revision, body }: StoredRecord,
  awaiting: Map<string, ResourceKey>,
  resource: Resource = decodeDocument(body, revision),
): boolean {
  if (!isWaiting(resource)) return false;
  awaiting.set(uid, key);
  return true;
}

interface Listed {
  /** Those with an owner that was not among all. */
  readonly lost: readonly ResourceKey[];
  readonly deleted: readonly StoredRecord[];
  /** Nothing that was listed is newer. */
  readonly revision: number;
}

type Visit = (key: ResourceKey, owners: readonly string[]) => void;

/** Undefined when it was aborted. A server that starts becomes ready first. */
async function untilListed(
  input: FollowOwnersInput,
  signal: AbortSignal,
  visit: Visit,
): Promise<Listed | undefined> {
  for (let delayMs = startAfterMs; ; delayMs = retryMs) {
    try {
      await input.timers.sleep(delayMs, signal);
      return await listEverything(input, signal, visit);
    } catch (error) {
      if (signal.aborted) return undefined;
      input.onError(error);
    }
  }
}

async function listEverything(
  { intents: { store, kinds }, timers, onUnopened }: FollowOwnersInput,
  signal: AbortSignal,
  visit?: Visit,
): Promise<Listed> {
  const uids = new Set<string>();
  const deleted: StoredRecord[] = [];
  let revision = 0;
  const owned: { readonly key: ResourceKey; readonly owners: readonly string[] }[] = [];
  for (const { id } of kinds.all()) {
    let page = await store.list({ kind: id });
    for (;;) {
      signal.throwIfAborted();
      for (const record of page.records) {
        uids.add(record.uid);
        if (record.body.includes(deletionMark)) deleted.push(record);
        const { unopened } = record;
        if (visit !== undefined && unopened !== undefined) {
          onUnopened(unopened, formatReference(record.key));
        }
        const owners = ownersOf(record);
        if (owners.length > 0) owned.push({ key: record.key, owners });
        visit?.(record.key, owners);
      }
      revision = Math.max(revision, page.revision);
      if (page.next === undefined) break;
      // The embedded store reads on this thread: requests have their turn between two pages.
      await timers.sleep(betweenPagesMs, signal);
      try {
        page = await store.list({ kind: id, from: page.next });
      } catch (error) {
        // The snapshot was compacted away between two pages: begin again with a newer one.
        if (!isSetpointError(error, "history.gone")) throw error;
        page = await store.list({ kind: id });
      }
    }
  }
  const lost = owned.filter(({ owners }) => owners.some((uid) => !uids.has(uid)));
  return { lost: lost.map(({ key }) => key), deleted, revision };
}

function matters(change: Change): boolean {
  if (change.type === "deleted") return true;
  const owners = [...change.terms, ...(change.previousTerms ?? [])];
  return ownersIn(owners).length > 0 || change.body.includes(deletionMark);
}

function ownersOf({ body, revision }: StoredRecord): readonly string[] {
  return body.includes(ownersMark) ? ownerUids(decodeDocument(body, revision)) : [];
}

function ownersIn(terms: readonly string[]): readonly string[] {
  return terms
    .filter((term) => term.startsWith(ownerPrefix))
    .map((term) => term.slice(ownerPrefix.length));
}
