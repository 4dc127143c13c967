// Everything the writers of a store ever said, over all rounds on the same data: the calls with
// what is known of their outcome, the claims, and the changes that followers saw. It is the
// parent's knowledge, so no crash of a writer or a database touches it.
import type { AnswerNote, ClaimNote, Evidence, WriteNote } from "./evidence.ts";

export interface Call {
  readonly id: string;
  readonly atomic: boolean;
  readonly writes: readonly WriteNote[];
  readonly beginUs: number;
  readonly wallMs: number;
  outcome: Outcome;
}

export type Outcome =
  | { readonly kind: "answered"; readonly atUs: number; readonly answers: readonly AnswerNote[] }
  | { readonly kind: "failed"; readonly atUs: number; readonly code: string }
  /** The process died first, or the store itself said that it cannot know. */
  | { readonly kind: "unknown" };

export interface LedgerClaim extends ClaimNote {
  readonly beginUs: number;
  readonly atUs: number;
  readonly leaseMs: number;
}

export class Ledger {
  readonly calls = new Map<string, Call>();
  readonly claims: LedgerClaim[] = [];
  /** When each token ends at the latest, as far as its holder was told. */
  readonly leaseEnds = new Map<number, number>();
  readonly seen = new Map<number, string>();
  readonly problems: string[] = [];

  add(lines: Iterable<Evidence>): void {
    for (const line of lines) this.#addLine(line);
  }

  /** How many writes were acknowledged with a revision of their own. */
  get acknowledged(): number {
    let count = 0;
    for (const { outcome } of this.calls.values()) {
      if (outcome.kind !== "answered") continue;
      count += outcome.answers.filter((answer) => answer.kind === "committed").length;
    }
    return count;
  }

  get unknown(): number {
    return [...this.calls.values()].filter((call) => call.outcome.kind === "unknown").length;
  }

  #addLine(line: Evidence): void {
    switch (line.kind) {
      case "begin": {
        const { id, atomic, writes, atUs: beginUs, wallMs } = line;
        const outcome = { kind: "unknown" } as const;
        this.calls.set(id, { id, atomic, writes, beginUs, wallMs, outcome });
        return;
      }
      case "end":
        this.#settle(line.id, { kind: "answered", atUs: line.atUs, answers: line.answers });
        return;
      case "fail":
        if (line.code === "store.outcome_unknown") return;
        this.#settle(line.id, { kind: "failed", atUs: line.atUs, code: line.code });
        return;
      case "claimed": {
        const { beginUs, atUs, leaseMs } = line;
        for (const claim of line.claims) {
          this.claims.push({ ...claim, beginUs, atUs, leaseMs });
          this.leaseEnds.set(claim.token, claim.expiresAtMs);
        }
        return;
      }
      case "renewed":
        this.leaseEnds.set(line.token, line.expiresAtMs);
        return;
      case "seen":
        for (const [index, digest] of line.digests.entries()) this.#see(line.first + index, digest);
        return;
      case "problem":
        this.problems.push(line.text);
        return;
      case "ready":
        return;
      default:
        line satisfies never;
    }
  }

  #settle(id: string, outcome: Outcome): void {
    const call = this.calls.get(id);
    if (call === undefined) this.problems.push(`answer to ${id}, which nobody asked`);
    else call.outcome = outcome;
  }

  #see(revision: number, digest: string): void {
    const before = this.seen.get(revision);
    if (before !== undefined && before !== digest) {
      this.problems.push(`revision ${revision} was seen with two contents: P3`);
    }
    this.seen.set(revision, digest);
  }
}
