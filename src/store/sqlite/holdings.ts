/**
 * Names, counters and bounds that resources hold. Judging only reads and looks at the whole group
 * at once: what any write of it lets go of is free for the others, keepers come before takers, and
 * among takers the earlier write wins. Nothing is changed until the whole group was found good, so
 * there is nothing to undo.
 *
 * A name that is held at its home has no row: random names, one for each resource, were a fifth of
 * all pages that were written. Whoever is at home and has no name of the scope in the table holds
 * it; who is away has the row of another name there.
 */
import type { DatabaseSync } from "node:sqlite";
import { formatReference, keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { CounterBound, UniqueName } from "../port.ts";
import type { BatchGroup, BatchName, BatchWrite, Refusal } from "./batch.ts";
import { action, rows } from "./sql.ts";

type Holder = [kind: string, namespace: string, name: string];

function statements(db: DatabaseSync) {
  const holder = "holder_kind = ? AND holder_namespace = ? AND holder_name = ?";
  const columns = "holder_kind, holder_namespace, holder_name";
  return {
    isThere: rows<[number]>(
      db,
      "SELECT 1 FROM resource WHERE kind = ? AND namespace = ? AND name = ?",
    ),
    nameHolder: rows<Holder>(db, `SELECT ${columns} FROM unique_name WHERE scope = ? AND name = ?`),
    namesOf: rows<[string, string]>(db, `SELECT scope, name FROM unique_name WHERE ${holder}`),
    takeName: action(db, "INSERT INTO unique_name VALUES (?, ?, ?, ?, ?)"),
    dropName: action(db, "DELETE FROM unique_name WHERE scope = ? AND name = ?"),
    dropNames: action(db, `DELETE FROM unique_name WHERE ${holder}`),
    bound: rows<[max: number, ...Holder]>(
      db,
      `SELECT max, ${columns} FROM counter_bound WHERE counter = ?`,
    ),
    boundsOf: rows<[string]>(db, `SELECT counter FROM counter_bound WHERE ${holder}`),
    setBound: action(db, "INSERT OR REPLACE INTO counter_bound VALUES (?, ?, ?, ?, ?)"),
    dropBound: action(db, "DELETE FROM counter_bound WHERE counter = ?"),
    dropBounds: action(db, `DELETE FROM counter_bound WHERE ${holder}`),
    use: rows<[number]>(db, `SELECT amount FROM counter_use WHERE ${holder} AND counter = ?`),
    usesOf: rows<[string, number]>(db, `SELECT counter, amount FROM counter_use WHERE ${holder}`),
    setUse: action(db, "INSERT OR REPLACE INTO counter_use VALUES (?, ?, ?, ?, ?)"),
    dropUse: action(db, `DELETE FROM counter_use WHERE ${holder} AND counter = ?`),
    value: rows<[number]>(db, "SELECT value FROM counter WHERE counter = ?"),
    add: action(
      db,
      `INSERT INTO counter VALUES (?1, ?2)
       ON CONFLICT (counter) DO UPDATE SET value = value + excluded.value`,
    ),
    dropCounter: action(db, "DELETE FROM counter WHERE counter = ? AND value = 0"),
  };
}

export class Holdings {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** One entry for each write of the group; undefined where there is nothing to refuse. */
  judge(group: BatchGroup): readonly (Refusal | undefined)[] {
    const places = new Map(group.map((write, index) => [keyText(write.key), index]));
    const names = this.#judgeNames(group, places);
    const bounds = this.#judgeBounds(group, places);
    const counters = this.#judgeCounters(group, places);
    return group.map((_, index) => names[index] ?? bounds[index] ?? counters.get(index));
  }

  /** Applies what the group holds from now on: all releases, then all takes. */
  apply(group: BatchGroup): void {
    for (const write of group) {
      if (write.kind === "delete") this.release(write.key);
      else if (write.kind === "put" && !isCreation(write)) this.#letGo(write);
    }
    for (const write of group) if (write.kind === "put") this.#take(write);
  }

  /** Everything a resource holds goes with it. */
  release({ kind, namespace, name }: ResourceKey): void {
    const sql = this.#sql;
    sql.dropNames.run(kind, namespace, name);
    sql.dropBounds.run(kind, namespace, name);
    for (const [counter, amount] of sql.usesOf.all(kind, namespace, name)) {
      sql.dropUse.run(kind, namespace, name, counter);
      this.#add(counter, -amount);
    }
  }

  #judgeNames(group: BatchGroup, places: ReadonlyMap<string, number>) {
    const taken = new Set<string>();
    return group.map((write, index) => {
      let refusal: Refusal | undefined;
      for (const wanted of write.names ?? []) {
        const { scope, name } = wanted;
        const text = JSON.stringify([scope, name]);
        const row = keyOf(this.#sql.nameHolder.get(scope, name));
        const holder = row ?? this.#atHome(write, wanted);
        const place = holder === undefined ? undefined : places.get(keyText(holder));
        if (place === index) continue;
        const keeps = row === undefined ? staysHome : keepsName;
        const isKept = holder !== undefined && keeps(group[place ?? -1], { scope, name });
        if (isKept || taken.has(text)) refusal ??= nameTaken({ scope, name }, holder);
        taken.add(text);
      }
      return refusal;
    });
  }

  /** Who holds a name that has no row. */
  #atHome({ key, when }: BatchWrite, { scope, home, isHome }: BatchName): ResourceKey | undefined {
    const owner = isHome === true ? key : home;
    // Most names are taken by who is just created at their home.
    if (owner === undefined || (owner === key && when.kind === "absent")) return undefined;
    const { kind, namespace, name } = owner;
    if (this.#sql.isThere.get(kind, namespace, name) === undefined) return undefined;
    const isAway = this.#sql.namesOf.all(kind, namespace, name).some(([other]) => other === scope);
    return isAway ? undefined : owner;
  }

  #judgeBounds(group: BatchGroup, places: ReadonlyMap<string, number>) {
    const taken = new Set<string>();
    return group.map((write, index) => {
      let refusal: Refusal | undefined;
      for (const { counter } of write.bounds ?? []) {
        const [, ...found] = this.#sql.bound.get(counter) ?? [0];
        const holder = keyOf(found);
        const place = holder === undefined ? undefined : places.get(keyText(holder));
        if (place === index) continue;
        const isKept = holder !== undefined && keepsBound(group[place ?? -1], counter);
        if (isKept || taken.has(counter)) refusal ??= boundTaken(counter, holder);
        taken.add(counter);
      }
      return refusal;
    });
  }

  /** Lowering counts first and is never refused; each raise in order meets the final bound. */
  #judgeCounters(group: BatchGroup, places: ReadonlyMap<string, number>) {
    const refusals = new Map<number, Refusal>();
    const counters = new Set(group.flatMap(({ uses = [] }) => uses.map(({ counter }) => counter)));
    for (const counter of counters) {
      const max = this.#finalBound(counter, group, places);
      if (max === undefined) continue;
      const deltas = group.map((write) => this.#delta(write, counter));
      let value = this.#sql.value.get(counter)?.[0] ?? 0;
      for (const delta of deltas) value += Math.min(0, delta);
      for (const [index, delta] of deltas.entries()) {
        value += Math.max(0, delta);
        if (delta <= 0 || value <= max || refusals.has(index)) continue;
        refusals.set(index, counterExceeded(counter, value, max));
      }
    }
    return refusals;
  }

  #finalBound(
    counter: string,
    group: BatchGroup,
    places: ReadonlyMap<string, number>,
  ): number | undefined {
    const [max, ...found] = this.#sql.bound.get(counter) ?? [undefined];
    const holder = keyOf(found);
    const place = holder === undefined ? undefined : places.get(keyText(holder));
    if (holder !== undefined && place === undefined) return max;
    for (const [index, write] of group.entries()) {
      const set = boundOf(write.bounds, counter);
      if (set !== undefined) return set;
      if (index === place && keepsBound(write, counter)) return max;
    }
    return undefined;
  }

  /** By how much a write changes its own use of a counter. */
  #delta(write: BatchWrite, counter: string): number {
    const keeps = write.kind === "schedule" || (write.kind === "put" && write.uses === undefined);
    if (keeps) return 0;
    const { kind, namespace, name } = write.key;
    const before = this.#sql.use.get(kind, namespace, name, counter)?.[0] ?? 0;
    const after = write.uses?.find((use) => use.counter === counter)?.amount ?? 0;
    return after - before;
  }

  #letGo({ key, names, uses, bounds }: BatchWrite): void {
    const { kind, namespace, name } = key;
    const sql = this.#sql;
    if (names !== undefined) {
      const kept = new Set(names.map((held) => JSON.stringify([held.scope, held.name])));
      for (const [scope, text] of sql.namesOf.all(kind, namespace, name)) {
        if (!kept.has(JSON.stringify([scope, text]))) sql.dropName.run(scope, text);
      }
    }
    if (bounds !== undefined) {
      for (const [counter] of sql.boundsOf.all(kind, namespace, name)) {
        if (boundOf(bounds, counter) === undefined) sql.dropBound.run(counter);
      }
    }
    if (uses === undefined) return;
    for (const [counter, amount] of sql.usesOf.all(kind, namespace, name)) {
      if (uses.some((use) => use.counter === counter)) continue;
      sql.dropUse.run(kind, namespace, name, counter);
      this.#add(counter, -amount);
    }
  }

  #take(write: BatchWrite): void {
    const { key, names = [], uses = [], bounds = [] } = write;
    const { kind, namespace, name } = key;
    const sql = this.#sql;
    for (const held of names) {
      if (held.isHome === true && !hasAnother(names, held)) continue;
      const isNew = isCreation(write) || sql.nameHolder.get(held.scope, held.name) === undefined;
      if (isNew) sql.takeName.run(held.scope, held.name, kind, namespace, name);
    }
    for (const { counter, max } of bounds) sql.setBound.run(counter, max, kind, namespace, name);
    for (const { counter, amount } of uses) {
      const before = sql.use.get(kind, namespace, name, counter)?.[0];
      if (before === amount) continue;
      sql.setUse.run(kind, namespace, name, counter, amount);
      this.#add(counter, amount - (before ?? 0));
    }
  }

  #add(counter: string, amount: number): void {
    if (amount === 0) return;
    this.#sql.add.run(counter, amount);
    if (amount < 0) this.#sql.dropCounter.run(counter);
  }
}

