// The index as tables of an SQLite database in memory. `heading` and `word` find words and their
// beginnings, `part` finds parts of words by trigrams. They hold no texts of their own; `entry` has
// them. Titles have a table of their own, because a filter on a column reads every hit of a word.

import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { parseExact } from "../../kernel/int64.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { placeMatch, placeText, partMatch, prefixMatch, wordMatch } from "./match.ts";
import { textIndexLimits } from "./port.ts";
import type { AllowedKind, Hits, IndexChange, IndexEntry, TextQuery } from "./port.ts";
import { plain, scoreOf, termsOf } from "./terms.ts";

const schema = `
  CREATE TABLE entry (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, place TEXT NOT NULL,
    title TEXT NOT NULL, tags TEXT NOT NULL, text TEXT NOT NULL, shown TEXT NOT NULL);
  CREATE VIRTUAL TABLE heading USING fts5(title, place,
    content='', contentless_delete=1, tokenize='unicode61', prefix='1 2 3');
  CREATE VIRTUAL TABLE word USING fts5(title, tags, text, place,
    content='', contentless_delete=1, tokenize='unicode61', prefix='1 2 3');
  CREATE VIRTUAL TABLE part USING fts5(title, tags, text, place,
    content='', contentless_delete=1, tokenize='trigram');
  CREATE TABLE edge (source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,
    PRIMARY KEY (source, target, type)) WITHOUT ROWID;
  CREATE INDEX edge_target ON edge (target, source, type);
`;

const noHits: Hits = { hits: [], count: 0, isComplete: true };

/** An entry as a walk needs it. */
export interface StoredEntry {
  readonly kind: string;
  readonly place: string;
  readonly shown: string;
}

export class IndexDatabase {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements: Readonly<Record<StatementName, StatementSync>>;

  constructor() {
    this.#database.exec(schema);
    const prepared = Object.entries(statementTexts).map(([name, text]) => [
      name,
      this.#database.prepare(text),
    ]);
    this.#statements = Object.fromEntries(prepared) as Record<StatementName, StatementSync>;
  }

  apply(changes: readonly IndexChange[]): void {
    this.#database.exec("BEGIN");
    try {
      for (const change of changes) {
        if (change.kind === "put") this.#put(change.entry);
        else this.#remove(change.id);
      }
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  clear(): void {
    this.#database.exec(
      ["entry", "edge", "heading", "word", "part"].map((name) => `DELETE FROM ${name};`).join(""),
    );
  }

  search({ text, allowed, limit }: TextQuery): Hits {
    const terms = termsOf(text);
    const place = placeMatch(allowed);
    if (terms.length === 0 || place === undefined) return noHits;
    const candidates = this.#candidates(terms, place);
    const ranked = [...candidates.values()].map((row) => ({ row, score: scoreOf(row, terms) }));
    ranked.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1));
    const hits = ranked.slice(0, limit).map(({ row: { id }, score }) => {
      const shown = this.entry(id)?.shown ?? "{}";
      return { id, score, shown: parseExact(shown) as JsonObject };
    });
    const isComplete = candidates.size < textIndexLimits.maxCandidates;
    return { hits, count: candidates.size, isComplete };
  }

  entry(id: string): StoredEntry | undefined {
    return this.#statements.byId.get(id) as unknown as StoredEntry | undefined;
  }

  dependenciesOf(id: string): readonly EdgeRow[] {
    return this.#statements.outgoing.all(id) as unknown as readonly EdgeRow[];
  }

  dependantsOf(id: string): readonly EdgeRow[] {
    return this.#statements.incoming.all(id) as unknown as readonly EdgeRow[];
  }

  /** Titles first, so that the best hits are among the candidates of a common word. */
  #candidates(terms: readonly string[], place: string): ReadonlyMap<string, RankedRow> {
    const { byTitle, byWord, byPart } = this.#statements;
    const found = new Map<string, RankedRow>();
    const collect = (statement: StatementSync, match: string | undefined): void => {
      const left = textIndexLimits.maxCandidates - found.size;
      if (match === undefined || left <= 0) return;
      for (const each of statement.all(match, left + found.size)) {
        const row = each as unknown as RankedRow;
        if (found.size < textIndexLimits.maxCandidates) found.set(row.id, row);
      }
    };
    collect(byTitle, prefixMatch(terms, place));
    // A common word has enough candidates without its longer forms, whose lists take long to join.
    collect(byWord, wordMatch(terms, place));
    collect(byWord, prefixMatch(terms, place));
    collect(byPart, partMatch(terms, place));
    return found;
  }

  #put(entry: IndexEntry): void {
    this.#remove(entry.id);
    const { id, kind, place, shown, edges } = entry;
    const [title, tags, text] = [entry.title, entry.tags, entry.text].map((field) =>
      plain(field.slice(0, textIndexLimits.maxFieldChars)),
    ) as [string, string, string];
    const { insertEntry, insertTitle, insertWord, insertPart, insertEdge } = this.#statements;
    const { lastInsertRowid } = insertEntry.run(
      id,
      kind,
      place,
      title,
      tags,
      text,
      JSON.stringify(shown),
    );
    const where = placeText(kind, place);
    const row = [lastInsertRowid, title, tags, text, where] as const;
    insertTitle.run(lastInsertRowid, title, where);
    insertWord.run(...row);
    insertPart.run(...row);
    for (const { to, type } of edges) insertEdge.run(id, to, type);
  }

  #remove(id: string): void {
    const { numberOf, deleteEntry, deleteTitle, deleteWord, deletePart, deleteEdges } =
      this.#statements;
    deleteEdges.run(id);
    const found = numberOf.get(id);
    if (found === undefined) return;
    const number = Number(found["number"]);
    deleteTitle.run(number);
    deleteWord.run(number);
    deletePart.run(number);
    deleteEntry.run(number);
  }
}

