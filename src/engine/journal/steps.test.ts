import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Json } from "../../kernel/json.ts";
import type { Store } from "../../store/port.ts";
import { keyTo, newWorld, openScope, processOn, write } from "../../../tests/engine/sample-run.ts";
import type { Parts, Process, World } from "../../../tests/engine/sample-run.ts";
import { journalOf } from "./journal.ts";
import { failed, ReconcileFailure } from "../outcome.ts";
import type { Operation, Progress, Step, StepResults } from "../reconciler.ts";
import type { RunScope } from "../ports.ts";
import { performWith } from "./steps.ts";
import type { StepPorts } from "./steps.ts";
import { systemCause } from "../../kernel/cause.ts";

const a = keyTo("a");

interface Told {
  readonly progress: Progress[];
  readonly events: string[];
}

/** One run of the reconciler: claims, performs, and leaves the claim to run out. */
async function runOnce(
  store: Store,
  operation: Operation,
  told: Told = { progress: [], events: [] },
): Promise<StepResults> {
  const scope = await openScope(store, a);
  const journal = journalOf(scope, store);
  const perform = performWith({
    scope,
    journal,
    progress: async (progress, alongside = []) => {
      // A call, so that a process may die while it shows how far it is.
      const answers = alongside.length > 0 ? await scope.commit(alongside) : [];
      if (alongside.length === 0) await store.head();
      told.progress.push(progress);
      return answers;
    },
    event: (_type, reason, message) => told.events.push(`${reason} ${message}`),
  });
  return await perform(operation);
}

/** Tells nobody how far it is. */
function quietly({ commit }: Pick<RunScope, "commit">): Pick<StepPorts, "progress" | "event"> {
  const progress: StepPorts["progress"] = async (_progress, alongside = []) =>
    alongside.length > 0 ? await commit(alongside) : [];
  return { progress, event: () => undefined };
}

async function ready(parts: Parts = {}): Promise<World> {
  const world = newWorld();
  await write(world.store, a, { dueMs: 0, ...parts });
  return world;
}

/** The lease of the last run ends. */
function takeOver(world: World): void {
  world.clock.advanceMs(60_000);
}

async function storedSteps(store: Store): Promise<readonly string[]> {
  const scope = {
    key: a,
    uid: "uid-widgets.test-a",
    cause: systemCause,
    commit: () => Promise.resolve([]),
  };
  const { operations } = await journalOf(scope, store).read();
  return operations.get("build")?.done.map((done) => done.step) ?? [];
}

function operationOf(steps: readonly Step[], about?: string): Operation {
  return { name: "build", steps, ...(about === undefined ? {} : { about }) };
}

function step(name: string, trace: string[], result: Json = name): Step {
  return {
    name,
    run: async () => {
      trace.push(name);
      return result;
    },
    undo: async (given) => {
      trace.push(`undo ${name} ${JSON.stringify(given)}`);
    },
  };
}

function fatal(name: string, trace: string[]): Step {
  return {
    name,
    run: async () => {
      trace.push(name);
      throw new ReconcileFailure(failed("Broken", "for good", { retry: "never" }));
    },
  };
}

const isBroken = (error: unknown): boolean =>
  error instanceof ReconcileFailure &&
  error.outcome.reason === "Broken" &&
  error.outcome.message === "for good" &&
  error.outcome.retry === "never";

test("steps run in order and each gets the results of those before it", async () => {
  const { store } = await ready();
  const given: StepResults[] = [];
  const seeing = (name: string, result: Json): Step => ({
    name,
    run: async (results) => {
      given.push(results);
      return result;
    },
  });
  const nothing: Step = { name: "nothing", run: async () => undefined };
  const results = await runOnce(
    store,
    operationOf([seeing("one", 1), nothing, seeing("__proto__", { two: 2 })]),
  );
  assert.deepEqual(Object.entries(results), [
    ["one", 1],
    ["nothing", null],
    ["__proto__", { two: 2 }],
  ]);
  assert.deepEqual(given, [{}, { one: 1, nothing: null }]);
});

