/**
 * Rows of the kinds that queries ask for, kept in memory by the change feed. A kind is loaded by
 * its first query and dropped when no query has used it for a while. Memory is bounded: a kind of
 * more than limits.maxReadModelKindRows rows is not kept, and its queries read the store; beyond
 * limits.maxReadModelRows of all kinds, the kind that was used least recently is dropped.
 *
 * Read-your-writes: `open` with the revision of a write waits until the rows show it.
 */
import type { Clock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits as allLimits } from "../../kernel/limits.ts";
import { bytePauses } from "../../kernel/pauses.ts";
import type { BytePauses } from "../../kernel/pauses.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change, Position, Store } from "../../store/port.ts";
import type { KindRegistry } from "../kinds/registry.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { ChangeFeed } from "../watch/change-feed.ts";
import { KindRows } from "./kind-rows.ts";
import { reachRevision } from "./reach-revision.ts";
import { projectionOf } from "./row.ts";
import type { Projection } from "./row.ts";

export interface ReadModelPorts {
  readonly store: Pick<Store, "list" | "head" | "advancedBeyond">;
  readonly feed: ChangeFeed;
  readonly kinds: Pick<KindRegistry, "byId">;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Those of the kernel when left out; a test sets smaller ones. */
  readonly limits?: ReadModelLimits;
}

export type ReadModelLimits = Readonly<
  Record<
    "maxReadModelKindRows" | "maxReadModelRows" | "readModelRetryMs" | "readModelIdleMs",
    number
  >
>;

export interface ReadModel extends Disposable {
  /** The rows of a kind, at `atLeast` or newer. */
  open(served: ServedKind, options?: OpenOptions): Promise<OpenKind>;
}

export interface OpenOptions {
  readonly atLeast?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Between pages of a kind that is loaded; those of no tenant when left out. */
  readonly pauses?: BytePauses | undefined;
}

export type OpenKind =
  | {
      readonly source: "memory";
      readonly projection: Projection;
      /** The revision up to which the rows are complete. */
      readonly revision: number;
      readonly rows: KindRows;
    }
  /** Too large for memory: page through the store. */
  | { readonly source: "store"; readonly projection: Projection };

interface Table {
  readonly rows: KindRows;
  readonly loaded: Promise<boolean>;
  usedMs: number;
}

export function openReadModel(ports: ReadModelPorts): ReadModel {
  return new FeedReadModel(ports);
}

class FeedReadModel implements ReadModel {
  readonly #ports: ReadModelPorts;
  readonly #limits: ReadModelLimits;
  /** By the served kind, whose definition decides the columns. */
  readonly #tables = new Map<ServedKind, Table>();
  /** Kinds that were too large, and until when they are not loaded again. */
  readonly #large = new WeakMap<ServedKind, number>();
  readonly #unsubscribe: () => void;

  constructor(ports: ReadModelPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? allLimits;
    this.#unsubscribe = ports.feed.subscribe((changes) => this.#take(changes));
  }

  async open(served: ServedKind, { atLeast, signal, pauses }: OpenOptions = {}): Promise<OpenKind> {
    if (atLeast !== undefined) await this.#reached(atLeast, signal);
    const { clock } = this.#ports;
    if ((this.#large.get(served) ?? 0) > clock.nowMs()) {
      return { source: "store", projection: projectionOf(served) };
    }
    const table = this.#tables.get(served) ?? this.#load(served, pauses ?? bytePauses(""));
    table.usedMs = clock.nowMs();
    const isKept = await table.loaded;
    const { projection } = table.rows;
    if (!isKept || this.#tables.get(served) !== table) return { source: "store", projection };
    const revision = this.#ports.feed.position;
    return { source: "memory", projection, revision, rows: table.rows };
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#tables.clear();
  }

  /** Waits a bounded time for a revision that this process has not seen. */
  async #reached(revision: number, signal: AbortSignal | undefined): Promise<void> {
    const { feed } = this.#ports;
    if (revision <= feed.position) return;
    await reachRevision(this.#ports, revision, { field: "query.atLeast", signal });
    await feed.reached(revision);
  }

  #load(served: ServedKind, pauses: BytePauses): Table {
    // A definition that changed is another served kind: the rows of the former are dropped.
    for (const other of this.#tables.keys()) {
      if (this.#ports.kinds.byId(other.id) !== other) this.#tables.delete(other);
    }
    const rows = new KindRows(projectionOf(served));
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const table: Table = { rows, loaded: promise, usedMs: this.#ports.clock.nowMs() };
    this.#tables.set(served, table);
    this.#fill(served, table, pauses).then(resolve, (error: unknown) => {
      if (this.#tables.get(served) === table) this.#tables.delete(served);
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    return table;
  }

  /** False when the kind is too large. */
  async #fill(served: ServedKind, table: Table, pauses: BytePauses): Promise<boolean> {
    let from: Position | undefined;
    for (;;) {
      try {
        const query = { kind: served.id, limit: pageRows };
        const page = await this.#ports.store.list(from === undefined ? query : { ...query, from });
        for (const record of page.records) table.rows.put(record);
        if (this.#isTooLarge(table)) return this.#drop(served, table);
        this.#makeRoom(served);
        from = page.next;
        // The embedded store reads without a turn of the event loop.
        await pauses(bytesOf(page.records));
      } catch (error) {
        // The snapshot was compacted between two pages: continue with a newer one.
        if (!isSetpointError(error, "history.gone")) throw error;
        from = undefined;
      }
      if (from === undefined) break;
    }
    table.rows.complete();
    return true;
  }

  #take(changes: readonly Change[]): void {
    if (this.#tables.size === 0) return;
    const oldestMs = this.#ports.clock.nowMs() - this.#limits.readModelIdleMs;
    for (const [served, table] of this.#tables) {
      if (table.usedMs < oldestMs) {
        this.#tables.delete(served);
        continue;
      }
      for (const change of changes) {
        if (change.key.kind === served.id) table.rows.apply(change);
      }
      if (this.#isTooLarge(table)) this.#drop(served, table);
    }
    this.#makeRoom();
  }

  #isTooLarge({ rows }: Table): boolean {
    return rows.count > this.#limits.maxReadModelKindRows;
  }

  #drop(served: ServedKind, table: Table): false {
    if (this.#tables.get(served) === table) this.#tables.delete(served);
    this.#large.set(served, this.#ports.clock.nowMs() + this.#limits.readModelRetryMs);
    return false;
  }

  /** For each page of a load and each batch of changes: kinds also grow while they are loaded. */
  #makeRoom(kept?: ServedKind): void {
    let total = 0;
    for (const { rows } of this.#tables.values()) total += rows.count;
    if (total <= this.#limits.maxReadModelRows) return;
    const tables = [...this.#tables].sort(([, one], [, other]) => one.usedMs - other.usedMs);
    for (const [served, { rows }] of tables) {
      if (total <= this.#limits.maxReadModelRows) return;
      if (served === kept) continue;
      this.#tables.delete(served);
      total -= rows.count;
    }
  }
}

const pageRows = 1_000;

export function bytesOf(records: readonly { readonly body: Buffer }[]): number {
  return records.reduce((sum, { body }) => sum + body.length, 0);
}