/** What is not there holds nothing yet. */
function isCreation({ when }: BatchWrite): boolean {
  return when.kind === "absent";
}

export function hasHoldings({ names, uses, bounds }: BatchWrite): boolean {
  return names !== undefined || uses !== undefined || bounds !== undefined;
}

function keyOf(row: readonly string[] | undefined): ResourceKey | undefined {
  const [kind, namespace, name] = row ?? [];
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  return { kind, namespace, name };
}

/** Whether the holder still holds the name after the group; one outside the group does. */
function keepsName(write: BatchWrite | undefined, held: UniqueName): boolean {
  if (write === undefined) return true;
  if (write.kind === "delete") return false;
  return write.names === undefined || isAmong(write.names, held);
}

/** The same of a name that has no row. */
function staysHome(write: BatchWrite | undefined, held: UniqueName): boolean {
  if (write === undefined) return true;
  if (write.kind === "delete") return false;
  const { names = [] } = write;
  return isAmong(names, held) || !hasAnother(names, held);
}

function isAmong(names: readonly UniqueName[], { scope, name }: UniqueName): boolean {
  return names.some((held) => held.scope === scope && held.name === name);
}

/** Whether there is another name of the scope, which says that its holder is not at home. */
function hasAnother(names: readonly UniqueName[], { scope, name }: UniqueName): boolean {
  return names.some((held) => held.scope === scope && held.name !== name);
}