test("progress is shown before each step and at the end, with an event for each", async () => {
  const { store } = await ready();
  const told: Told = { progress: [], events: [] };
  await runOnce(store, operationOf([step("one", []), step("two", [])]), told);
  assert.deepEqual(told.progress, [
    { done: 0, of: 2, message: "one" },
    { done: 1, of: 2, message: "two" },
    { done: 2, of: 2, message: "" },
  ]);
  assert.deepEqual(told.events, ["StepDone build: one (1 of 2)", "StepDone build: two (2 of 2)"]);
});

test("progress counts the steps of the same work that others perform", async () => {
  const { store } = await ready();
  const told: Told = { progress: [], events: [] };
  const operation = operationOf([step("one", []), fatal("two", [])]);
  await assert.rejects(
    runOnce(store, { ...operation, progress: { before: 3, after: 2 } }, told),
    isBroken,
  );
  assert.deepEqual(told.progress, [
    { done: 3, of: 7, message: "one" },
    { done: 4, of: 7, message: "two" },
    { done: 4, of: 7, message: "undo one" },
  ]);
});

test("a finished operation answers at once, writes nothing and tells nothing", async () => {
  const world = await ready();
  const trace: string[] = [];
  const operation = operationOf([step("one", trace), step("two", trace)]);
  const first = await runOnce(world.store, operation);
  takeOver(world);
  const before = await world.store.head();
  const told: Told = { progress: [], events: [] };
  assert.deepEqual(await runOnce(world.store, operation, told), first);
  assert.deepEqual(trace, ["one", "two"]);
  assert.deepEqual(await world.store.head(), before);
  assert.deepEqual(told, { progress: [], events: [] });
});

test("a step that fails for now is tried again without those before it", async () => {
  const world = await ready();
  const trace: string[] = [];
  let isDown = true;
  const flaky: Step = {
    name: "flaky",
    run: async () => {
      trace.push("flaky");
      if (isDown) throw new Error("down");
    },
  };
  const operation = operationOf([step("one", trace), flaky]);
  await assert.rejects(runOnce(world.store, operation), /down/);
  takeOver(world);
  isDown = false;
  await runOnce(world.store, operation);
  assert.deepEqual(trace, ["one", "flaky", "flaky"]);
});

test("an operation about something else begins anew, also back and forth", async () => {
  const world = await ready();
  const trace: string[] = [];
  await runOnce(world.store, operationOf([step("one", trace)], "x"));
  takeOver(world);
  const down: Step = { name: "one", run: (): Promise<void> => Promise.reject(new Error("down")) };
  await assert.rejects(runOnce(world.store, operationOf([down], "y")), /down/);
  takeOver(world);
  // The step ran for y, perhaps with effect: what it did for x cannot be trusted any more.
  await runOnce(world.store, operationOf([step("one", trace)], "x"));
  assert.deepEqual(trace, ["one", "one"]);
});

test("a failure for good takes back what was done, the last first, and is thrown", async () => {
  const { store } = await ready();
  const trace: string[] = [];
  const told: Told = { progress: [], events: [] };
  const plain: Step = { name: "plain", run: async () => undefined };
  const steps = [step("one", trace), plain, step("two", trace), fatal("three", trace)];
  await assert.rejects(runOnce(store, operationOf(steps), told), isBroken);
  assert.deepEqual(trace, ["one", "two", "three", 'undo two "two"', 'undo one "one"']);
  assert.deepEqual(told.events.slice(-2), ["StepUndone build: two", "StepUndone build: one"]);
  assert.deepEqual(await storedSteps(store), []);
});

