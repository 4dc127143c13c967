// What a run tells people holds no secret of its resource, whichever way it is told.
import assert from "node:assert/strict";
import { it } from "node:test";
import { create, keyOf, newRig, statusIn, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { conditionsOf, reconcileStatusOf } from "./status.ts";
import type { Json } from "../../kernel/json.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import { startEngine } from "../engine.ts";
import { done, failed, ReconcileFailure } from "../outcome.ts";
import type { EngineEvent, EnginePorts } from "../ports.ts";
import type { Reconciler } from "../reconciler.ts";

const secret = "HUNTER-3";

interface Told {
  readonly rig: Rig;
  readonly events: readonly EngineEvent[];
  readonly status: Awaited<ReturnType<typeof statusIn>>;
}

/** Runs the reconciler once for a resource whose spec has a secret. */
async function toldBy(reconcile: Reconciler["reconcile"]): Promise<Told> {
  const rig = newRig();
  const events: EngineEvent[] = [];
  const resources: EnginePorts["resources"] = {
    ...rig.ports.resources,
    secretsOf: (_kind, { spec }) => textsOf(isJsonObject(spec) ? getOwn(spec, "password") : null),
    recordEvent: async (event) => void events.push(event),
  };
  await using engine = startEngine({ ...rig.ports, resources }, { owner: "one" });
  engine.add({ kind: widgets, reconcile });
  await create(rig.store, keyOf("a"), { spec: { password: secret } });
  await rig.timers.advance(10);
  return { rig, events, status: await statusIn(rig.store, keyOf("a")) };
}

function textsOf(value: Json | undefined): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

it("an event, a line of the log and progress are told without secrets", async () => {
  const { rig, events, status } = await toldBy(async (_resource, context) => {
    context.event("Warning", "Odd", `cannot log in with ${secret}`);
    const error = new Error(`401 for ${secret}`);
    context.log.info({ url: `https://me:${secret}@api.dev`, error, tries: 2 }, `with ${secret}`);
    await context.progress({ done: 1, of: 2, message: `sent ${secret}` });
    return failed("Later", "not yet");
  });
  assert.deepEqual(
    events.filter(({ reason }) => reason === "Odd").map(({ message }) => message),
    ["cannot log in with [hidden]"],
  );
  const said = rig.said.find(({ text }) => text === "with [hidden]");
  assert.equal(said?.fields["url"], "https://me:[hidden]@api.dev");
  assert.equal(said.fields["tries"], 2);
  assert.equal(said.fields["name"], "a");
  const { error } = said.fields;
  assert.ok(error instanceof Error && error.message === "401 for [hidden]");
  const { progress } = reconcileStatusOf(status);
  assert.ok(isJsonObject(progress) && progress["message"] === "sent [hidden]");
});

it("conditions say nothing secret, those of the author included", async () => {
  const { events, status } = await toldBy(async (_resource, context) => {
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: "Seen",
      message: `${type} ${secret}`,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    await context.status.patch({ conditions: [condition("Patched")] });
    return failed("Refused", `the answer was ${secret}`, {
      ready: { status: "False", reason: "Broken", message: `no ${secret}` },
      status: { colour: secret, conditions: [condition("Patched"), condition("Returned")] },
    });
  });
  const messages = Object.fromEntries(
    conditionsOf(status).map(({ type, message }) => [type, message]),
  );
  assert.deepEqual(messages, {
    Patched: "Patched [hidden]",
    Returned: "Returned [hidden]",
    Ready: "no [hidden]",
    Synced: "the answer was [hidden]",
  });
  assert.equal(status["colour"], secret, "a field of the status is no message");
  assert.ok(!JSON.stringify(events.map(({ message }) => message)).includes(secret));
});

it("a failure that is thrown from deep inside is told without secrets", async () => {
  const { rig, status } = await toldBy(async () => {
    throw new Error("around it", {
      cause: new ReconcileFailure(failed("Refused", `the answer was ${secret}`)),
    });
  });
  const synced = conditionsOf(status).find(({ type }) => type === "Synced");
  assert.equal(synced?.message, "the answer was [hidden]");
  assert.ok(!JSON.stringify(rig.said).includes(secret));
});

it("what others know is told as it is when there is nothing to hide", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const fields = { list: [1, 2] };
  engine.add({
    kind: widgets,
    reconcile: async (_resource, { log }) => {
      log.warn(fields, "as it is");
      return done();
    },
  });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  const said = rig.said.find(({ text }) => text === "as it is");
  assert.equal(said?.fields["list"], fields.list);
});
