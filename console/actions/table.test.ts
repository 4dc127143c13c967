import assert from "node:assert/strict";
import { test } from "node:test";
import type { KindInfo } from "../api/kinds.ts";
import type { Subject } from "./action.ts";
import { actionNamed, actions, actionsFor, whyOff } from "./table.ts";

const kind: KindInfo = {
  id: "databases.shop.example",
  group: "shop.example",
  version: "v1",
  kind: "Database",
  plural: "databases",
  singular: "database",
  shortNames: [],
  isNamespaced: true,
  hasStatus: true,
  verbs: new Set(["get", "list", "patch", "update", "delete"]),
};
const orders: Subject = { kind, namespace: "shop", name: "orders" };
const labels = (subject: Subject): readonly string[] =>
  actionsFor(subject).map(({ label }) => label);

test("a paused resource can be resumed, and is not reconciled before", () => {
  const paused = { ...orders, isPaused: true };
  assert.ok(labels(paused).includes("Resume"));
  assert.ok(!labels(paused).includes("Pause"));
  assert.equal(whyOff(named("reconcile"), paused), "Paused. Resume first.");
  assert.equal(whyOff(named("reconcile"), orders), undefined);
});

test("a protected resource keeps its delete button, with the reason", () => {
  const kept = { ...orders, isProtected: true };
  assert.match(whyOff(named("delete"), kept) ?? "", /^Protected from deletion/);
  assert.ok(labels(kept).includes("Allow deletion"));
});

test("a verb that the kind does not have is a reason, too", () => {
  const fixed = { ...orders, kind: { ...kind, verbs: new Set(["get", "list"]) } };
  assert.equal(whyOff(named("delete"), fixed), "Database does not support delete.");
});

test("every action has a command, and the ids differ", () => {
  assert.equal(new Set(actions.map(({ id }) => id)).size, actions.length);
  for (const { command } of actions) assert.match(command(orders), /^(kubectl|setpoint) .*orders/);
  assert.equal(
    named("pause").command(orders),
    "kubectl annotate databases.shop.example orders -n shop setpoint.dev/paused=true",
  );
});

function named(id: string) {
  const action = actionNamed(id);
  assert.ok(action !== undefined, `there is no action ${id}`);
  return action;
}
