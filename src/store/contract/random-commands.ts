/**
 * Random commands as plain data, so that fast-check can shrink and print them. They name keys,
 * revisions and claims loosely ("the right one", "an old one"); the loose names become real ones
 * when the command is run, from the model's state, so most commands do something.
 */
import * as fc from "fast-check";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Cause } from "../../kernel/cause.ts";
import type {
  ClaimRef,
  CounterBound,
  CounterUse,
  DueChange,
  Precondition,
  Write,
} from "../port.ts";
import type { ModelState } from "./model-state.ts";
import { absent, at, draft, exists, gadgets, key, minuteMs, widgets } from "./samples.ts";

export const kinds = [widgets, gadgets] as const;

export const keys: readonly ResourceKey[] = [
  key("a", "team-1"),
  key("b", "team-1"),
  key("c", "team-1"),
  key("a", "team-2"),
  key("\uff5e", "team-2"),
  key("\u{1f600}", "team-2"),
  key("d", ""),
  key("e", "team-3", gadgets),
];

export const uniqueNames = ["n", "m"].map((name) => ({ scope: "s", name }));
export const counters = ["cpu", "ram"] as const;
export const selectors = ["", "app=web", "app!=web", "app", "!app", "app in (web,db),app"] as const;

export interface WritePlan {
  readonly op: "put" | "delete" | "schedule";
  readonly key: number;
  readonly when: "right" | "exists" | "absent" | "stale" | "other uid";
  readonly spec: number;
  readonly label: "" | "web" | "db";
  readonly names: readonly (typeof uniqueNames)[number][] | undefined;
  readonly uses: readonly CounterUse[] | undefined;
  readonly bounds: readonly CounterBound[] | undefined;
  readonly due: "none" | "wake" | "release";
  readonly afterMinutes: number | undefined;
  readonly attempts: "keep" | "reset";
  readonly claim: "none" | "own" | "any" | "lost";
  readonly pick: number;
  readonly cause: Cause;
}

export type Command =
  | { readonly kind: "commit"; readonly atomic: boolean; readonly writes: readonly WritePlan[] }
  | {
      readonly kind: "claim";
      readonly limit: number;
      readonly leaseMinutes: number;
      readonly perNamespace: number | undefined;
      readonly skip: readonly string[];
    }
  | { readonly kind: "renew"; readonly picks: readonly number[]; readonly leaseMinutes: number }
  | { readonly kind: "advance"; readonly minutes: number }
  | {
      readonly kind: "list";
      readonly of: (typeof kinds)[number];
      readonly at: number | undefined;
      readonly namespace: string | undefined;
      readonly selector: (typeof selectors)[number];
      readonly limit: number;
    }
  | {
      readonly kind: "changes";
      readonly after: number;
      readonly limit: number;
      readonly of: readonly (typeof kinds)[number][] | undefined;
    }
  | { readonly kind: "history"; readonly key: number; readonly before: number | undefined }
  | { readonly kind: "compact"; readonly upTo: number }
  | { readonly kind: "reopen" };

const minutes = fc.integer({ min: 0, max: 4 });
const namespaces = ["", "team-1", "team-2", "team-3"];
/** Of the head: 1 is the head itself, a little more is the future. */
const place = fc.integer({ min: 0, max: 110 }).map((percent) => percent / 100);

function maybe<T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> {
  const rest = 10 - weight;
  return fc.oneof({ weight: rest, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
}

function oneOf<T extends string>(weights: { readonly [word in T]: number }): fc.Arbitrary<T> {
  const words = Object.entries<number>(weights) as [T, number][];
  return fc.oneof(...words.map(([word, weight]) => ({ weight, arbitrary: fc.constant(word) })));
}

const use = fc.record({
  counter: fc.constantFrom(...counters),
  amount: fc.integer({ min: 0, max: 4 }),
});
const bound = fc.record({
  counter: fc.constantFrom(...counters),
  max: fc.integer({ min: 0, max: 8 }),
});
const onePerCounter = { selector: (held: { counter: string }) => held.counter, maxLength: 2 };

/** A few of each, so that one call has the same cause twice as well as different ones. */
const cause: fc.Arbitrary<Cause> = fc.record(
  {
    actor: fc.constantFrom("jane", "\u{1f600}"),
    surface: fc.constantFrom("kube", "arm"),
    impersonator: fc.constant("root"),
    traceId: fc.constantFrom("a".repeat(32), "b".repeat(32)),
    correlationId: fc.constantFrom("c-1", "7f0c6a80-9d6b-4f0e-8a3c-0d6f5f1b2c3d"),
  },
  { requiredKeys: ["actor", "surface"], noNullPrototype: true },
);

const writePlan: fc.Arbitrary<WritePlan> = fc.record({
  op: oneOf({ put: 7, delete: 1, schedule: 2 }),
  key: fc.nat({ max: keys.length - 1 }),
  when: oneOf({ right: 14, exists: 3, absent: 1, stale: 1, "other uid": 1 }),
  spec: fc.nat({ max: 2 }),
  label: fc.constantFrom("", "web", "db"),
  names: maybe(fc.subarray(uniqueNames), 3),
  uses: maybe(fc.uniqueArray(use, onePerCounter), 4),
  bounds: maybe(fc.uniqueArray(bound, onePerCounter), 2),
  due: oneOf({ none: 2, wake: 4, release: 3 }),
  afterMinutes: maybe(minutes, 7),
  attempts: fc.constantFrom("keep", "reset"),
  claim: oneOf({ none: 5, own: 4, any: 1, lost: 1 }),
  pick: fc.nat({ max: 1_000 }),
  cause,
});

const commits = fc.record({
  kind: fc.constant("commit"),
  atomic: oneOf({ yes: 1, no: 2 }).map((word) => word === "yes"),
  writes: fc.uniqueArray(writePlan, {
    selector: (plan) => plan.key,
    minLength: 1,
    maxLength: 4,
  }),
});

const claims = fc.record({
  kind: fc.constant("claim"),
  limit: fc.integer({ min: 1, max: 6 }),
  leaseMinutes: fc.integer({ min: 1, max: 5 }),
  perNamespace: maybe(fc.integer({ min: 1, max: 2 }), 3),
  skip: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray(namespaces) },
  ),
});

