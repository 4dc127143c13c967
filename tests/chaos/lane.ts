// One of the concurrent callers inside a writer: it says what it is about to do, does it, and says
// what came back. What it does is chosen by the actions in actions.ts from its own seeded chance.
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/kernel/random.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import { keyText } from "../../src/kernel/resource.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import { systemCause } from "../../src/kernel/cause.ts";
import type { Answer, Claim, ClaimRef, Put, Store, Write } from "../../src/store/port.ts";
import { chaosDraft, leaseMs } from "./documents.ts";
import type { ChaosContent } from "./documents.ts";
import { answerNote, codeOf, noteOf, nowUs } from "./evidence.ts";
import type { Emit } from "./evidence.ts";

export class Lane {
  readonly store: Store;
  /** Claims it let go of without a word, to be used when they are no longer good. */
  readonly stale: (ClaimRef & { readonly sinceUs: number })[] = [];
  readonly #name: string;
  readonly #emit: Emit;
  readonly #random: Random;
  #operations = 0;

  constructor(store: Store, name: string, seed: number, emit: Emit) {
    this.store = store;
    this.#name = name;
    this.#emit = emit;
    this.#random = seededRandom(seed);
  }

  /** A whole number in [0, below). */
  roll(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  nextOperation(): string {
    return `${this.#name}.${++this.#operations}`;
  }

  /** Mostly small documents, some larger than a page of the database. */
  padding(): string {
    const length = this.chance(0.05) ? 8_000 + this.roll(16_000) : this.roll(600);
    return "x".repeat(length);
  }

  /** A put of a new document; `uid` is the stored one, or left out for a new identity. */
  put(
    key: ResourceKey,
    parts: Omit<Put, "kind" | "key" | "uid" | "draft" | "cause">,
    content: Omit<ChaosContent, "uid" | "spec"> & {
      readonly uid?: string | undefined;
      readonly spec?: Omit<ChaosContent["spec"], "op">;
    } = {},
  ): Put {
    const op = this.nextOperation();
    const { uid = `uid-${op}`, spec = {}, ...others } = content;
    const draft = chaosDraft(key, { uid, spec: { op, ...spec }, ...others });
    return { kind: "put", key, uid, draft, cause: systemCause, ...parts };
  }

  /** The answers, or undefined when the call as a whole failed. */
  async submit(
    writes: readonly Write[],
    options: { readonly atomic?: boolean; readonly isRepeat?: boolean } = {},
  ): Promise<readonly Answer[] | undefined> {
    const { atomic = false, isRepeat = false } = options;
    const id = `call-${this.nextOperation()}`;
    const notes = writes.map((write) => noteOf(write, isRepeat));
    const wallMs = Date.now();
    this.#emit({ kind: "begin", id, atUs: nowUs(), wallMs, atomic, writes: notes });
    try {
      const answers = await this.store.commit(writes, { atomic });
      this.#emit({ kind: "end", id, atUs: nowUs(), answers: answers.map(answerNote) });
      return answers;
    } catch (error) {
      this.#emit({ kind: "fail", id, atUs: nowUs(), code: codeOf(error) });
      await this.rest();
      return undefined;
    }
  }

  async claim(kind: string, limit: number): Promise<readonly Claim[]> {
    const beginUs = nowUs();
    const owner = this.#name;
    const claims = await this.store.claim({ owner, kinds: [kind], limit, leaseMs });
    const notes = claims.map(({ key, uid, token, expiresAtMs }) => {
      return { key: keyText(key), uid, token, expiresAtMs };
    });
    if (notes.length > 0) {
      this.#emit({ kind: "claimed", beginUs, atUs: nowUs(), leaseMs, claims: notes });
    }
    return claims;
  }

  async renew(claim: ClaimRef): Promise<void> {
    const { renewed } = await this.store.renew([claim], leaseMs);
    for (const { token, expiresAtMs } of renewed) {
      this.#emit({ kind: "renewed", token, expiresAtMs });
    }
  }

  problem(text: string): void {
    this.#emit({ kind: "problem", text: `${this.#name}: ${text}` });
  }

  /** After a failure, so that a store that is away is not asked a million times. */
  async rest(): Promise<void> {
    await delay(5 + this.roll(20));
  }
}
