// Watches the shared store and keeps its own account of who holds what. It sees every claim,
// renewal and write at the moment of its effect, in the store's time, and stops the run at the
// first one that breaks a rule. It trusts neither the engine nor the store.

import { adoptionKind, cursorKind, journalKind } from "../../src/engine/names.ts";
import { keyText } from "../../src/kernel/resource.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import type { Answer, Claim, ClaimRef, Renewal, Write } from "../../src/store/port.ts";
import type { SimulatedProcess } from "./process.ts";
import { Violation } from "./violation.ts";

export interface HeldClaim {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly token: number;
  readonly revision: number;
  /** Who asked for it, which may have crashed before it was told. */
  readonly process: SimulatedProcess;
  expiresAtMs: number;
  /** How it ended; undefined while it goes on, or has run out unnoticed. */
  end: "expired" | "released" | "deleted" | undefined;
}

export interface RefereeCounts {
  claims: number;
  takeovers: number;
  renewals: number;
  fencedWrites: number;
  refusedWrites: number;
}

export class Referee {
  readonly counts: RefereeCounts = {
    claims: 0,
    takeovers: 0,
    renewals: 0,
    fencedWrites: 0,
    refusedWrites: 0,
  };
  readonly #holders = new Map<string, HeldClaim>();
  readonly #byToken = new Map<number, HeldClaim>();
  #lastToken = 0;
  /** The text of every journal ever stored, searched for step results. */
  readonly #journaled: string[] = [];
  readonly #isThere: (uid: string) => boolean;
  /** Told of every claim that ran out and was followed by another. */
  onTakeover: (before: HeldClaim) => void = () => undefined;

  /** `isThere` says whether a resource with a uid exists. */
  constructor(isThere: (uid: string) => boolean) {
    this.#isThere = isThere;
  }

  claimOf(token: number): HeldClaim | undefined {
    return this.#byToken.get(token);
  }

  isLive(token: number, nowMs: number): boolean {
    const claim = this.#byToken.get(token);
    return claim !== undefined && claim.end === undefined && claim.expiresAtMs > nowMs;
  }

  /** Whether a text has ever been part of a stored journal. */
  wasJournaled(text: string): boolean {
    return this.#journaled.some((body) => body.includes(text));
  }

  /** The claims that a process holds now. */
  heldBy(process: SimulatedProcess, nowMs: number): readonly HeldClaim[] {
    const mine = [...this.#holders.values()].filter((claim) => claim.process === process);
    return mine.filter(({ token }) => this.isLive(token, nowMs));
  }

  claimed(process: SimulatedProcess, claims: readonly Claim[], nowMs: number): void {
    for (const claim of claims) {
      const { key, token, uid, revision, expiresAtMs } = claim;
      const before = this.#holders.get(keyText(key));
      if (before !== undefined && before.end === undefined) {
        if (before.expiresAtMs > nowMs) {
          const text = `${keyText(key)} is claimed with ${token} while ${before.token} is valid`;
          throw new Violation("exclusive-claim", text);
        }
        before.end = "expired";
        this.counts.takeovers += 1;
        this.onTakeover(before);
      }
      if (token <= this.#lastToken) {
        throw new Violation("growing-tokens", `${token} after ${this.#lastToken}`);
      }
      this.#lastToken = token;
      const held = { key, uid, token, revision, process, expiresAtMs, end: undefined };
      this.#holders.set(keyText(key), held);
      this.#byToken.set(token, held);
      this.counts.claims += 1;
    }
  }

  renewed({ renewed }: Renewal, nowMs: number): void {
    for (const { key, token, expiresAtMs } of renewed) {
      const held = this.#byToken.get(token);
      if (held === undefined || held.end !== undefined || held.expiresAtMs <= nowMs) {
        throw new Violation(
          "exclusive-claim",
          `${keyText(key)}: ${token} was renewed after its end`,
        );
      }
      held.expiresAtMs = expiresAtMs;
      this.counts.renewals += 1;
    }
  }

  /** Of a worker, or of nobody in particular (a user, housekeeping). */
  written(
    process: SimulatedProcess | undefined,
    writes: readonly Write[],
    answers: readonly Answer[],
    nowMs: number,
  ): void {
    for (const [index, write] of writes.entries()) {
      if (answers[index]?.kind === "refused") this.counts.refusedWrites += 1;
      else this.#accepted(process, write, nowMs);
    }
    // Only now: the writes of a group are judged before any of them ends a claim.
    for (const [index, write] of writes.entries()) {
      if (answers[index]?.kind !== "refused") this.#applied(write);
    }
  }

  #accepted(process: SimulatedProcess | undefined, write: Write, nowMs: number): void {
    const { claim } = write;
    if (process === undefined) return;
    if (claim === undefined) {
      if (mayBeUnfenced(write) || this.#isOrphanedJournal(write)) return;
      throw new Violation(
        "fenced-writes",
        `${process.name} writes ${textOf(write)} without a claim`,
      );
    }
    if (!this.isLive(claim.token, nowMs)) throw stale(process, write, claim, "after its end");
    const held = this.#byToken.get(claim.token);
    if (held?.process !== process) throw stale(process, write, claim, "of another process");
    const isOfKey = keyText(held.key) === keyText(claim.key);
    if (!isOfKey) throw stale(process, write, claim, "of another key");
    this.counts.fencedWrites += 1;
  }

  /** Whose resource is gone is nobody's, and never becomes anybody's again. */
  #isOrphanedJournal({ kind, key }: Write): boolean {
    return kind === "delete" && key.kind === journalKind && !this.#isThere(key.name);
  }

  #applied(write: Write): void {
    if (write.kind === "put" && write.key.kind === journalKind) {
      this.#journaled.push(write.draft.body.toString());
    }
    const isEnd = write.kind === "delete" || write.due?.kind === "release";
    if (!isEnd) return;
    const held = this.#holders.get(keyText(write.key));
    if (held !== undefined) held.end = write.kind === "delete" ? "deleted" : "released";
    this.#holders.delete(keyText(write.key));
  }
}

/**
 * Waking is harmless whoever does it; the place of the follower is made before it can be held; and
 * which kinds were adopted is nobody's in particular, and told apart by revisions.
 */
function mayBeUnfenced(write: Write): boolean {
  if (write.kind === "schedule") return write.due.kind === "wake";
  if (write.key.kind === adoptionKind) return true;
  return write.key.kind === cursorKind && write.kind === "put" && write.when.kind === "absent";
}

function stale(process: SimulatedProcess, write: Write, claim: ClaimRef, why: string): Violation {
  const text = `${process.name}: ${textOf(write)} was accepted with claim ${claim.token} ${why}`;
  return new Violation("fenced-writes", text);
}

function textOf(write: Write): string {
  const due = write.kind === "delete" ? undefined : write.due?.kind;
  return `${write.kind} ${keyText(write.key)}${due === undefined ? "" : ` (${due})`}`;
}
