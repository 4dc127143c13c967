// Whatever a reconciler throws or leaves behind, its run ends, says so, and others go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionIn, create, keyOf, newRig, statusIn } from "../../../tests/engine/rig.ts";
import { widgets } from "../../../tests/engine/rig.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { startEngine } from "../engine.ts";
import { ReconcileFailure, done } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { conditionsOf } from "../run/status.ts";

function refuse(): never {
  throw new Error("no");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const thrown: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  "a symbol": () => Symbol("x"),
  "an error whose name is a symbol": () => Object.assign(new Error("x"), { name: Symbol("q") }),
  "an error whose name throws": () =>
    Object.defineProperty(new Error("x"), "name", { get: refuse }),
  "an error whose cause throws": () =>
    Object.defineProperty(new Error("x"), "cause", { get: refuse }),
  "a revoked proxy": revoked,
  "a failure without an outcome": () =>
    Object.assign(
      new ReconcileFailure({ kind: "failed", retry: "soon", reason: "", message: "" }),
      {
        outcome: revoked(),
      },
    ),
};

for (const [what, make] of Object.entries(thrown)) {
  test(`a reconciler that throws ${what} has failed, and its slot is free`, async () => {
    const rig = newRig();
    await create(rig.store, keyOf("bad"));
    await using engine = startEngine(rig.ports, { owner: "one", slots: 1 });
    engine.add({
      kind: widgets,
      reconcile: async ({ metadata }) => {
        await Promise.resolve();
        if (metadata.name === "bad") throw make();
        return done();
      },
    });
    await rig.timers.advance(100);
    await create(rig.store, keyOf("good"));
    await rig.timers.advance(100);
    assert.match((await conditionIn(rig.store, keyOf("bad"), "Synced")) ?? "", /^False/);
    assert.equal(await conditionIn(rig.store, keyOf("good"), "Ready"), "True/Available");
    assert.deepEqual(engine.running(), []);
  });
}

class Endpoint {
  readonly host = "a";
}

const round: { again?: object } = {};
round.again = round;

const odd: readonly (readonly [unknown, string])[] = [
  [{ since: new Date(0) }, "status.since is an instance of Date; it must be a plain object"],
  [{ a: [{ b: new Map() }] }, "status.a[0].b is an instance of Map; it must be a plain object"],
  [{ to: new Endpoint() }, "status.to is an instance of Endpoint; it must be a plain object"],
  [new Set(["a"]), "status is an instance of Set; it must be a plain object"],
  [{ round }, "is nested too deeply"],
];

for (const [fields, said] of odd) {
  test(`a status is refused that cannot be kept: ${said}`, async () => {
    const rig = newRig();
    await create(rig.store, keyOf("returned"));
    await create(rig.store, keyOf("patched"));
    await using engine = startEngine(rig.ports, { owner: "one" });
    let refusal: unknown;
    engine.add({
      kind: widgets,
      reconcile: async ({ metadata }, { status }) => {
        if (metadata.name === "returned") return done({ status: fields as JsonObject });
        refusal = await status.patch(fields as JsonObject).catch((error: unknown) => error);
        return done();
      },
    });
    await rig.timers.advance(100);
    const conditions = conditionsOf(await statusIn(rig.store, keyOf("returned")));
    const synced = conditions.find(({ type }) => type === "Synced");
    assert.equal(synced?.reason, "StatusRefused");
    assert.ok(synced.message?.endsWith(said), synced.message);
    assert.ok(isSetpointError(refusal, "resource.invalid") && refusal.message.endsWith(said));
  });
}

test("what a run left behind may fail without anybody who waits for it", async () => {
  const rig = newRig();
  await create(rig.store, keyOf("a"));
  await using engine = startEngine(rig.ports, { owner: "one" });
  let left: Context | undefined;
  engine.add({
    kind: widgets,
    reconcile: async (_, context) => {
      left = context;
      return await Promise.resolve(done());
    },
  });
  await rig.timers.advance(100);
  assert.ok(left !== undefined);
  // Were one of these not listened to, the process of the tests would end.
  void left.status.patch({ late: 1 });
  void left.remember("late", () => 1);
  void left.rememberExternalId("late");
  void left.progress({ done: 1, of: 2, message: "" });
  await rig.timers.advance(100);
  const told = rig.said.filter(({ text }) => text.includes("left behind"));
  assert.equal(told.length, 4);
});

test("arguments of a wrong type are refused in words, and events never throw", async () => {
  const rig = newRig();
  await create(rig.store, keyOf("a"));
  await using engine = startEngine(rig.ports, { owner: "one" });
  const said: string[] = [];
  const attempt = async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      said.push(error instanceof Error ? error.message : "");
    }
  };
  engine.add({
    kind: widgets,
    reconcile: async (_, context) => {
      // As a reconciler without types would.
      const { event, rememberExternalId, children } = context as unknown as {
        readonly event: (...given: readonly unknown[]) => void;
        readonly rememberExternalId: (id?: unknown) => Promise<void>;
        readonly children: { readonly apply: (child?: unknown) => Promise<unknown> };
      };
      event("Normal", "Hi");
      event();
      await attempt(async () => await rememberExternalId());
      await attempt(async () => await rememberExternalId({ id: 1 }));
      await attempt(async () => await children.apply({ apiVersion: "v1", kind: "ConfigMap" }));
      await attempt(async () => await children.apply());
      return done();
    },
  });
  await rig.timers.advance(100);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "True/Available");
  const isId = "externalId must be a string of 1 to 4096 characters";
  const has = (field: string): string => `the child document has no ${field}: it must be a string`;
  assert.deepEqual(said, [isId, isId, has("metadata.name"), has("apiVersion")]);
});
