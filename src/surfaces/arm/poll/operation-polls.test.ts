// Who waits asks the same again and again: what did not change is told without looking it up, and
// what has just been accepted when it changes.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isJsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { systemCause } from "../../../kernel/cause.ts";
import type { ParsedUrl } from "../request/parsed-urls.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import { operationKind } from "../../../modules/resource-provider/face.ts";
import { operationStatus } from "./operation-status.ts";
import {
  endingWrite,
  readOperation,
} from "../../../modules/resource-provider/operations/operations.ts";
import { openMemoryArm, subscription } from "../../../../tests/arm-memory/memory-arm.ts";
import type { MemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";

function statusIn({ bytes }: ArmAnswer): string {
  const value: unknown = JSON.parse(String(bytes));
  return isJsonObject(value) ? textAt(value, "status") : "";
}

it("looks at the resource alone while that is as it was, at both after a second", async () => {
  await using arm = await openMemoryArm();
  const { store, surroundings } = arm.memory;
  await arm.put("a/one");
  const [record] = (await store.list({ kind: operationKind })).records;
  const { key } = record ?? assert.fail("an operation is recorded with what it is about");
  const { target } = await arm.found("a/one");
  const { namespace, name } = target;
  const read: string[] = [];
  const get = store.get.bind(store);
  store.get = async (asked) => {
    read.push(asked.kind);
    return await get(asked);
  };
  const parsedUrl = { memory: {} } as unknown as ParsedUrl;
  const provider = "Example.Boxes";
  const place = { kind: "operationStatus", subscription, provider, location: "here" } as const;
  const poll = async (): Promise<readonly string[]> => {
    read.length = 0;
    const answer = await operationStatus(arm.surface, { parsedUrl }, { ...place, id: key.name });
    assert.equal(statusIn(answer), "Succeeded");
    return read.toSorted();
  };
  const both = ["boxes.tests.dev", operationKind];
  assert.deepEqual(await poll(), both);
  assert.deepEqual(await poll(), ["boxes.tests.dev"]);
  const box = { apiVersion: "tests.dev/v1", kind: "Box", namespace, name };
  await arm.memory.patch(box, { metadata: { labels: { other: "true" } } });
  assert.deepEqual(await poll(), both);
  assert.deepEqual(await poll(), ["boxes.tests.dev"]);
  surroundings.clock.advanceMs(1_000);
  assert.deepEqual(await poll(), both);
  await store.commit([{ kind: "delete", cause: systemCause, key, when: { kind: "exists" } }]);
  surroundings.clock.advanceMs(1_000);
  await assert.rejects(poll(), /could not be found/);
});

it("tells of none whose time is over, though its record is still there", async () => {
  await using arm = await openMemoryArm();
  const { store, surroundings } = arm.memory;
  await arm.put("a/one");
  const [record] = (await store.list({ kind: operationKind })).records;
  const id = record?.key.name ?? assert.fail("an operation is recorded with what it is about");
  const place = { subscription, provider: "Example.Boxes", location: "here", id };
  const parsedUrl = { memory: {} } as unknown as ParsedUrl;
  const poll = async (): Promise<string> =>
    statusIn(await operationStatus(arm.surface, { parsedUrl }, place));
  assert.equal(await poll(), "Succeeded");
  const dayMs = 86_400_000;
  surroundings.clock.advanceMs(7 * dayMs - 1_000);
  assert.equal(await poll(), "Succeeded");
  surroundings.clock.advanceMs(2_000);
  await assert.rejects(poll(), /could not be found/);
});

interface Accepted {
  /** Asks for it as a new client would. */
  readonly poll: (location?: string) => Promise<string>;
  /** As a reconciler does when it is done. */
  readonly finish: () => Promise<void>;
}

/** A box that waits for a reconciler. */
async function acceptedIn(arm: MemoryArm): Promise<Accepted> {
  const { store } = arm.memory;
  await arm.put("a/one");
  const [record] = (await store.list({ kind: operationKind })).records;
  const id = record?.key.name ?? assert.fail("an operation is recorded with what it is about");
  const { target } = await arm.found("a/one");
  const { namespace, name } = target;
  const at = { subscription, provider: "Example.Boxes", id };
  return {
    poll: async (location = "here") => {
      const parsedUrl = { memory: {} } as unknown as ParsedUrl;
      const place = { kind: "operationStatus", location, ...at } as const;
      return statusIn(await operationStatus(arm.surface, { parsedUrl }, place));
    },
    finish: async () => {
      const box = { apiVersion: "tests.dev/v1", kind: "Box", namespace, name };
      const succeeded = { generation: 1, at: "2026-01-01T00:00:00Z" };
      const status = { observedGeneration: 1, reconcile: { succeeded } };
      await arm.memory.patch({ ...box, subresource: "status" }, { status });
    },
  };
}

const reconciled = new Set(["boxes.tests.dev"]);

it("tells of an end that comes in a moment in the answer to one poll", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const accepted = await acceptedIn(arm);
  // No time goes by but by hand: it is the change that ends the wait.
  const [one, other] = [accepted.poll(), accepted.poll()];
  await accepted.finish();
  assert.deepEqual(await Promise.all([one, other]), ["Succeeded", "Succeeded"]);
  assert.equal(await accepted.poll(), "Succeeded");
});

