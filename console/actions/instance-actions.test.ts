import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Cluster } from "../api/fleet.ts";
import type { KindInfo } from "../api/kinds.ts";
import { clusterChoice, instanceActions, subjectOfInstance } from "./instance-actions.ts";

const kind: KindInfo = {
  id: "dinosaurs.example.dev",
  group: "example.dev",
  version: "v1",
  kind: "Dinosaur",
  plural: "dinosaurs",
  singular: "dinosaur",
  shortNames: [],
  isNamespaced: true,
  hasStatus: true,
  verbs: new Set(["get", "list", "patch", "update", "delete"]),
};

/** Rotates the secrets of an instance that was shown with `shown`; returns the patches. */
async function rotate(shown: number | undefined, stored: number | undefined): Promise<unknown[]> {
  const metadata = { name: "rex", namespace: "org-1", resourceVersion: "7" };
  const read = { ...kind, metadata, spec: stored === undefined ? {} : { rotation: stored } };
  const patches: unknown[] = [];
  const answer = async (_url: string, { method, body }: RequestInit): Promise<Response> => {
    if (method === "PATCH" && typeof body === "string") patches.push(JSON.parse(body));
    return Response.json(read);
  };
  const fetched = mock.method(globalThis, "fetch", answer as typeof fetch);
  try {
    const spec = shown === undefined ? {} : { rotation: shown };
    const subject = subjectOfInstance(kind, { metadata, spec });
    const action = instanceActions.find(({ id }) => id === "instance-rotate");
    await action?.perform(subject, {});
    return patches;
  } finally {
    fetched.mock.restore();
  }
}

test("a rotation is refused by the server when the instance has changed since", async () => {
  const metadata = { resourceVersion: "7" };
  assert.deepEqual(await rotate(undefined, undefined), [{ metadata, spec: { rotation: 1 } }]);
  assert.deepEqual(await rotate(3, 3), [{ metadata, spec: { rotation: 4 } }]);
});

test("a page that is out of date rotates nothing", async () => {
  await assert.rejects(rotate(1, 5), /rotated meanwhile/);
});

test("the command of a rotation has the next number", () => {
  const action = instanceActions.find(({ id }) => id === "instance-rotate");
  const metadata = { name: "rex", namespace: "org-1" };
  const subject = subjectOfInstance(kind, { metadata, spec: { rotation: 2 } });
  assert.match(action?.command(subject) ?? "", /\{"spec":\{"rotation":3\}\}/);
});

test("a cluster that is not schedulable is no choice, except where the instance is", () => {
  const clusterOf = (isSchedulable: boolean): Cluster => ({
    metadata: { name: "west-1" },
    spec: { provider: "aws", region: "eu-west-1", isSchedulable },
    status: { phase: "ready", remaining: 48 },
  });
  assert.deepEqual(clusterChoice(clusterOf(true), "west-2"), {
    value: "west-1",
    label: "west-1 (ready, room for 48)",
  });
  const label = "west-1 (not schedulable)";
  const off = { value: "west-1", label, isOff: true };
  assert.deepEqual(clusterChoice(clusterOf(false), "west-2"), off);
  assert.equal(clusterChoice(clusterOf(false), "west-1").isOff, false);
});
