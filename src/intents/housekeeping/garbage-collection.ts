// Deletes what has lost its owners, and carries out deletions that wait for dependents or leave
// orphans. The log says when to look, the store what is true (see garbage-work.ts). At the start
// everything is listed once, so that what lost its owner while no server ran is found as well; who
// waits is looked at after that, as its dependents may come last. Every process does this; each
// step is harmless when another was faster.

import { appendAll } from "../../kernel/append.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { ownerUids } from "../../kernel/owners.ts";
import { formatReference } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { ownerTerm } from "../../kernel/terms.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change, StoredRecord } from "../../store/port.ts";
import type { Intents } from "../request.ts";
import type { ChangeFeed } from "../watch/change-feed.ts";
import { orphanFinalizer } from "../write/finalizers.ts";
import { collectItem, finishOrphan, finishWaiting } from "./garbage-work.ts";
import { isWaiting, isWaitingFor } from "./garbage-work.ts";
import { keyedWorker } from "./keyed-worker.ts";
import { ownerGraph } from "./owner-graph.ts";

export interface GarbageInput {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly timers: Timers;
  readonly onError: (error: unknown, task: string) => void;
  /** Told of each resource whose secrets cannot be opened: here all of them are seen. */
  readonly onUnopened: (error: Error, resource: string) => void;
}

export interface GarbageCollection extends AsyncDisposable {
  /** The resources that name this uid as an owner, as far as the log was read. */
  dependentsOf(uid: string): readonly ResourceKey[];
}

const duties = { item: collectItem, waiting: finishWaiting, orphan: finishOrphan } as const;
type Duty = keyof typeof duties;

const startAfterMs = 1_000;
const betweenPagesMs = 2;

const ownerPrefix = ownerTerm("");
const ownersMark = Buffer.from('"ownerReferences"');
const deletionMark = Buffer.from('"deletionTimestamp"');

export function startGarbageCollection(input: GarbageInput): GarbageCollection {
  const { feed, onError } = input;
  const collector = garbageCollector(input);
  // Changes are held back until everything was listed, so that the graph has no holes by then.
  const held: Change[] = [];
  let isListed = false;
  const unsubscribe = feed.subscribe((changes) => {
    if (isListed) for (const change of changes) collector.take(change);
    else appendAll(held, changes.filter(matters));
  });
  const stop = new AbortController();
  const listing = (async () => {
    // Who starts a server waits for it to be ready, and not for this.
    await input.timers.sleep(startAfterMs, stop.signal);
    const { lost, deleted, revision } = await listEverything(input, stop.signal, collector.visit);
    for (const key of lost) collector.add("item", key);
    isListed = true;
    for (const change of held.splice(0)) collector.take(change);
    await Promise.race([feed.reached(revision), aborted(stop.signal)]);
    for (const record of deleted) collector.lookAtDeletion(record);
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) onError(error, "garbage collection");
  });
  return {
    dependentsOf: collector.dependentsOf,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      unsubscribe();
      await Promise.all([listing, collector[Symbol.asyncDispose]()]);
    },
  };
}

interface Collector extends AsyncDisposable {
  add(duty: Duty, key: ResourceKey): void;
  readonly visit: (record: StoredRecord, owners: readonly string[]) => void;
  readonly lookAtDeletion: (record: StoredRecord) => void;
  take(change: Change): void;
  readonly dependentsOf: (uid: string) => readonly ResourceKey[];
}

function garbageCollector({ intents, timers, onError }: GarbageInput): Collector {
  const graph = ownerGraph();
  /** Owners that wait for their dependents, by uid. */
  const awaiting = new Map<string, ResourceKey>();
  const worker = keyedWorker({
    timers,
    onError,
    work: async (text) => {
      const [duty, kind, namespace, name] = JSON.parse(text) as [Duty, string, string, string];
      return await duties[duty](intents, graph, { kind, namespace, name });
    },
  });
  const add = (duty: Duty, { kind, namespace, name }: ResourceKey): void =>
    worker.add(JSON.stringify([duty, kind, namespace, name]));
  const lookAtDeletion = ({ key, uid, revision, body }: StoredRecord): void => {
    if (!body.includes(deletionMark)) return;
    const resource = decodeDocument(body, revision);
    if (isWaitingFor(resource, orphanFinalizer)) add("orphan", key);
    if (!isWaiting(resource)) return;
    awaiting.set(uid, key);
    add("waiting", key);
  };
  const take = (change: Change): void => {
    const owners = ownersIn(change.terms);
    if (change.type === "deleted") {
      graph.remove(change.key);
      awaiting.delete(change.uid);
      for (const dependent of graph.dependentsOf(change.uid)) add("item", dependent);
    } else {
      graph.put(change.key, owners);
      const isNew = change.type === "created" || change.previousTerms !== undefined;
      if (owners.length > 0 && isNew) add("item", change.key);
      lookAtDeletion(change);
    }
    for (const uid of [...owners, ...ownersIn(change.previousTerms ?? [])]) {
      const owner = awaiting.get(uid);
      if (owner !== undefined) add("waiting", owner);
    }
  };
  return {
    add,
    take,
    dependentsOf: (uid) => graph.dependentsOf(uid),
    visit: (record, owners) => graph.put(record.key, owners),
    lookAtDeletion,
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

interface Listed {
  /** Those with an owner that was not among all. */
  readonly lost: readonly ResourceKey[];
  readonly deleted: readonly StoredRecord[];
  /** Nothing that was listed is newer. */
  readonly revision: number;
}

/** Visits every resource. */
async function listEverything(
  { intents: { store, kinds }, timers, onUnopened }: GarbageInput,
  signal: AbortSignal,
  visit: (record: StoredRecord, owners: readonly string[]) => void,
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
        if (unopened !== undefined) onUnopened(unopened, formatReference(record.key));
        const owners = ownersOf(record);
        if (owners.length > 0) owned.push({ key: record.key, owners });
        visit(record, owners);
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

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
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
