/**
 * The parts of shipments that do not depend on the database: where one ends, how it is
 * authenticated, and what its rows leave behind.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import { keyText } from "../kernel/resource.ts";
import { checkCount, checkKinds, isCount } from "./arguments.ts";
import type { KeyRing, SealKey } from "./key-ring.ts";
import type {
  ChangeRow,
  HeldRow,
  Place,
  Promotion,
  Shipment,
  ShipOptions,
  Standing,
} from "./replication.ts";

const defaultItems = 500;
/** More revisions than can have been given out by a store after its last backup or shipment. */
export const revisionLeap = 1_000_000_000;
/** The same for the tokens of claims, which external systems remember. */
export const tokenLeap = 1_000_000_000_000;

/** The size of a change in the log, before it is read. */
export interface ChangeSize {
  readonly revision: number;
  readonly atMs: number;
  readonly bytes: number;
}

export function checkShip(
  { revision, held }: Place,
  { limit = defaultItems }: ShipOptions,
): number {
  checkCount(revision, "after.revision");
  checkCount(held, "after.held");
  checkCount(limit, "limit");
  return Math.max(1, Math.min(limit, limits.eventPageItems));
}

/**
 * The revision at which a shipment of at most about `limit` changes ends. All changes of a commit
 * have one time, so it ends only where the time changes, or with the last of `sizes` when that is
 * the head. Undefined: more sizes are needed to find an end.
 */
export function endOf(
  sizes: readonly ChangeSize[],
  limit: number,
  head: number,
): number | undefined {
  let bytes = 0;
  for (const [index, { revision, atMs, bytes: size }] of sizes.entries()) {
    bytes += size;
    const next = sizes[index + 1];
    if (next === undefined) return revision === head ? revision : undefined;
    if (next.atMs === atMs) continue;
    if (index + 1 >= limit || bytes + next.bytes > limits.maxPageBytes) return revision;
  }
  return undefined;
}

/** Identifies a change in every store that has it. Erasure and new keys do not alter this. */
export function linkOf(change: Pick<ChangeRow, "revision" | "type" | "key" | "uid" | "atMs">) {
  const { revision, type, key, uid, atMs } = change;
  const text = JSON.stringify([revision, type, keyText(key), uid, atMs]);
  return createHash("sha256").update(text).digest("hex");
}

export function authenticate(ring: KeyRing, parts: Omit<Shipment, "keyId" | "mac">): Shipment {
  const key = ring.active();
  const shipment = { ...parts, keyId: key.id, mac: "" };
  return { ...shipment, mac: macOf(key, shipment).toString("hex") };
}

function macOf(key: SealKey, { mac: _, rows, ...rest }: Shipment): Buffer {
  const secret = hkdfSync("sha256", key.secret, "", "setpoint replication", 32);
  const mac = createHmac("sha256", Buffer.from(secret));
  // The lengths of the bytes are in the text before them, so nothing can move between fields.
  const { epoch, from, link, to, lastToken, head } = rest;
  const places = [placeText(from), link, placeText(to)];
  mac.update(JSON.stringify([epoch, ...places, lastToken, head, rest.atMs]));
  for (const row of rows) {
    if (row.row === "held") {
      const { id, after, what, scope, name, key: holder, amount } = row;
      mac.update(JSON.stringify([id, after, what, scope, name, keyText(holder), amount]));
      continue;
    }
    const { revision, previous, type, key: of, uid, atMs, terms, cause, digest } = row;
    const { document, sealed } = row;
    const lengths = [digest.length, document?.length ?? -1, sealed?.length ?? -1];
    const { actor, impersonator, surface, traceId, correlationId } = cause ?? {};
    const why = [actor, impersonator, surface, traceId, correlationId];
    const place = [revision, previous, type, keyText(of), uid, atMs];
    mac.update(JSON.stringify([...place, terms, why, lengths]));
    mac.update(digest);
    if (document !== null) mac.update(document);
    if (sealed !== null) mac.update(sealed);
  }
  return mac.digest();
}

/** What the shipment alone shows: a store with our keys made it, and it is in order. */
export function checkShipment(ring: KeyRing, shipment: Shipment): void {
  const key = ring.find(shipment.keyId);
  if (key === undefined) {
    throw new SetpointError("secret.key_missing", "the primary has a key that this store lacks", {
      details: { keyId: shipment.keyId },
      suggestion: "copy the file of keys from the primary to the secondary",
    });
  }
  const mac = Buffer.from(shipment.mac, "hex");
  const expected = macOf(key, shipment);
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) {
    throw invalidShipment("its content does not match its authentication");
  }
  const { from, to, rows } = shipment;
  let { revision, held } = from;
  for (const row of rows) {
    if (row.row === "held") {
      if (row.id <= held || row.after > to.revision) throw invalidShipment("its rows are mixed up");
      held = row.id;
    } else if (row.revision === revision + 1) revision += 1;
    else throw invalidShipment(`revision ${revision + 1} is missing`);
  }
  if (revision !== to.revision || held !== to.held) throw invalidShipment("it is not complete");
}