test("a failure for good is thrown until it is reported or about something else", async () => {
  for (const [parts, about, isOfEarlierProcess] of [
    [{}, "x", false],
    [{ generation: 2 }, "x", true],
    [{ request: "now" }, "x", true],
    [{}, "y", true],
    // It was reported, so whoever runs it again has a reason: newer code, for one.
    [{ status: { observedGeneration: 1, reconcile: { retry: "never" } } }, "x", true],
    [{ status: { observedGeneration: 0, reconcile: { retry: "never" } } }, "x", false],
  ] as const) {
    const world = await ready();
    const trace: string[] = [];
    const operation = (matter: string): Operation =>
      operationOf([step("one", trace), fatal("two", trace)], matter);
    await assert.rejects(runOnce(world.store, operation("x")), isBroken);
    await write(world.store, a, parts);
    takeOver(world);
    trace.length = 0;
    await assert.rejects(runOnce(world.store, operation(about)), isBroken);
    assert.deepEqual(trace, isOfEarlierProcess ? ["one", "two", 'undo one "one"'] : []);
  }
});

test("what is being taken back is taken back to the end though the spec changed", async () => {
  const world = await ready();
  const trace: string[] = [];
  let isDown = true;
  const stuck: Step = {
    ...step("one", trace),
    undo: async () => {
      if (isDown) throw new ReconcileFailure(failed("Stuck", "no way", { retry: "never" }));
      trace.push("undo one");
    },
  };
  const failing = [stuck, step("two", trace), fatal("three", trace)];
  await assert.rejects(runOnce(world.store, operationOf(failing, "x")), (error: unknown) => {
    // A failure to take back is never final.
    return error instanceof ReconcileFailure && error.outcome.retry === "slow";
  });
  assert.deepEqual(await storedSteps(world.store), ["one"]);
  await write(world.store, a, { generation: 2 });
  takeOver(world);
  isDown = false;
  trace.length = 0;
  await runOnce(world.store, operationOf([stuck, step("two", trace)], "y"));
  assert.deepEqual(trace, ["undo one", "one", "two"]);
});

test("mistakes in an operation are named", async () => {
  const world = await ready();
  const trace: string[] = [];
  const rejected = async (steps: readonly Step[], message: RegExp): Promise<void> => {
    await assert.rejects(runOnce(world.store, operationOf(steps)), message);
    takeOver(world);
  };
  await rejected([step("one", trace), step("one", trace)], /"build" has two steps named "one"/);
  assert.deepEqual(trace, []);
  const odd = { name: "odd", run: async () => new Date(0) as unknown as Json };
  await rejected([odd], /the result of step "odd" cannot be stored as JSON/);
});

test("the same operation twice at the same time is refused", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const quiet = quietly(scope);
  const perform = performWith({ scope, journal: journalOf(scope, store), ...quiet });
  const operation = operationOf([step("one", [])]);
  const [first, second] = await Promise.allSettled([perform(operation), perform(operation)]);
  assert.equal(first.status, "fulfilled");
  assert.equal(second.status, "rejected");
});

test("two operations at the same time keep both their results", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const quiet = quietly(scope);
  const perform = performWith({ scope, journal: journalOf(scope, store), ...quiet });
  await Promise.all([
    perform({ name: "x", steps: [step("one", []), step("two", [])] }),
    perform({ name: "y", steps: [step("one", [])] }),
  ]);
  const { operations } = await journalOf(scope, store).read();
  assert.deepEqual([operations.get("x")?.done.length, operations.get("y")?.done.length], [2, 1]);
});

test("an aborted run begins no further step", async () => {
  const { store } = await ready();
  const trace: string[] = [];
  const controller = new AbortController();
  const scope = { ...(await openScope(store, a)), signal: controller.signal };
  const quiet = quietly(scope);
  const perform = performWith({ scope, journal: journalOf(scope, store), ...quiet });
  const aborting: Step = {
    name: "one",
    run: async () => controller.abort(new Error("lost")),
  };
  await assert.rejects(perform(operationOf([aborting, step("two", trace)])), /lost/);
  assert.deepEqual(trace, []);
});