it("waits for the end through the changes that come before it", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { poll, finish } = await acceptedIn(arm);
  const { namespace, name } = (await arm.found("a/one")).target;
  const box = { apiVersion: "tests.dev/v1", kind: "Box", namespace, name };
  const waiting = poll();
  for (const step of ["one", "two", "three"]) {
    await arm.memory.patch(box, { metadata: { labels: { step } } });
  }
  await finish();
  assert.equal(await waiting, "Succeeded");
});

it("asks the store for nothing when the change that it waits for tells the end", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { store } = arm.memory;
  const { poll, finish } = await acceptedIn(arm);
  const { target } = await arm.found("a/one");
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  const record = (await store.get(key)) ?? assert.fail("the box is there");
  // As of a store that asks its database for what others may have changed.
  Object.assign(store, { lastSeen: () => record });
  const read: string[] = [];
  const get = store.get.bind(store);
  store.get = async (asked) => {
    read.push(asked.kind);
    return await get(asked);
  };
  const waiting = poll();
  store.get = get;
  await finish();
  assert.equal(await waiting, "Succeeded");
  assert.deepEqual(read, []);
});

it("asks the store for nothing when the end came before somebody asked", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { poll, finish } = await acceptedIn(arm);
  await finish();
  const asked: string[] = [];
  const { store } = arm.memory;
  store.get = async ({ kind }) => {
    asked.push(kind);
    return undefined;
  };
  assert.equal(await poll(), "Succeeded");
  assert.deepEqual(asked, []);
});

it("asks the store for an end that came when the time for it was over", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { surface, memory } = arm;
  Object.assign(surface.faces.byKind("boxes.tests.dev") ?? {}, { operationTimeoutMs: 500 });
  const { poll, finish } = await acceptedIn(arm);
  memory.surroundings.clock.advanceMs(600);
  await finish();
  const asked: string[] = [];
  const get = memory.store.get.bind(memory.store);
  memory.store.get = async (key) => {
    asked.push(key.kind);
    return await get(key);
  };
  await poll();
  // Another server may have recorded by then that it failed.
  assert.ok(asked.includes(operationKind));
});

it("asks the store where nothing changes, or the change tells no end", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { store, surroundings } = arm.memory;
  const { poll, finish } = await acceptedIn(arm);
  const { target } = await arm.found("a/one");
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  const record = (await store.get(key)) ?? assert.fail("the box is there");
  Object.assign(store, { lastSeen: () => record });
  const box = { ...key, apiVersion: "tests.dev/v1", kind: "Box" };
  const one = poll();
  await arm.memory.patch(box, { metadata: { labels: { other: "true" } } });
  // A change that tells of no end is no reason to be told before the time is over.
  await surroundings.timers.advance(100);
  assert.equal(await one, "InProgress");
  // What another process has done may not have been seen here yet.
  await finish();
  const other = poll();
  await surroundings.timers.advance(100);
  assert.equal(await other, "Succeeded");
});

it("does not keep who asks for longer than a moment", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { timers } = arm.memory.surroundings;
  const { poll } = await acceptedIn(arm);
  const waiting = poll();
  await timers.advance(100);
  assert.equal(await waiting, "InProgress");
});

it("tells of what takes its time at once", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { poll } = await acceptedIn(arm);
  arm.memory.surroundings.clock.advanceMs(2_000);
  assert.equal(await poll(), "InProgress");
});

it("knows what this server has just accepted as it is recorded, and where it belongs", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { memory, surface } = arm;
  const { poll, finish } = await acceptedIn(arm);
  const [record] = (await memory.store.list({ kind: operationKind })).records;
  const { key, revision } = record ?? assert.fail("an operation is recorded");
  const read = await readOperation(surface, key.namespace, key.name);
  const { spec, accepted } = surface.followed.get(key) ?? assert.fail("it is remembered");
  assert.deepEqual(spec, read?.spec);
  assert.equal(accepted?.revision, revision - 1);
  await assert.rejects(poll("elsewhere"), /could not be found/);
  await finish();
  assert.equal(await poll(), "Succeeded");
});

it("tells the end that is recorded, however the resource looks since then", async () => {
  await using arm = await openMemoryArm(undefined, reconciled);
  const { memory, surface } = arm;
  const { poll, finish } = await acceptedIn(arm);
  const [record] = (await memory.store.list({ kind: operationKind })).records;
  const { key } = record ?? assert.fail("an operation is recorded");
  const read = await readOperation(surface, key.namespace, key.name);
  const end = { state: "Failed", endedAt: "2026-01-01T00:00:00Z" } as const;
  await memory.store.commit([endingWrite(surface, read ?? assert.fail("it is read"), end)]);
  await finish();
  assert.equal(await poll(), "Failed");
});
