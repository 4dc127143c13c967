// Mistakes that authors make, in a whole server: each fails the run and says what is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineModule, describeKind, done, waiting } from "../authoring/setpoint.ts";
import type { Reconciler } from "../authoring/setpoint.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import { startTestServer } from "./testing.ts";

const apiVersion = "tests.example.dev/v1";
const one = { apiVersion, kind: "Crate", name: "one" };

/** What is reported of a run of it. */
async function syncedAfter(reconcile: Reconciler["reconcile"]): Promise<string> {
  const kind = describeKind({
    apiVersion,
    kind: "Crate",
    plural: "crates",
    spec: { type: "object" },
  });
  const kinds = [{ kind, reconciler: { reconcile } }];
  await using server = await startTestServer(defineModule({ name: "shop", version: 1, kinds }));
  await server.apply({ apiVersion, kind: one.kind, metadata: { name: one.name }, spec: {} });
  await server.pass();
  const found = await server.get(one);
  const conditions = objectsAt(found, "status", "conditions");
  const synced = conditions.find((each) => textAt(each, "type") === "Synced");
  const [status, reason, message] = ["status", "reason", "message"].map((at) => textAt(synced, at));
  return `${status} ${reason}: ${message} (${textAt(found, "status", "reconcile", "retry")})`;
}

const hint = 'kinds are named PLURAL.GROUP, such as "configmaps" or "databases.example.com"';
const noKind = `False UnknownKind: no kind "configmap" is served; ${hint} (slow)`;

test("a wait for a kind that is not served fails as a look at it does", async () => {
  const other = { kind: "configmap", name: "x" };
  assert.equal(await syncedAfter(async () => waiting(other)), noKind);
  assert.equal(
    await syncedAfter(async () => waiting([{ kind: "configmaps", name: "y" }, other])),
    noKind,
  );
  const look: Reconciler["reconcile"] = async (_resource, { references }) => {
    await references.get(other);
    return waiting(other);
  };
  assert.equal(await syncedAfter(look), noKind);
});

test("a child of a kind that is not served fails in the same way", async () => {
  const apply: Reconciler["reconcile"] = async (_resource, { children }) => {
    await children.apply({ apiVersion: "v1", kind: "Configmap", metadata: { name: "x" } });
    return done();
  };
  const hintOfChild = "install its definition, or correct apiVersion and kind of the child";
  const expected = `False UnknownKind: no kind Configmap is served in v1; ${hintOfChild} (slow)`;
  assert.equal(await syncedAfter(apply), expected);
  const drop: Reconciler["reconcile"] = async (_resource, { children }) => {
    await children.delete({ kind: "configmap", name: "x" });
    return done();
  };
  assert.equal(await syncedAfter(drop), noKind);
});

test("who forgets to return is told what to return", async () => {
  const forgetful = (async () => undefined) as unknown as Reconciler["reconcile"];
  const words = "the reconciler returned nothing; return done(), again(), waiting() or failed()";
  assert.equal(await syncedAfter(forgetful), `False InvalidOutcome: ${words} (slow)`);
});
