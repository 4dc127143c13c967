import assert from "node:assert/strict";
import { test } from "node:test";
import { metric } from "../engine/reporting/metric-names.ts";
import { manualClock } from "../kernel/clock.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import type { Backlog, WorkState } from "../store/port.ts";
import { backlogMeasure } from "./measure-backlog.ts";

interface Rig {
  readonly measure: () => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
  readonly asked: readonly string[];
  /** As name{kind}. */
  readonly numbers: ReadonlyMap<string, number>;
  kinds: readonly string[];
  backlog: (kind: string) => Promise<Backlog>;
}

const work = (parts: Partial<WorkState>): Backlog["next"][number] => ({
  key: { kind: "k", namespace: "", name: "n" },
  work: { dueInMs: undefined, attempts: 0, claim: undefined, ...parts },
});

function newRig(): Rig {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const numbers = new Map<string, number>();
  const asked: string[] = [];
  const answers: Pick<Rig, "kinds" | "backlog"> = {
    kinds: ["a"],
    backlog: async () => await Promise.resolve(empty),
  };
  const plane = {
    intents: {
      clock,
      kinds: { all: () => answers.kinds.map((id) => ({ id, isReconciled: id !== "other" })) },
      store: {
        backlog: async ({ kind }: { readonly kind: string }) => {
          asked.push(kind);
          return await answers.backlog(kind);
        },
      },
    },
    meter: {
      gauge: (name: string, value: number, { kind = "" } = {}) => {
        numbers.set(`${name}{${kind}}`, value);
      },
    },
  };
  const measure = backlogMeasure(plane as never, timers);
  const pass = async (ms: number): Promise<void> => await timers.advance(ms);
  return Object.assign(answers, { measure, pass, asked, numbers });
}

const empty: Backlog = { due: 0, next: [] };
const due = (kind: string): string => `${metric.backlogDue}{${kind}}`;
const oldest = (kind: string): string => `${metric.backlogOldestSeconds}{${kind}}`;

test("what is due of each reconciled kind is measured, and for how long", async () => {
  const rig = newRig();
  rig.kinds = ["a", "b", "c", "other"];
  const claim = { owner: "one", token: 1, expiresInMs: 5_000 };
  const backlogs = new Map<string, Backlog>([
    ["a", { due: 7, next: [work({ dueInMs: -90_000 })] }],
    ["b", { due: 0, next: [work({ dueInMs: -90_000, claim })] }],
    ["c", { due: 0, next: [work({ dueInMs: 10_000 })] }],
  ]);
  rig.backlog = async (kind) => await Promise.resolve(backlogs.get(kind) ?? empty);
  await rig.measure();
  assert.deepEqual([rig.numbers.get(due("a")), rig.numbers.get(oldest("a"))], [7, 90]);
  assert.deepEqual([rig.numbers.get(due("b")), rig.numbers.get(oldest("b"))], [0, 0]);
  assert.deepEqual([rig.numbers.get(due("c")), rig.numbers.get(oldest("c"))], [0, 0]);
  assert.deepEqual(rig.asked, ["a", "b", "c"]);
  rig.kinds = ["b"];
  await rig.pass(5_000);
  await rig.measure();
  assert.deepEqual([rig.numbers.get(due("a")), rig.numbers.get(oldest("a"))], [0, 0]);
});

test("the store is asked once in a while, however many look", async () => {
  const rig = newRig();
  await Promise.all([rig.measure(), rig.measure(), rig.measure()]);
  await rig.measure();
  assert.deepEqual(rig.asked, ["a"]);
  await rig.pass(5_000);
  await rig.measure();
  assert.deepEqual(rig.asked, ["a", "a"]);
});

test("a store that fails or does not answer holds nobody up, and gives no number", async () => {
  const rig = newRig();
  await rig.measure();
  assert.equal(rig.numbers.get(due("a")), 0);
  await rig.pass(5_000);
  rig.backlog = async () => await Promise.reject(new Error("away"));
  await rig.measure();
  assert.equal(rig.numbers.get(due("a")), Number.NaN);
  const { promise, resolve } = Promise.withResolvers<Backlog>();
  rig.backlog = async () => await promise;
  const measured = rig.measure();
  await rig.pass(1_000);
  await measured;
  assert.equal(rig.numbers.get(due("a")), Number.NaN);
  resolve({ due: 3, next: [] });
  await rig.pass(1);
  assert.equal(rig.numbers.get(due("a")), 3);
});