export interface EdgeRow {
  readonly source: string;
  readonly target: string;
  readonly type: string;
}

/** What the ranking reads. */
interface RankedRow {
  readonly id: string;
  readonly title: string;
  readonly tags: string;
  readonly text: string;
}

/** One statement for all candidates: reading them one by one takes as long as finding them. */
function rankedRows(table: string): string {
  return `SELECT entry.id, entry.title, entry.tags, entry.text
    FROM (SELECT rowid AS number FROM ${table} WHERE ${table} MATCH ? LIMIT ?) AS found
    JOIN entry ON entry.number = found.number`;
}

const statementTexts = {
  insertEntry:
    "INSERT INTO entry (id, kind, place, title, tags, text, shown) VALUES (?, ?, ?, ?, ?, ?, ?)",
  insertTitle: "INSERT INTO heading (rowid, title, place) VALUES (?, ?, ?)",
  insertWord: "INSERT INTO word (rowid, title, tags, text, place) VALUES (?, ?, ?, ?, ?)",
  insertPart: "INSERT INTO part (rowid, title, tags, text, place) VALUES (?, ?, ?, ?, ?)",
  insertEdge: "INSERT OR IGNORE INTO edge (source, target, type) VALUES (?, ?, ?)",
  numberOf: "SELECT number FROM entry WHERE id = ?",
  deleteEntry: "DELETE FROM entry WHERE number = ?",
  deleteTitle: "DELETE FROM heading WHERE rowid = ?",
  deleteWord: "DELETE FROM word WHERE rowid = ?",
  deletePart: "DELETE FROM part WHERE rowid = ?",
  deleteEdges: "DELETE FROM edge WHERE source = ?",
  byId: "SELECT kind, place, shown FROM entry WHERE id = ?",
  byTitle: rankedRows("heading"),
  byWord: rankedRows("word"),
  byPart: rankedRows("part"),
  outgoing: "SELECT source, target, type FROM edge WHERE source = ?",
  incoming: "SELECT source, target, type FROM edge WHERE target = ?",
} as const;

type StatementName = keyof typeof statementTexts;

/** Whether a caller may see an entry. */
export function mayPass(allowed: readonly AllowedKind[], entry: StoredEntry): boolean {
  const found = allowed.find(({ kind }) => kind === entry.kind);
  if (found === undefined) return false;
  return found.places === undefined || found.places.includes(entry.place);
}
