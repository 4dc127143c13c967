// What the server finds for the palette: resources of all kinds by name, the best matches first.

import { insight } from "../api/insight.ts";
import { findKind, kindNamed } from "../api/kinds.ts";
import type { ResourceState } from "../api/types.ts";
import { useQuery } from "../query/query.ts";
import { parseWords } from "./palette-words.ts";
import type { Words } from "./palette-words.ts";

export interface FoundResource {
  readonly kind: string;
  readonly kindName: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly state: ResourceState;
}

export interface Found {
  readonly items: readonly FoundResource[];
  /** Why there may be others than those that are shown. */
  readonly note?: string;
}

export interface Search extends Partial<Found> {
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

const mostFound = 12;
/** Read when the state is compared here. */
const mostRead = 100;
/** Of the route; no name is longer. */
const longestName = 253;

export function useSearch(text: string): Search {
  const words = parseWords(text);
  const isSearch = words.name.length > 1 || words.kind !== undefined;
  const { data, error, isLoading } = useQuery(isSearch ? `palette ${text}` : undefined, (signal) =>
    find(words, signal),
  );
  return { ...data, error, isLoading };
}

async function find(words: Words, signal: AbortSignal): Promise<Found> {
  const { name, namespace, state } = words;
  const kind = words.kind === undefined ? undefined : findKind(words.kind)?.id;
  if (words.kind !== undefined && kind === undefined) {
    return { items: [], note: `There is no kind ${words.kind}.` };
  }
  if (name === "" && kind !== undefined) return await rowsOf(kind, words, signal);
  if (name.length > longestName) return { items: [] };
  const limit = state === undefined ? mostFound : mostRead;
  const query = { q: name, kind, namespace, builtIn: true, limit };
  const { items, total } = await insight.names(query, signal);
  return shownOf(items, total, state);
}

export function shownOf(
  items: readonly FoundResource[],
  total: number,
  state: ResourceState | undefined,
): Found {
  const fitting = state === undefined ? items : items.filter((each) => each.state === state);
  const shown = fitting.slice(0, mostFound);
  if (state !== undefined && total > items.length) {
    const note =
      `Of ${total} resources with this name, the first ${items.length} were searched for the ` +
      "state. Write more of the name, or add kind:.";
    return { items: shown, note };
  }
  const others = (state === undefined ? total : fitting.length) - shown.length;
  if (others === 0) return { items: shown };
  return { items: shown, note: `${others} more. Write more of the name, or add kind: or ns:.` };
}

/** Without a name: the first of the kind. */
async function rowsOf(
  kind: string,
  { namespace, state }: Words,
  signal: AbortSignal,
): Promise<Found> {
  const filter = state === undefined ? undefined : `state=${state}`;
  const page = await insight.rows({ kind, namespace, filter, limit: mostFound }, signal);
  const kindName = kindNamed(kind)?.kind ?? kind;
  const items = page.items.map((row) => ({ ...row, kind, kindName }));
  if (page.next === undefined) return { items };
  return { items, note: "There are more. Write a part of the name." };
}