/** What this store says to a shipment that is sound. `link` is that of its own newest change. */
export function checkContinues(own: Standing, link: string | null, shipment: Shipment): void {
  if (own.role !== "secondary") {
    throw notSecondary("a primary does not follow another store", own.epoch);
  }
  if (shipment.epoch < own.epoch) throw fenced(shipment.epoch, own.epoch);
  const { from } = shipment;
  if (from.revision !== own.at.revision || from.held !== own.at.held) {
    throw invalidShipment(
      `it continues ${placeText(from)}, and this store is at ${placeText(own.at)}`,
    );
  }
  if (link === null || shipment.link === null || link === shipment.link) return;
  throw new SetpointError(
    "replication.diverged",
    `revision ${from.revision} of this store is not that of the primary`,
    { details: { revision: from.revision } },
  );
}

export function checkDemotion(own: Standing, epoch: number = own.epoch): void {
  if (epoch < own.epoch) throw fenced(epoch, own.epoch);
}

export function checkPromotion(own: Standing, { from, kinds, perSecond }: Promotion): void {
  checkKinds(kinds);
  if (!isCount(perSecond) || perSecond === 0) {
    throw new SetpointError("request.invalid", "perSecond must be a whole number from 1 on", {
      details: { field: "perSecond" },
    });
  }
  if (own.role !== "secondary") throw notSecondary("a primary cannot be promoted", own.epoch);
  if (from === undefined) return;
  checkCount(from.lastToken, "from.lastToken");
  const { at } = from;
  if (at.revision === own.at.revision && at.held === own.at.held) return;
  throw new SetpointError(
    "replication.behind",
    `the former primary is at ${placeText(at)}, and this store at ${placeText(own.at)}`,
    { details: { primary: { ...at }, secondary: { ...own.at } } },
  );
}

function placeText({ revision, held }: Place): string {
  return `${revision}/${held}`;
}

function fenced(epoch: number, own: number): SetpointError {
  const message = `epoch ${epoch} is over: this store has epoch ${own}`;
  return new SetpointError("replication.fenced", message, { details: { epoch, own } });
}

function notSecondary(why: string, epoch: number): SetpointError {
  return new SetpointError("store.not_secondary", why, { details: { epoch } });
}

export function invalidShipment(why: string): SetpointError {
  return new SetpointError("replication.invalid", `the shipment is refused: ${why}`);
}

export function gone(after: Place, mark: number): SetpointError {
  return new SetpointError(
    "history.gone",
    `changes after ${after.revision} cannot be shipped: history begins at ${mark}`,
    { details: { revision: after.revision, compacted: mark } },
  );
}

export function future(after: Place, head: Place): SetpointError {
  return new SetpointError(
    "replication.diverged",
    `the secondary is at ${placeText(after)}, and this store at ${placeText(head)}`,
    { details: { secondary: { ...after }, primary: { ...head } } },
  );
}

export function notPrimary(primary: string): SetpointError {
  const where = primary === "" ? "" : `; the primary is ${primary}`;
  return new SetpointError("store.not_primary", `this store is a secondary${where}`, {
    details: { primary },
  });
}

/** Rows of `held` that are not undone by a later one of the shipment, one for each held thing. */
export function lastHeld(rows: readonly HeldRow[]): readonly HeldRow[] {
  const last = new Map<string, HeldRow>();
  for (const row of rows) {
    const holder = row.what === "use" ? keyText(row.key) : "";
    last.set(JSON.stringify([row.what, row.scope, row.name, holder]), row);
  }
  return [...last.values()];
}

/** The newest change of each key in the shipment. */
export function lastChanges(rows: readonly ChangeRow[]): readonly ChangeRow[] {
  return [...new Map(rows.map((row) => [keyText(row.key), row])).values()];
}

export function splitRows(shipment: Shipment): {
  readonly changes: readonly ChangeRow[];
  readonly held: readonly HeldRow[];
} {
  const changes: ChangeRow[] = [];
  const held: HeldRow[] = [];
  for (const row of shipment.rows) {
    if (row.row === "held") held.push(row);
    else changes.push(row);
  }
  return { changes, held };
}