interface Scenario {
  /** Which of the steps can be taken back. */
  readonly undoable: readonly boolean[];
  /** Which step fails for good, if any. */
  readonly failsAt: number | undefined;
}

/** Steps that check, at each effect, that the journal allows it. */
function checkedSteps({ undoable, failsAt }: Scenario, store: Store, trace: string[]): Step[] {
  return undoable.map((canUndo, index) => ({
    name: `${index}`,
    run: async (results) => {
      const stored = await storedSteps(store);
      assert.deepEqual(stored, Object.keys(results), "it runs once its forerunners are stored");
      assert.equal(stored.length, index, "and not when it is stored itself");
      trace.push(`${index}`);
      if (index !== failsAt) return { index };
      throw new ReconcileFailure(failed("Broken", "for good", { retry: "never" }));
    },
    ...(canUndo
      ? {
          undo: async (result: Json) => {
            assert.equal((await storedSteps(store)).at(-1), `${index}`, "the last one first");
            assert.deepEqual(result, { index });
            trace.push(`undo ${index}`);
          },
        }
      : {}),
  }));
}

/** Runs until a run is not killed, and returns how it ended. */
async function runThroughCrashes(
  world: World,
  scenario: Scenario,
  kills: readonly { readonly call: number; readonly isDone: boolean }[],
): Promise<{ readonly trace: readonly string[]; readonly ended: unknown; readonly calls: number }> {
  const trace: string[] = [];
  const operation = operationOf(checkedSteps(scenario, world.store, trace));
  for (const kill of [...kills, undefined]) {
    const process: Process = processOn(world.store, kill);
    const run = runOnce(process.store, operation).then(
      (results) => Object.keys(results),
      (error: unknown) => error,
    );
    const ended = await Promise.race([run, process.killed]);
    if (ended !== undefined) return { trace, ended, calls: process.calls() };
    takeOver(world);
  }
  throw new Error("the last run is not killed");
}

function checkOutcome(scenario: Scenario, trace: readonly string[], ended: unknown): void {
  const { undoable, failsAt } = scenario;
  const last = failsAt ?? undoable.length - 1;
  const wanted = undoable.slice(0, last + 1).map((_, index) => `${index}`);
  if (failsAt !== undefined) {
    for (let index = failsAt - 1; index >= 0; index -= 1) {
      if (undoable[index] === true) wanted.push(`undo ${index}`);
    }
  }
  // Each effect at least once and in order; repeated only right after itself.
  assert.deepEqual(
    trace.filter((entry, index) => entry !== trace[index - 1]),
    wanted,
  );
  if (failsAt !== undefined) assert(isBroken(ended), String(ended));
  else assert.deepEqual(ended, wanted);
}

test("wherever a process dies, steps and their taking back are completed in order", async () => {
  const undoable = [true, false, true];
  for (const failsAt of [undefined, 0, 1, 2]) {
    const scenario = { undoable, failsAt };
    const { calls } = await runThroughCrashes(await ready(), scenario, []);
    assert(calls > 4);
    for (let call = 1; call <= calls; call += 1) {
      for (const isDone of [false, true]) {
        const { trace, ended } = await runThroughCrashes(await ready(), scenario, [
          { call, isDone },
        ]);
        checkOutcome(scenario, trace, ended);
      }
    }
  }
});

test("any number of deaths at any calls is survived", async () => {
  const kill = fc.record({ call: fc.integer({ min: 1, max: 20 }), isDone: fc.boolean() });
  const given = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }).chain((undoable) =>
    fc.record({
      undoable: fc.constant(undoable),
      failsAt: fc.option(fc.nat({ max: undoable.length - 1 }), { nil: undefined }),
      kills: fc.array(kill, { maxLength: 6 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(given, async ({ undoable, failsAt, kills }) => {
      const scenario = { undoable, failsAt };
      const { trace, ended } = await runThroughCrashes(await ready(), scenario, kills);
      checkOutcome(scenario, trace, ended);
    }),
    { numRuns: 200 },
  );
});