const lists = fc.record({
  kind: fc.constant("list"),
  of: fc.constantFrom(...kinds),
  at: maybe(place, 6),
  namespace: maybe(fc.constantFrom(...namespaces), 3),
  selector: fc.constantFrom(...selectors),
  limit: fc.integer({ min: 1, max: 5 }),
});

const others: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant("renew"),
    picks: fc.uniqueArray(fc.nat({ max: 20 }), { maxLength: 3 }),
    leaseMinutes: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({
    kind: fc.constant("changes"),
    after: place,
    limit: fc.integer({ min: 1, max: 9 }),
    of: maybe(fc.subarray([...kinds], { minLength: 1 }), 1),
  }),
  fc.record({
    kind: fc.constant("history"),
    key: fc.nat({ max: keys.length - 1 }),
    before: maybe(place, 3),
  }),
);

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 24, arbitrary: commits },
  { weight: 6, arbitrary: claims },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("advance"), minutes }) },
  { weight: 3, arbitrary: lists },
  { weight: 4, arbitrary: others },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact"), upTo: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen") }) },
);

/** The write that a plan means in this state. `seen` holds every claim granted so far. */
export function writeOf(plan: WritePlan, state: ModelState, seen: readonly ClaimRef[]): Write {
  const of = keyAt(plan.key);
  const stored = state.live.get(keyText(of))?.entry;
  const claim = claimOf(plan, state, seen);
  const shared = { key: of, when: preconditionOf(plan, stored), ...(claim && { claim }) };
  if (plan.op === "delete") {
    const last = draft(of, { spec: "last", labels: { app: "web" } });
    return { kind: "delete", ...shared, cause: plan.cause, ...(plan.pick % 2 === 0 && { last }) };
  }
  const due = dueOf(plan, of, claim);
  if (plan.op === "schedule") {
    return { kind: "schedule", ...shared, due: due ?? { kind: "wake", afterMs: 0 } };
  }
  const { names, uses, bounds } = plan;
  return {
    kind: "put",
    ...shared,
    cause: plan.cause,
    uid: stored?.uid ?? `uid-${state.head}-${plan.key}`,
    draft: draft(of, { spec: plan.spec, ...(plan.label && { labels: { app: plan.label } }) }),
    ...(due && { due }),
    ...(names && { names }),
    ...(uses && { uses }),
    ...(bounds && { bounds }),
  };
}

/** The newest claim on the key itself, if it has one; any claim; or one that never was. */
function claimOf(
  plan: WritePlan,
  state: ModelState,
  seen: readonly ClaimRef[],
): ClaimRef | undefined {
  const of = keyAt(plan.key);
  const held = state.live.get(keyText(of))?.work.claim;
  switch (plan.claim) {
    case "none":
      return undefined;
    case "own":
      return held && { key: of, token: held.token };
    case "any":
      return seen.at(-1 - (plan.pick % 5));
    case "lost":
      return plan.pick % 3 === 0 ? { key: of, token: plan.pick % 5 } : undefined;
    default:
      return plan.claim satisfies never;
  }
}

export function keyAt(index: number): ResourceKey {
  return keys[index] ?? key("none");
}

function preconditionOf(
  plan: WritePlan,
  stored: { readonly revision: number } | undefined,
): Precondition {
  const isCreation = plan.op === "put" && stored === undefined;
  switch (plan.when) {
    case "right":
      if (stored !== undefined) return at(stored.revision);
      return isCreation ? absent : exists;
    case "absent":
      return plan.op === "put" ? absent : exists;
    case "exists":
      return isCreation && plan.pick % 4 > 0 ? absent : exists;
    case "stale":
      return at(Math.max(0, (stored?.revision ?? 1) - 1));
    case "other uid":
      return { kind: "exists", uid: "other" };
    default:
      return plan.when satisfies never;
  }
}

/** A release needs a claim on the key itself; without one the plan wakes instead. */
function dueOf(
  plan: WritePlan,
  of: ResourceKey,
  claim: ClaimRef | undefined,
): DueChange | undefined {
  const afterMs = (plan.afterMinutes ?? 0) * minuteMs;
  if (plan.due === "none") return undefined;
  const isOwn = claim !== undefined && keyText(claim.key) === keyText(of);
  if (plan.due === "wake" || !isOwn) return { kind: "wake", afterMs };
  const again = plan.afterMinutes === undefined ? {} : { afterMs };
  return { kind: "release", attempts: plan.attempts, ...again };
}
