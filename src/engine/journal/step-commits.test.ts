// What durable steps cost, and that it costs them nothing when somebody else writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  annotated,
  change,
  conditionIn,
  create,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Json } from "../../kernel/json.ts";
import type { Store, Write } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import { journalKind } from "../names.ts";
import { done } from "../outcome.ts";
import type { Step } from "../reconciler.ts";
import { reconcileStatusOf } from "../run/status.ts";

const a = keyOf("a");

/** Notes what each commit is about. */
function noting(store: Store, commits: string[]): Store {
  const commit: Store["commit"] = (writes, options) => {
    commits.push(writes.map(briefly).join(" + "));
    return store.commit(writes, options);
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === "commit" ? commit : Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function briefly({ kind, key }: Write): string {
  return `${kind} ${key.kind === journalKind ? "journal" : "resource"}`;
}

test("the result of a step and the beginning of the next are one commit", async () => {
  const rig = newRig();
  const commits: string[] = [];
  await using engine = startEngine(rig.portsOver(noting(rig.store, commits)), { owner: "one" });
  const steps = ["one", "two", "three"].map((name): Step => ({ name, run: async () => name }));
  engine.add({
    kind: widgets,
    reconcile: async (_resource, { perform }) => {
      await perform({ name: "build", steps });
      return done();
    },
  });
  await create(rig.store, a);
  await rig.timers.advance(10);
  assert.deepEqual(commits, [
    "put resource",
    "put resource + put journal",
    "put resource + put journal",
    "put resource + put journal",
    "put resource",
  ]);
});

test("a step that was done is kept, whoever else writes at that moment", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const trace: string[] = [];
  const progress: (Json | undefined)[] = [];
  const steps = ["one", "two", "three"].map((name): Step => ({
    name,
    run: async () => {
      trace.push(name);
      progress.push(reconcileStatusOf(await statusIn(rig.store, a)).progress);
      await change(rig.store, a, (each) => annotated(each, "note", name));
      return name;
    },
  }));
  engine.add({
    kind: widgets,
    reconcile: async (_resource, { perform }) => {
      const results = await perform({ name: "build", steps });
      return done({ status: { results } });
    },
  });
  await create(rig.store, a);
  await rig.timers.advance(1_000);
  assert.deepEqual(trace, ["one", "two", "three"]);
  assert.deepEqual(progress, [
    { generation: 1, done: 0, of: 3, percent: 0, message: "one" },
    { generation: 1, done: 1, of: 3, percent: 33, message: "two" },
    { generation: 1, done: 2, of: 3, percent: 66, message: "three" },
  ]);
  const { results } = await statusIn(rig.store, a);
  assert.deepEqual(results, { one: "one", two: "two", three: "three" });
  assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
});
