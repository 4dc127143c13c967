/**
 * Stores a shipment in the writer's transaction. What its rows leave behind is written, not each
 * step: a name that moves within a shipment is moved once. Rows of `held` are kept as they came, so
 * that this store can ship them when it is the primary.
 */
import type { DatabaseSync } from "node:sqlite";
import { loadedCause } from "../stored-cause.ts";
import type { ChangeRow, HeldRow, Place, Promotion, Shipment } from "../replication.ts";
import { checkContinues, checkDemotion, checkPromotion } from "../shipment.ts";
import { lastChanges, lastHeld, revisionLeap, splitRows, tokenLeap } from "../shipment.ts";
import { readLink } from "./shipping.ts";
import { action, rows } from "./sql.ts";
import { readStanding } from "./standing.ts";

function statements(db: DatabaseSync) {
  const key = "kind = ? AND namespace = ? AND name = ?";
  return {
    change: action(
      db,
      "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)",
    ),
    resource: action(db, "INSERT OR REPLACE INTO resource VALUES (?, ?, ?, ?, ?, ?, ?)"),
    remove: action(db, `DELETE FROM resource WHERE ${key}`),
    terms: rows<[string]>(db, `SELECT terms FROM resource WHERE ${key}`),
    addTerm: action(db, "INSERT OR IGNORE INTO term VALUES (?, ?, ?, ?)"),
    dropTerm: action(
      db,
      "DELETE FROM term WHERE kind = ? AND term = ? AND namespace = ? AND name = ?",
    ),
    held: action(db, "INSERT INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    dropName: action(db, "DELETE FROM unique_name WHERE scope = ? AND name = ?"),
    takeName: action(db, "INSERT INTO unique_name VALUES (?, ?, ?, ?, ?)"),
    dropBound: action(db, "DELETE FROM counter_bound WHERE counter = ?"),
    setBound: action(db, "INSERT INTO counter_bound VALUES (?, ?, ?, ?, ?)"),
    use: rows<[number]>(
      db,
      `SELECT amount FROM counter_use WHERE holder_kind = ? AND holder_namespace = ?
       AND holder_name = ? AND counter = ?`,
    ),
    setUse: action(db, "INSERT OR REPLACE INTO counter_use VALUES (?, ?, ?, ?, ?)"),
    dropUse: action(
      db,
      `DELETE FROM counter_use WHERE holder_kind = ? AND holder_namespace = ?
       AND holder_name = ? AND counter = ?`,
    ),
    add: action(
      db,
      `INSERT INTO counter VALUES (?1, ?2)
       ON CONFLICT (counter) DO UPDATE SET value = value + excluded.value`,
    ),
    dropCounter: action(db, "DELETE FROM counter WHERE counter = ? AND value = 0"),
    head: action(
      db,
      `UPDATE head SET revision = ?, held = ?, epoch = ?, last_token = max(last_token, ?)
       WHERE id = 1`,
    ),
  };
}

function roleStatements(db: DatabaseSync) {
  return {
    demote: action(
      db,
      "UPDATE head SET role = 'secondary', primary_name = ?, held = ?, epoch = ? WHERE id = 1",
    ),
    promote: action(
      db,
      `UPDATE head SET role = 'primary', primary_name = '', epoch = epoch + 1,
         revision = revision + ?1, last_token = max(last_token, ?3) + ?2,
         compacted = iif(?1 > 0, revision + ?1, compacted) WHERE id = 1`,
    ),
    wake: action(
      db,
      `INSERT INTO due (kind, namespace, name, due_at, attempts)
       SELECT kind, namespace, name,
         ?1 + (row_number() OVER (ORDER BY kind, namespace, name) - 1) * 1000 / ?2, 0
       FROM resource WHERE kind IN (SELECT value FROM json_each(?3))
       ON CONFLICT DO NOTHING`,
    ),
    dropNumber: action(db, "DELETE FROM sqlite_sequence WHERE name = 'held'"),
    setNumber: action(db, "INSERT INTO sqlite_sequence (name, seq) VALUES ('held', ?)"),
    notPrimary: action(db, "INSERT OR IGNORE INTO not_primary VALUES (1)"),
    isPrimary: action(db, "DELETE FROM not_primary"),
    noWork: action(db, "DELETE FROM due"),
    needsThis: action(
      db,
      `UPDATE setpoint_schema SET compatible_from = version
       WHERE name = '0004_replication'`,
    ),
  };
}

export class Following {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof statements>;
  readonly #roles: ReturnType<typeof roleStatements>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = statements(db);
    this.#roles = roleStatements(db);
  }

  follow(shipment: Shipment): Place {
    const { standing } = readStanding(this.#db);
    checkContinues(standing, readLink(this.#db, shipment.from.revision), shipment);
    const { changes, held } = splitRows(shipment);
    for (const row of changes) this.#addChange(row);
    for (const row of lastChanges(changes)) this.#moveResource(row);
    for (const row of held) this.#keep(row);
    const last = lastHeld(held);
    for (const row of last) this.#letGo(row);
    for (const row of last) if (row.amount !== null) this.#take(row, row.amount);
    const { to, epoch, lastToken } = shipment;
    this.#sql.head.run(to.revision, to.held, epoch, lastToken);
    return to;
  }

  /** Older programs would commit whatever the role is: from now on they refuse the file. */
  demote(primary: string, epoch?: number): void {
    const { standing } = readStanding(this.#db);
    checkDemotion(standing, epoch);
    this.#roles.demote.run(primary, standing.at.held, epoch ?? standing.epoch);
    this.#roles.notPrimary.run();
    this.#roles.noWork.run();
    this.#roles.needsThis.run();
  }

  promote(promotion: Promotion, nowMs: number): void {
    const { standing } = readStanding(this.#db);
    checkPromotion(standing, promotion);
    const { from, kinds, perSecond } = promotion;
    const sql = this.#roles;
    sql.promote.run(from === undefined ? revisionLeap : 0, tokenLeap, from?.lastToken ?? 0);
    sql.isPrimary.run();
    // What is held from now on has numbers above those that were followed.
    sql.dropNumber.run();
    sql.setNumber.run(standing.at.held);
    sql.wake.run(nowMs, perSecond, JSON.stringify(kinds));
  }

  #addChange(row: ChangeRow): void {
    const { revision, previous, type, key, uid, atMs, digest, document, sealed } = row;
    const { kind, namespace, name } = key;
    const terms = JSON.stringify(row.terms);
    const place = [revision, previous, type, kind, namespace, name, uid, atMs] as const;
    this.#sql.change.run(...place, terms, digest, document, sealed, loadedCause(row.cause));
  }

  #moveResource({ key, type, revision, uid, digest, terms }: ChangeRow): void {
    const { kind, namespace, name } = key;
    const sql = this.#sql;
    const before = parsedTerms(sql.terms.get(kind, namespace, name)?.[0]);
    const wanted = type === "deleted" ? [] : terms;
    for (const term of before) {
      if (!wanted.includes(term)) sql.dropTerm.run(kind, term, namespace, name);
    }
    for (const term of wanted) {
      if (!before.includes(term)) sql.addTerm.run(kind, term, namespace, name);
    }
    if (type === "deleted") sql.remove.run(kind, namespace, name);
    else sql.resource.run(kind, namespace, name, revision, uid, digest, JSON.stringify(terms));
  }

  #keep({ id, after, what, scope, name, key, amount }: HeldRow): void {
    const { kind, namespace, name: holder } = key;
    this.#sql.held.run(id, after, what, scope, name, kind, namespace, holder, amount);
  }

  #letGo({ what, scope, name, key, amount }: HeldRow): void {
    const sql = this.#sql;
    if (what === "name") sql.dropName.run(scope, name);
    if (what === "bound") sql.dropBound.run(scope);
    if (what !== "use" || amount !== null) return;
    this.#count(key, scope, 0);
    sql.dropUse.run(key.kind, key.namespace, key.name, scope);
  }

  #take({ what, scope, name, key }: HeldRow, amount: number): void {
    const { kind, namespace, name: holder } = key;
    const sql = this.#sql;
    if (what === "name") sql.takeName.run(scope, name, kind, namespace, holder);
    if (what === "bound") sql.setBound.run(scope, amount, kind, namespace, holder);
    if (what !== "use") return;
    this.#count(key, scope, amount);
    sql.setUse.run(kind, namespace, holder, scope, amount);
  }

  #count(key: HeldRow["key"], counter: string, amount: number): void {
    const sql = this.#sql;
    const before = sql.use.get(key.kind, key.namespace, key.name, counter)?.[0] ?? 0;
    if (amount === before) return;
    sql.add.run(counter, amount - before);
    sql.dropCounter.run(counter);
  }
}

function parsedTerms(text: string | undefined): readonly string[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly string[]);
}
