// Records of operations are kept for their time and no longer.
import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock, timeText } from "../../../kernel/clock.ts";
import { encodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { Put } from "../../../store/port.ts";
import { ModelStore } from "../../../../tests/arm-memory/memory-arm.ts";
import { OpenOperations } from "./open-operations.ts";
import { envelopeAnnotation, operationKind } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";
import { removeOldOperations, sweepOperations } from "./operation-expiry.ts";
import { systemCause } from "../../../kernel/cause.ts";

const clock = manualClock();
const hourMs = 3_600_000;
const { signal } = new AbortController();

/** A time so many hours from now. */
function at(hours: number): string {
  return timeText(clock.nowMs() + hours * hourMs);
}

function put(kind: string, name: string, parts: JsonObject, notes: JsonObject = {}): Put {
  const own = { name, namespace: "sub-1", uid: name };
  const metadata = { ...own, generation: 1, creationTimestamp: at(0) };
  const body = encodeDocument({
    apiVersion: "arm.setpoint.dev/v1",
    kind: "Operation",
    metadata: { ...metadata, annotations: notes as Record<string, string> },
    ...parts,
  });
  return {
    kind: "put",
    cause: systemCause,
    key: { kind, namespace: "sub-1", name },
    uid: name,
    draft: { body, terms: [], secrets: [] },
    when: { kind: "absent" },
  };
}

function record(name: string, spec: JsonObject, status: JsonObject = {}): Put {
  return put(operationKind, name, { spec: { startedAt: at(0), ...spec }, status });
}

function providerOf(store: ModelStore): ProviderState {
  const face = {
    kind: "shops",
    provider: "Example.Shop",
    type: "shops",
    operationTimeoutMs: 999 * hourMs,
  };
  return {
    intents: { store, clock, kinds: { byId: () => ({ isReconciled: true, storedKind }) } },
    faces: { byKind: (id: string) => (id === "shops" ? face : undefined) },
    open: new OpenOperations(),
  } as unknown as ProviderState;
}

function fails(error: unknown): void {
  assert.fail(String(error));
}

const storedKind = { versions: [], fieldRules: [] };

async function namesIn(store: ModelStore): Promise<readonly string[]> {
  const { records } = await store.list({ kind: operationKind });
  return records.map(({ key }) => key.name);
}

it("removes those whose time has come, and leaves the others", async () => {
  const store = new ModelStore(clock);
  const ended = { state: "Succeeded", endedAt: at(0) };
  await store.commit([
    record("old", { expiresAt: at(1) }, ended),
    record("young", { expiresAt: at(3) }, ended),
    record("odd", { expiresAt: "nonsense" }),
  ]);
  clock.advanceMs(2 * hourMs);
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 2);
  assert.deepEqual(await namesIn(store), ["young"]);
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 0);
});

it("keeps what is still under way, and what has ended for its time after the end", async () => {
  const store = new ModelStore(clock);
  const resource = { kind: "shops", namespace: "sub-1", name: "slow", uid: "slow" };
  const operation = { id: "long", verb: "create", startedAt: at(0) };
  const envelope = JSON.stringify({ id: "/subscriptions/1/slow", name: "slow", operation });
  await store.commit([
    put("shops", "slow", { spec: {} }, { [envelopeAnnotation]: envelope }),
    record("long", { expiresAt: at(24), verb: "create", resource }),
    record("late", { expiresAt: at(24) }, { state: "Failed", endedAt: at(30) }),
  ]);
  clock.advanceMs(48 * hourMs);
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 0);
  clock.advanceMs(24 * hourMs);
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 1);
  assert.deepEqual(await namesIn(store), ["long"]);
});

