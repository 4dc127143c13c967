// What is logged of an error holds no secret of the resource.
import assert from "node:assert/strict";
import { it } from "node:test";
import { create, keyOf, newRig, widgets } from "../../../tests/engine/rig.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { startEngine } from "../engine.ts";
import { withoutSecrets } from "./without-secrets.ts";

it("an error is shown without secrets in its text, its stack and its causes", () => {
  const cause = new Error("GET https://me:p%40ss%20word@api.dev");
  const error = new TypeError("cannot log in with p@ss word", { cause });
  const shown = withoutSecrets(error, ["p@ss word", "abc"]);
  assert.ok(shown instanceof TypeError && shown.cause instanceof Error);
  assert.equal(shown.message, "cannot log in with [hidden]");
  assert.ok(!String(shown.stack).includes("p@ss"));
  assert.equal(shown.cause.message, "GET https://me:[hidden]@api.dev");
  assert.equal(error.message, "cannot log in with p@ss word", "what was thrown is not changed");
});

it("the details of an error are shown without them, and its code stays", () => {
  const details = { sent: { password: 'a"secret' } };
  const shown = withoutSecrets(new SetpointError("request.invalid", "no", { details }), [
    'a"secret',
  ]);
  assert.ok(isSetpointError(shown, "request.invalid"));
  assert.deepEqual(shown.details, { sent: { password: "[hidden]" } });
});

it("what is no error is shown without them as well", () => {
  assert.equal(withoutSecrets("with HUNTER2", ["HUNTER2"]), "with [hidden]");
  assert.deepEqual(withoutSecrets({ a: "HUNTER2" }, ["HUNTER2"]), { a: "[hidden]" });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  assert.equal(withoutSecrets(circle, ["HUNTER2"]), "[hidden]");
});

it("short values are left, and without secrets nothing is copied", () => {
  const error = new Error("the cat sat");
  assert.equal(withoutSecrets(error, ["cat"]), error);
  assert.equal(withoutSecrets(error, []), error);
});

it("the longest secret goes first", () => {
  assert.equal(withoutSecrets("hunter-long", ["hunter", "hunter-long"]), "[hidden]");
});

it("a reconciler that throws a secret does not put it into the log", async () => {
  const rig = newRig();
  const secretsOf = (): readonly string[] => ["HUNTER-3"];
  const ports = { ...rig.ports, resources: { ...rig.ports.resources, secretsOf } };
  await using engine = startEngine(ports, { owner: "one" });
  const reconcile = (): Promise<never> => Promise.reject(new Error("no entry with HUNTER-3"));
  engine.add({ kind: widgets, reconcile });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  const said = rig.said.find(({ text }) => text === "reconciler threw an error");
  const error = said?.fields["error"];
  assert.ok(error instanceof Error);
  assert.equal(error.message, "no entry with [hidden]");
});
