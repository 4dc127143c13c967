// The breakers of one system: one for each namespace, and one for all. A namespace whose calls fail
// is shut out alone, because what fails may be its own doing, and must not keep its neighbours from
// a system that serves them well. When several namespaces fail and none succeeds between, it is the
// system, and nobody is let through but one probe.

import { admitCall, isBlank, newBreaker, reportCall } from "./breaker.ts";
import type { Breaker, BreakerPolicy, CallResult } from "./breaker.ts";

export interface Pass {
  readonly kind: "pass";
  readonly namespace: string;
  readonly ownEra: number;
  readonly sharedEra: number;
}

export interface Refusal {
  readonly kind: "refusal";
  readonly untilMs: number;
}

/** Told when something opened or closed; undefined stands for all namespaces. */
export type BreakerChange = (namespace: string | undefined, breaker: Breaker) => void;

const maxNamespaces = 1_000;
/** As many namespaces have to fail in a row before nobody is let through. */
const failingNamespaces = 3;
const severity = { closed: 0, "half-open": 1, open: 2 } as const;

export class Breakers {
  readonly #policy: BreakerPolicy;
  readonly #sharedPolicy: BreakerPolicy;
  readonly #changed: BreakerChange;
  readonly #own = new Map<string, Breaker>();
  #shared: Breaker;
  /** Namespaces that failed since anybody last succeeded. */
  readonly #failing = new Set<string>();
  #sweptMs: number;

  constructor(policy: BreakerPolicy, nowMs: number, changed: BreakerChange) {
    this.#policy = policy;
    this.#sharedPolicy = { ...policy, consecutiveFailures: failingNamespaces, minCalls: Infinity };
    this.#changed = changed;
    this.#shared = newBreaker(nowMs);
    this.#sweptMs = nowMs;
  }

  /** The worst of all. */
  get state(): Breaker["kind"] {
    let worst = this.#shared.kind;
    for (const { kind } of this.#own.values()) if (severity[kind] > severity[worst]) worst = kind;
    return worst;
  }

  /** Whether `admit` would refuse, without taking the place of a probe. */
  refusal(namespace: string, nowMs: number): Refusal | undefined {
    const asked = this.#ask(namespace, nowMs);
    return asked.kind === "refusal" ? asked : undefined;
  }

  /** A pass, to be handed back with the result; or when to ask again. */
  admit(namespace: string, nowMs: number): Pass | Refusal {
    this.#sweep(nowMs);
    const asked = this.#ask(namespace, nowMs);
    if (asked.kind === "refusal") return asked;
    this.#setOwn(namespace, asked.before, asked.mine.breaker, nowMs);
    this.#setShared(asked.all.breaker);
    return { kind: "pass", namespace, ownEra: asked.mine.era, sharedEra: asked.all.era };
  }

  report(pass: Pass, result: CallResult, nowMs: number, chance: number): void {
    const { namespace, ownEra, sharedEra } = pass;
    const before = this.#ownOf(namespace, nowMs);
    const mine = { era: ownEra, result, nowMs, chance };
    this.#setOwn(namespace, before, reportCall(before, this.#policy, mine), nowMs);
    if (sharedEra !== this.#shared.era) return;
    // Of one namespace only the first failure counts, unless it was the probe for all.
    const isRepeated = this.#shared.kind === "closed" && this.#failing.has(namespace);
    if (result === "success") this.#failing.clear();
    if (result === "failure") this.#failing.add(namespace);
    if (isRepeated && result === "failure") return;
    const told = { era: sharedEra, result, nowMs, chance };
    this.#setShared(reportCall(this.#shared, this.#sharedPolicy, told));
  }

  #ask(namespace: string, nowMs: number): Asked | Refusal {
    const before = this.#ownOf(namespace, nowMs);
    const mine = admitCall(before, this.#policy, nowMs);
    const all = admitCall(this.#shared, this.#sharedPolicy, nowMs);
    if (mine.kind === "go" && all.kind === "go") return { kind: "asked", before, mine, all };
    const times = [mine, all].map((each) => (each.kind === "go" ? 0 : each.untilMs));
    return { kind: "refusal", untilMs: Math.max(...times) };
  }

  #ownOf(namespace: string, nowMs: number): Breaker {
    return this.#own.get(namespace) ?? newBreaker(nowMs);
  }

  #setOwn(namespace: string, before: Breaker, after: Breaker | undefined, nowMs: number): void {
    if (before === after) return;
    this.#own.delete(namespace);
    if (after !== undefined) this.#own.set(namespace, after);
    if (this.#own.size > maxNamespaces) forgetOne(this.#own, this.#policy, nowMs);
    const next = after ?? newBreaker(nowMs);
    if (before.kind !== next.kind) this.#changed(namespace, next);
  }

  #setShared(after: Breaker): void {
    const before = this.#shared;
    this.#shared = after;
    if (before.kind !== after.kind) this.#changed(undefined, after);
  }

  /** A namespace that has gone away must not look like a broken system for ever. */
  #sweep(nowMs: number): void {
    const { windowMs, openMostMs } = this.#policy;
    if (Math.abs(nowMs - this.#sweptMs) < windowMs) return;
    this.#sweptMs = nowMs;
    for (const [namespace, breaker] of this.#own) {
      const isLeft = breaker.kind === "open" && breaker.untilMs + openMostMs < nowMs;
      if (!isLeft && !isBlank(breaker, this.#policy, nowMs)) continue;
      this.#setOwn(namespace, breaker, undefined, nowMs);
    }
  }
}

interface Asked {
  readonly kind: "asked";
  readonly before: Breaker;
  readonly mine: Extract<ReturnType<typeof admitCall>, { kind: "go" }>;
  readonly all: Extract<ReturnType<typeof admitCall>, { kind: "go" }>;
}

/** The longest unused of those that say nothing, else of all. */
function forgetOne(own: Map<string, Breaker>, policy: BreakerPolicy, nowMs: number): void {
  const [oldest] = own.keys();
  for (const [namespace, breaker] of own) {
    if (!isBlank(breaker, policy, nowMs)) continue;
    own.delete(namespace);
    return;
  }
  if (oldest !== undefined) own.delete(oldest);
}
