/**
 * Replication (ADR 35): a primary ships its log, and secondaries store the same changes at the same
 * revisions. A store has a role and an epoch. Only a primary commits; a promotion raises the epoch,
 * so that no store follows an earlier primary any more.
 *
 * A shipment is what several whole commits wrote: their changes as they are stored, with secrets
 * sealed, and what they took or let go of (names, uses, bounds). It never ends within a commit, so
 * a secondary is always in a state that the primary had. Due times and claims are not shipped: a
 * secondary has none, so nothing is at work there.
 */
import type { DumpRow, Store } from "./port.ts";
import type { ResourceKey } from "../kernel/resource.ts";

export type Role = "primary" | "secondary";

export interface Standing {
  readonly role: Role;
  /** From 1 on. Each promotion begins another one. */
  readonly epoch: number;
  readonly at: Place;
  /** At least the highest token of a claim. */
  readonly lastToken: number;
  /** How the primary is named to clients; empty when the store does not know, or is it. */
  readonly primary: string;
}

/** A place in what is shipped. Some commits write only in `held`. */
export interface Place {
  readonly revision: number;
  /** The number of the newest row of `held`. */
  readonly held: number;
}

export type ChangeRow = Extract<DumpRow, { row: "change" }>;

/** What a commit let a resource hold (`amount`: of a use, or the limit of a bound), or let go. */
export interface HeldRow {
  readonly row: "held";
  readonly id: number;
  /** The head before its commit. */
  readonly after: number;
  readonly what: "name" | "use" | "bound";
  /** The scope of a name; the counter of a use or a bound. */
  readonly scope: string;
  /** Of a unique name; empty otherwise. */
  readonly name: string;
  readonly key: ResourceKey;
  /** Null when it was let go. */
  readonly amount: number | null;
}

export type ShippedRow = ChangeRow | HeldRow;

export interface Shipment {
  readonly epoch: number;
  readonly from: Place;
  /** A digest of the change at `from`, by which the secondary finds that it has the same one. */
  readonly link: string | null;
  /** Changes in the order of their revisions, then rows of `held` in the order of their ids. */
  readonly rows: readonly ShippedRow[];
  readonly to: Place;
  /** At least the highest token of a claim: those of a later primary are higher. */
  readonly lastToken: number;
  /** The head of the primary, and its clock when the shipment was read. */
  readonly head: number;
  readonly atMs: number;
  /** The key of the ring that `mac` was made with; both stores have the same ring. */
  readonly keyId: string;
  /** Authenticates everything above. */
  readonly mac: string;
}

export interface ShipOptions {
  /** A shipment ends with the first commit that reaches this many changes. */
  readonly limit?: number;
}

export interface Replication {
  standing(): Promise<Standing>;
  /**
   * What was committed after a place; empty when nothing was. `history.gone` when compaction has
   * removed a part of it: the secondary is then filled again by `seed`.
   */
  ship(after: Place, options?: ShipOptions): Promise<Shipment>;
  /**
   * Stores a shipment, whole or not at all, and returns the new place. Refuses everything that does
   * not continue this store: `replication.invalid` (a gap, a repetition, another key or content
   * that does not match its authentication), `replication.diverged` (this store has changes that
   * the primary never had), `replication.fenced` (of an earlier epoch), `store.not_secondary`.
   */
  follow(shipment: Shipment): Promise<Place>;
  /** Fills an empty store from a dump of the primary, as its secondary. */
  seed(rows: AsyncIterable<DumpRow>, primary: string): Promise<Place>;
  /**
   * Makes this store a secondary. What is committed when this is called is answered before; then
   * every commit is refused with `store.not_primary`, every claim ends and no work is due. With the
   * epoch of another primary it is fenced: it follows no earlier one. `replication.fenced` when its
   * own epoch is higher.
   */
  demote(primary: string, epoch?: number): Promise<Standing>;
  /**
   * Makes a secondary the primary of the next epoch, in one transaction. Claims get tokens above
   * all earlier ones. See `Promotion`; `store.not_secondary` when it is a primary already.
   */
  promote(promotion: Promotion): Promise<Standing>;
}

export interface Promotion {
  /**
   * What the former primary said when it was demoted: nothing is lost. `replication.behind` when
   * this store is at another place. Without it the former primary may have committed more, which
   * is lost: revisions advance far beyond any that it can have given out, and history begins there.
   */
  readonly from?: Pick<Standing, "at" | "lastToken">;
  /** Kinds whose resources become due, because work may have been under way. */
  readonly kinds: readonly string[];
  /** How many of them become due per second. */
  readonly perSecond: number;
}

export interface ReplicatedStore extends Store {
  readonly replication: Replication;
}
