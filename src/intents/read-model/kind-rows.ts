// The rows of one kind in memory, by namespace, so that the rights of a caller are decided once
// for each namespace and not for each row. Changes may arrive while a snapshot is loaded: the
// newer of the two wins, and a deletion is remembered until the snapshot is complete.

import { keyText } from "../../kernel/resource.ts";
import type { Change, StoredRecord } from "../../store/port.ts";
import type { Projection, Row } from "./row.ts";

export class KindRows {
  readonly projection: Projection;
  readonly #namespaces = new Map<string, Map<string, Row>>();
  /** Revisions of deletions by key, while a snapshot is loaded. */
  #deletions: Map<string, number> | undefined = new Map();
  #count = 0;

  constructor(projection: Projection) {
    this.projection = projection;
  }

  /** Rows, and what is remembered besides. */
  get count(): number {
    return this.#count + (this.#deletions?.size ?? 0);
  }

  get isComplete(): boolean {
    return this.#deletions === undefined;
  }

  get namespaces(): Iterable<string> {
    return this.#namespaces.keys();
  }

  in(namespace: string): Iterable<Row> {
    return this.#namespaces.get(namespace)?.values() ?? [];
  }

  /** A record that is older than its row, or than its deletion, changes nothing. */
  put(record: StoredRecord | Change): void {
    const { key, revision } = record;
    const { namespace, name } = key;
    const rows = this.#namespaces.get(namespace) ?? new Map<string, Row>();
    const before = rows.get(name);
    if (before !== undefined && before.revision >= revision) return;
    if ((this.#deletions?.get(keyText(key)) ?? 0) > revision) return;
    if (before === undefined) this.#count += 1;
    rows.set(name, this.projection.rowOf(record));
    this.#namespaces.set(namespace, rows);
  }

  apply(change: Change): void {
    const { key, revision, type } = change;
    if (type !== "deleted") {
      this.put(change);
      return;
    }
    this.#deletions?.set(keyText(key), revision);
    const rows = this.#namespaces.get(key.namespace);
    const before = rows?.get(key.name);
    if (rows === undefined || before === undefined || before.revision >= revision) return;
    rows.delete(key.name);
    this.#count -= 1;
    if (rows.size === 0) this.#namespaces.delete(key.namespace);
  }

  /** The snapshot is complete. */
  complete(): void {
    this.#deletions = undefined;
  }
}