it("are told how they ended by what their resources show, or showed last", async () => {
  const store = new ModelStore(clock);
  const generation = 1;
  const of = (name: string): JsonObject => ({
    expiresAt: at(24),
    verb: "create",
    resource: { kind: "shops", namespace: "sub-1", name, uid: name, generation },
  });
  const shop = (name: string, id: string, reconcile: JsonObject): Put => {
    const operation = { id, verb: "create", startedAt: at(0) };
    const envelope = { id: `/subscriptions/1/${name}`, name, operation };
    const notes = { [envelopeAnnotation]: JSON.stringify(envelope) };
    return put("shops", name, { status: { observedGeneration: 1, reconcile } }, notes);
  };
  const endedAt = at(0);
  const succeeded = { generation, at: endedAt };
  await store.commit([
    shop("ready", "first", { succeeded }),
    shop("begun", "second", {}),
    shop("there", "third", { succeeded }),
    shop("going", "fourth", {}),
    ...["first", "fourth", "second", "third"].map((name, index) =>
      record(name, of(["ready", "going", "begun", "there"][index] ?? "")),
    ),
  ]);
  const gone = ["ready", "begun"].map((name) => ({
    kind: "delete" as const,
    key: { kind: "shops", namespace: "sub-1", name },
    when: { kind: "exists" as const },
    cause: systemCause,
  }));
  await store.commit(gone);
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 0);
  const { records } = await store.list({ kind: operationKind });
  const status = records.map(({ body }) => (JSON.parse(body.toString()) as JsonObject)["status"]);
  assert.deepEqual(status[0], { state: "Succeeded", endedAt });
  assert.deepEqual(status[1], {}, "it goes on");
  assert.equal((status[2] as JsonObject)["state"], "Canceled");
  assert.deepEqual(status[3], { state: "Succeeded", endedAt });
  const before = (await store.head()).revision;
  assert.equal(await removeOldOperations(providerOf(store), signal, fails), 0);
  assert.equal((await store.head()).revision, before, "once is enough");
});

it("are removed at the start, and every hour", async () => {
  const store = new ModelStore(clock);
  const ended = { state: "Succeeded", endedAt: at(-2) };
  const over = { startedAt: at(-2), expiresAt: at(-1) };
  await store.commit([record("before", over, ended)]);
  const timers = manualTimers(clock);
  const stop = new AbortController();
  const errors: unknown[] = [];
  const sweeping = sweepOperations({
    provider: providerOf(store),
    timers,
    signal: stop.signal,
    historyMs: undefined,
    onError: (error) => errors.push(error),
  });
  await timers.advance(0);
  assert.deepEqual(await namesIn(store), []);
  await store.commit([record("after", over, ended)]);
  await timers.advance(hourMs);
  assert.deepEqual(await namesIn(store), []);
  stop.abort();
  await sweeping;
  assert.deepEqual(errors, []);
});

it("one that cannot be told keeps no other from its end", async () => {
  const store = new ModelStore(clock);
  const damaged = put("shops", "damaged", {});
  const body = Buffer.from("no document");
  const expiresAt = at(1);
  const about = (name: string): JsonObject => ({ kind: "shops", name, uid: name, generation: 1 });
  const ended = { state: "Succeeded", endedAt: at(0) };
  await store.commit([
    { ...damaged, draft: { ...damaged.draft, body } },
    record("a-damaged", { expiresAt, verb: "create", resource: about("damaged") }),
    record("b-damaged", { expiresAt: at(9), verb: "create", resource: about("damaged") }),
    record("c-gone", { expiresAt: at(9), verb: "create", resource: about("gone") }),
    record("d-old", { expiresAt }, ended),
  ]);
  clock.advanceMs(2 * hourMs);
  const errors: string[] = [];
  const tell = (error: unknown): void => void errors.push(String(error));
  assert.equal(await removeOldOperations(providerOf(store), signal, tell), 1);
  assert.deepEqual(await namesIn(store), ["a-damaged", "b-damaged", "c-gone"]);
  assert.equal(errors.length, 2);
  assert.ok(errors.every((error) => error.includes("a stored document is damaged")));
  const { body: told } = (await store.list({ kind: operationKind })).records.at(-1) ?? {};
  assert.match(String(told), /Canceled/);
});
