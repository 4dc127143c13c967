// Who refers to whom, in memory: the reverse of the references in all journals. It is read from the
// journals once, on one snapshot, and then kept by their changes in the log, in order; so at any
// place of the log it knows every reference that was stored before that place.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, Store } from "../../store/port.ts";
import { readJournalHead } from "../journal/journal.ts";
import { journalKind } from "../names.ts";

export interface Referrer {
  readonly key: ResourceKey;
  readonly uid: string;
}

export interface ReferenceIndex {
  referrersTo(key: ResourceKey): Iterable<Referrer>;
  /** Whether the resource of this uid has a journal. */
  hasJournal(uid: string): boolean;
  all(): Iterable<Referrer>;
  /** Takes a change of a journal; one that the index was built with is known already. */
  take(change: Change): void;
}

interface Entry extends Referrer {
  readonly targets: readonly ResourceKey[];
}

/** By kind first, as most changes are of kinds that nobody refers to. */
type Targets = Map<string, Map<string, Set<Entry>>>;

const pageItems = 500;

export async function loadReferenceIndex(
  store: Pick<Store, "list">,
  signal: AbortSignal,
  unreadable: (journal: ResourceKey, error: unknown) => void,
): Promise<ReferenceIndex> {
  const byUid = new Map<string, Entry>();
  const targets: Targets = new Map();

  const remove = (uid: string): void => {
    const entry = byUid.get(uid);
    if (entry === undefined) return;
    byUid.delete(uid);
    for (const target of entry.targets) unlink(targets, target, entry);
  };
  const put = (uid: string, body: Buffer): void => {
    remove(uid);
    const { resource, references } = readJournalHead(body);
    const entry = { key: resource, uid, targets: references };
    byUid.set(uid, entry);
    for (const target of references) link(targets, target, entry);
  };

  let page = await store.list({ kind: journalKind, limit: pageItems });
  const builtAt = page.revision;
  for (;;) {
    for (const { key, body } of page.records) {
      try {
        put(key.name, body);
      } catch (error) {
        // One damaged journal must not keep all others from being woken.
        unreadable(key, error);
      }
    }
    if (page.next === undefined) break;
    signal.throwIfAborted();
    page = await store.list({ kind: journalKind, limit: pageItems, from: page.next });
  }

  return {
    referrersTo: (key) => targets.get(key.kind)?.get(placeOf(key)) ?? [],
    hasJournal: (uid) => byUid.has(uid),
    all: () => byUid.values(),
    take: ({ revision, type, key, body }) => {
      if (revision <= builtAt) return;
      if (type === "deleted") remove(key.name);
      else put(key.name, body);
    },
  };
}

function link(targets: Targets, target: ResourceKey, entry: Entry): void {
  const ofKind = targets.get(target.kind) ?? new Map<string, Set<Entry>>();
  targets.set(target.kind, ofKind);
  const entries = ofKind.get(placeOf(target));
  if (entries === undefined) ofKind.set(placeOf(target), new Set([entry]));
  else entries.add(entry);
}

function unlink(targets: Targets, target: ResourceKey, entry: Entry): void {
  const ofKind = targets.get(target.kind);
  const entries = ofKind?.get(placeOf(target));
  entries?.delete(entry);
  if (entries?.size === 0) ofKind?.delete(placeOf(target));
  if (ofKind?.size === 0) targets.delete(target.kind);
}

/** A namespace has no slash in it, and a name that has one comes last. */
function placeOf({ namespace, name }: ResourceKey): string {
  return `${namespace}/${name}`;
}
