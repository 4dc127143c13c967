/** Backup of the model, and its self-check. It cannot seal, so it does not dump secrets. */
import { documentDigest } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { DumpRow } from "../port.ts";
import { sameTerms } from "./model-commit.ts";
import { appendEntry, emptyState, entryAt, nameText, noWork, nothingHeld } from "./model-state.ts";
import type { Entry, Held, Live, ModelState } from "./model-state.ts";

type ChangeRow = Extract<DumpRow, { row: "change" }>;

export function dumpRows(state: ModelState, nowMs: number): readonly DumpRow[] {
  const { head, compacted, lastToken } = state;
  const lives = [...state.live.values()];
  return [
    { row: "meta", head, compacted, lastToken, epoch: 1, held: 0 },
    ...[...state.log.values()].map(changeRow),
    ...lives.flatMap(({ key, held }) =>
      held.names.map((name): DumpRow => ({ row: "name", name, key })),
    ),
    ...lives.flatMap(({ key, held }) =>
      held.uses.map((use): DumpRow => ({ row: "use", use, key })),
    ),
    ...lives.flatMap(({ key, held }) =>
      held.bounds.map((bound): DumpRow => ({ row: "bound", bound, key })),
    ),
    ...lives.flatMap(({ key, work }): DumpRow[] => {
      if (work.dueAtMs === undefined) return [];
      const atMs = Math.min(work.dueAtMs, work.wishAtMs ?? work.dueAtMs);
      const afterMs = Math.max(0, atMs - nowMs);
      return [{ row: "due", key, afterMs, attempts: work.attempts }];
    }),
  ];
}

function changeRow(entry: Entry): ChangeRow {
  if (entry.hasSecrets) throw new Error("the model cannot dump a document with secrets");
  const { revision, type, key, uid, atMs, cause, terms, body, previous = null } = entry;
  return {
    row: "change",
    revision,
    previous,
    type,
    key,
    uid,
    atMs,
    terms,
    digest: documentDigest(body),
    document: entry.showsPrevious ? null : body,
    sealed: null,
    ...(cause !== undefined && { cause }),
  };
}

/** The state that a dump describes, or `backup.invalid`. */
export async function stateFromRows(
  rows: AsyncIterable<DumpRow>,
  nowMs: number,
): Promise<ModelState> {
  const state = emptyState();
  let meta: Extract<DumpRow, { row: "meta" }> | undefined;
  for await (const row of rows) {
    if (row.row === "meta" && meta === undefined) meta = row;
    else if (row.row === "meta" || meta === undefined) throw invalid("meta must come first, once");
    else if (row.row === "change") appendEntry(state, entryOf(state, row));
    else addToLive(state, row, nowMs);
  }
  if (meta === undefined) throw invalid("it is empty");
  for (let revision = meta.compacted + 1; revision <= meta.head; revision += 1) {
    if (!state.log.has(revision)) throw invalid(`revision ${revision} is missing`);
  }
  if (state.head > meta.head) throw invalid("it has changes above its head");
  const { head, compacted, lastToken } = meta;
  return { ...state, head, compacted, lastToken };
}

function entryOf(state: ModelState, row: ChangeRow): Entry {
  if (row.revision <= state.head) throw invalid("revisions do not ascend");
  if (row.sealed !== null) throw new Error("the model cannot load a sealed document");
  const { revision, type, key, uid, atMs, cause, terms, document } = row;
  const replaced = row.previous === null ? undefined : state.log.get(row.previous);
  const body = document ?? replaced?.body;
  if (body === undefined) throw invalid(`revision ${revision} has no document`);
  const entry: Entry = {
    revision,
    type,
    key,
    uid,
    atMs,
    ...(cause !== undefined && { cause }),
    terms,
    body,
    previous: row.previous ?? undefined,
    ...(replaced === undefined || sameTerms(replaced.terms, terms)
      ? {}
      : { previousTerms: replaced.terms }),
    showsPrevious: document === null,
    hasSecrets: false,
  };
  if (type === "deleted") state.live.delete(keyText(key));
  else state.live.set(keyText(key), { key, entry, held: nothingHeld, work: noWork() });
  return entry;
}

function addToLive(
  state: ModelState,
  row: Exclude<DumpRow, { row: "meta" | "change" }>,
  nowMs: number,
): void {
  const live = liveOf(state, row.key);
  switch (row.row) {
    case "name":
      return hold(state, live, { ...live.held, names: [...live.held.names, row.name] });
    case "use":
      return hold(state, live, { ...live.held, uses: [...live.held.uses, row.use] });
    case "bound":
      return hold(state, live, { ...live.held, bounds: [...live.held.bounds, row.bound] });
    case "due":
      live.work.dueAtMs = nowMs + row.afterMs;
      live.work.attempts = row.attempts;
      return undefined;
    default:
      return row satisfies never;
  }
}

function hold(state: ModelState, live: Live, held: Held): void {
  state.live.set(keyText(live.key), { ...live, held });
}

function liveOf(state: ModelState, key: ResourceKey): Live {
  const live = state.live.get(keyText(key));
  if (live === undefined) throw invalid(`${keyText(key)} holds something but does not exist`);
  return live;
}

function invalid(why: string): SetpointError {
  return new SetpointError("backup.invalid", `the dump cannot be loaded: ${why}`);
}

/** The invariants that the rest of the model relies on. */
export function findings(state: ModelState): readonly string[] {
  const found: string[] = [];
  for (let revision = state.compacted + 1; revision <= state.head; revision += 1) {
    if (!state.log.has(revision)) found.push(`revision ${revision} is missing`);
  }
  for (const [id, chain] of state.chains) {
    const current = entryAt(chain, state.head);
    if (current !== state.live.get(id)?.entry) found.push(`${id} is not its newest change`);
  }
  const lives = [...state.live.values()];
  for (const { key, work } of lives) {
    if (!state.chains.has(keyText(key))) found.push(`${keyText(key)} is not in the log`);
    if (work.claim !== undefined && work.claim.token > state.lastToken) {
      found.push(`${keyText(key)} is claimed with a token from the future`);
    }
  }
  const names = lives.flatMap(({ held }) => held.names.map(nameText));
  if (new Set(names).size < names.length) found.push("a name is held twice");
  const bounds = lives.flatMap(({ held }) => held.bounds.map(({ counter }) => counter));
  if (new Set(bounds).size < bounds.length) found.push("a counter is bounded twice");
  return found;
}