function keepsBound(write: BatchWrite | undefined, counter: string): boolean {
  if (write === undefined) return true;
  if (write.kind === "delete") return false;
  return write.bounds === undefined || boundOf(write.bounds, counter) !== undefined;
}

function boundOf(bounds: readonly CounterBound[] | undefined, counter: string) {
  return bounds?.find((bound) => bound.counter === counter)?.max;
}

function nameTaken(
  name: { readonly scope: string; readonly name: string },
  holder: ResourceKey | undefined,
): Refusal {
  const by = holder === undefined ? "another write of the group" : formatReference(holder);
  return {
    kind: "refused",
    code: "name.taken",
    message: `${name.name} is taken in ${name.scope} by ${by}`,
    details: { ...name, holder: holder === undefined ? null : { ...holder } },
  };
}

function boundTaken(counter: string, holder: ResourceKey | undefined): Refusal {
  const by = holder === undefined ? "another write of the group" : formatReference(holder);
  return {
    kind: "refused",
    code: "name.taken",
    message: `the limit of ${counter} is set by ${by}`,
    details: { counter, holder: holder === undefined ? null : { ...holder } },
  };
}

function counterExceeded(counter: string, value: number, max: number): Refusal {
  return {
    kind: "refused",
    code: "counter.exceeded",
    message: `${counter} would be ${value}, above its limit of ${max}`,
    details: { counter, value, max },
  };
}
