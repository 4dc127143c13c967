// Ends of operations are recorded a moment after they came, and are told as they were whatever
// becomes of the resource and of its name.
import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { operationKind } from "../face.ts";
import { OpenOperations } from "./open-operations.ts";
import { endingWrite, operationProgress, readOperation } from "./operations.ts";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import type { MemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import { recordEnds } from "./operation-recorder.ts";
import { systemCause } from "../../../kernel/cause.ts";

async function operationsOf({ memory }: MemoryArm): Promise<readonly StoredRecord[]> {
  return (await memory.store.list({ kind: operationKind })).records;
}

async function statesOf(arm: MemoryArm): Promise<readonly string[]> {
  return (await operationsOf(arm)).map(({ body, revision }) =>
    textAt(decodeDocument(body, revision), "status", "state"),
  );
}

interface Recorder extends AsyncDisposable {
  readonly errors: readonly unknown[];
}

function startRecorder(arm: MemoryArm): Recorder {
  const stop = new AbortController();
  const errors: unknown[] = [];
  const { surface, memory } = arm;
  const running = recordEnds({
    provider: surface,
    feed: memory.plane.feed,
    timers: memory.surroundings.timers,
    signal: stop.signal,
    onError: (error) => errors.push(error),
  });
  return {
    errors,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

/** Time goes by, and whatever is done about it is done. */
async function pass(arm: MemoryArm, ms: number): Promise<void> {
  const { timers } = arm.memory.surroundings;
  for (let at = 0; at < ms; at += 500) await timers.advance(500);
}

it("a success is recorded soon after it came, without a request", async () => {
  await using arm = await openMemoryArm();
  // The engine has stored that it works on the server's own kinds.
  await pass(arm, 60_000);
  await using recorder = startRecorder(arm);
  await arm.put("a/one");
  await arm.put("a/two");
  assert.deepEqual(await statesOf(arm), ["Accepted", "Accepted"]);
  await pass(arm, 3_000);
  assert.deepEqual(await statesOf(arm), ["Succeeded", "Succeeded"]);
  const { revision } = await arm.memory.store.head();
  await pass(arm, 120_000);
  assert.equal((await arm.memory.store.head()).revision, revision, "once is enough");
  assert.deepEqual(recorder.errors, []);
});

it("one that cannot be told keeps no other from being recorded", async () => {
  await using arm = await openMemoryArm();
  await using recorder = startRecorder(arm);
  for (const name of ["a/one", "a/two"]) await arm.put(name);
  const { name } = (await arm.found("a/one")).target;
  const { store } = arm.memory;
  const getMany = store.getMany.bind(store);
  const damaged = (record: StoredRecord): StoredRecord => {
    return { ...record, body: Buffer.from("no document") };
  };
  store.getMany = async (keys) => {
    const found = await getMany(keys);
    return found.map((each) => {
      const isOne = each?.key.kind === "boxes.tests.dev" && each.key.name === name;
      return isOne ? damaged(each) : each;
    });
  };
  await pass(arm, 3_000);
  assert.deepEqual((await statesOf(arm)).toSorted(), ["Accepted", "Succeeded"]);
  assert.match(String(recorder.errors[0]), /a stored document is damaged/);
  store.getMany = getMany;
  // It is not forgotten.
  await pass(arm, 120_000);
  assert.deepEqual(await statesOf(arm), ["Succeeded", "Succeeded"]);
});

it("much that is accepted at once is recorded when it is quieter", async () => {
  await using arm = await openMemoryArm();
  await using recorder = startRecorder(arm);
  for (let at = 0; at < 120; at++) await arm.put(`a/box${at}`);
  await pass(arm, 3_000);
  assert.ok((await statesOf(arm)).every((state) => state === "Accepted"));
  await pass(arm, 15_000);
  assert.deepEqual(new Set(await statesOf(arm)), new Set(["Succeeded"]));
  assert.deepEqual(recorder.errors, []);
});

it("what a process that is gone has accepted is recorded by another within a minute", async () => {
  await using arm = await openMemoryArm();
  // The one that accepts records nothing, as if it had been killed.
  const surface = { ...arm.surface, open: new OpenOperations() };
  await using recorder = startRecorder({ ...arm, surface });
  await arm.put("a/one");
  await arm.put("a/two");
  await pass(arm, 30_000);
  assert.deepEqual(await statesOf(arm), ["Accepted", "Accepted"], "it may only be slow");
  const [first] = await operationsOf(arm);
  const { key } = first ?? assert.fail("an operation is recorded with what it is about");
  const { store } = arm.memory;
  await store.commit([{ kind: "delete", cause: systemCause, key, when: { kind: "exists" } }]);
  await pass(arm, 35_000);
  assert.deepEqual(await statesOf(arm), ["Succeeded"]);
  assert.deepEqual(recorder.errors, []);
});

it("what another process has accepted and recorded is left alone", async () => {
  await using arm = await openMemoryArm();
  const open = new OpenOperations();
  await using recorder = startRecorder(arm);
  await using other = startRecorder({ ...arm, surface: { ...arm.surface, open } });
  await arm.put("a/one");
  const [record] = await operationsOf(arm);
  const { key } = record ?? assert.fail("an operation is recorded with what it is about");
  await pass(arm, 500);
  assert.ok(open.knows(key));
  await pass(arm, 3_000);
  assert.deepEqual(await statesOf(arm), ["Succeeded"]);
  assert.ok(!open.knows(key));
  assert.deepEqual([...recorder.errors, ...other.errors], []);
});

it("one that is created with its end is not looked at", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  const { surface, memory } = arm;
  const [record] = await operationsOf(arm);
  const { namespace, name } = record?.key ?? assert.fail("an operation is recorded");
  const read = (await readOperation(surface, namespace, name)) ?? assert.fail("it is read");
  const open = new OpenOperations();
  await using recorder = startRecorder({ ...arm, surface: { ...surface, open } });
  const end = { state: "Succeeded", endedAt: "2026-01-01T00:00:00Z" } as const;
  const key = { kind: operationKind, namespace, name: "answered" };
  const write = { ...endingWrite(surface, read, end), key, uid: "answered" };
  await memory.store.commit([{ ...write, when: { kind: "absent" } }]);
  await pass(arm, 500);
  assert.ok(!open.knows(key));
  assert.deepEqual(recorder.errors, []);
});

it("one whose resource is gone stays as it was told, however often its name was used", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  const [record] = await operationsOf(arm);
  const { key } = record ?? assert.fail("an operation is recorded with what it is about");
  const { target } = await arm.found("a/one");
  const { namespace, name } = target;
  const at = { apiVersion: "tests.dev/v1", kind: "Box", namespace, name };
  const endOf = async (): Promise<string | undefined> => {
    const operation = await readOperation(arm.surface, namespace, key.name);
    assert.ok(operation !== undefined && operation.end === undefined, "nothing is recorded");
    return (await operationProgress(readOnly(arm), operation)).end?.state;
  };
  // As a reconciler would leave it.
  const succeeded = { generation: 1, at: "2026-01-01T00:00:00Z" };
  const status = { observedGeneration: 1, reconcile: { succeeded } };
  await arm.memory.patch({ ...at, subresource: "status" }, { status });
  assert.equal(await endOf(), "Succeeded");
  assert.ok(await arm.memory.remove(at));
  const metadata = { namespace, name };
  await arm.memory.create({ apiVersion: at.apiVersion, kind: at.kind, metadata });
  for (let change = 0; change < 1_100; change++) {
    await arm.memory.patch(at, { metadata: { labels: { change: String(change) } } });
  }
  assert.equal(await endOf(), "Succeeded");
});

/** A surface whose store refuses writes, so that what is told is not recorded by being told. */
function readOnly({ surface, memory: { store } }: MemoryArm): MemoryArm["surface"] {
  const reads = {
    get: store.get.bind(store),
    history: store.history.bind(store),
    commit: () => Promise.resolve([{ kind: "unchanged", revision: 1 }]),
  };
  return { ...surface, intents: { ...surface.intents, store: reads as unknown as typeof store } };
}
