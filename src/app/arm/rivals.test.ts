// Requests between whose look and whose commit somebody else changes what they looked at.
import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import { openMemoryArm } from "./memory-arm.ts";
import type { MemoryArm } from "./memory-arm.ts";

type Rival = (arm: MemoryArm) => Promise<unknown>;

/** The rival acts before the next commit, once. */
async function openWithRival(): Promise<{ readonly arm: MemoryArm; let: (rival: Rival) => void }> {
  let next: Rival | undefined;
  const arm = await openMemoryArm(async (go, ...given) => {
    const rival = next;
    next = undefined;
    await rival?.(arm);
    return await go(...given);
  });
  return {
    arm,
    let: (rival) => {
      next = rival;
    },
  };
}

function isRefusal(code: string): (error: unknown) => boolean {
  return (error) => isSetpointError(error) && textAt(error.details, "arm", "code") === code;
}

/** Nobody is there who would delete it in the end. */
async function vanish(arm: MemoryArm, path: string): Promise<void> {
  const { target } = await arm.found(path);
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  await arm.memory.store.commit([{ kind: "delete", key, when: { kind: "exists" } }]);
}

/** A change by other means, which the operations of the resource do not know of. */
async function touch(arm: MemoryArm, path: string): Promise<void> {
  const { record } = await arm.found(path);
  assert.ok(record !== undefined);
  const { key, uid, revision } = record;
  const body = Buffer.from(JSON.stringify({ ...decodeDocument(record.body, revision), touched }));
  touched += 1;
  const draft = { body, terms: [], secrets: [] };
  const [answer] = await arm.memory.store.commit([
    { kind: "put", key, uid, draft, when: { kind: "revision", revision } },
  ]);
  assert.equal(answer?.kind, "committed");
}

let touched = 0;

it("a PUT of what is deleted at that moment creates it anew", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  assert.equal((await arm.put("a/one")).status, 201);
  rivals.let(async () => await vanish(arm, "a/one"));
  const again = await arm.put("a/one", { a: "b" });
  assert.equal(again.status, 201);
  assert.deepEqual(again.body?.["tags"], { a: "b" });
});

it("a DELETE of one state leaves another that came meanwhile as it is", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  const { headers } = await arm.put("a/one");
  const etag = String(headers?.["etag"]);
  rivals.let(async () => await touch(arm, "a/one"));
  const unmet = isRefusal("PreconditionFailed");
  await assert.rejects(arm.remove("a/one", { "if-match": etag }), unmet);
  const { record } = await arm.found("a/one");
  assert.doesNotMatch(String(record?.body), /"deletionTimestamp"/);
  rivals.let(async () => await touch(arm, "a/one"));
  assert.equal((await arm.remove("a/one")).status, 202, "without a condition it is deleted");
  assert.match(String((await arm.found("a/one")).record?.body), /"deletionTimestamp"/);
});

it("a creation that finds its path taken by a move changes what has come there", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  await arm.put("a/one", { from: "a" });
  const { record } = await arm.found("a/one");
  rivals.let(async () => await arm.move("a/one", "b"));
  assert.equal((await arm.put("b/one", { from: "b" })).status, 200);
  const moved = await arm.found("b/one");
  assert.equal(moved.record?.uid, record?.uid);
  assert.match(String(moved.record?.body), /"from\\":\\"b/);
});

it("a move that finds its path taken by a creation is refused, and changes nothing", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  await arm.put("a/one");
  const before = await arm.found("a/one");
  // The first commit of a move is its mark.
  rivals.let(async () => rivals.let(async () => await arm.put("b/one")));
  await assert.rejects(arm.move("a/one", "b"), isRefusal("ResourceAlreadyExists"));
  assert.equal((await arm.found("a/one")).record?.uid, before.record?.uid);
  assert.notEqual((await arm.found("b/one")).record?.uid, before.record?.uid);
});

it("a path that was left and taken by another is given back to nobody", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  await arm.move("a/one", "b");
  assert.equal((await arm.put("a/one")).status, 201, "under another name, since that is in use");
  const uids = async (): Promise<readonly (string | undefined)[]> =>
    await Promise.all(["a/one", "b/one"].map(async (path) => (await arm.found(path)).record?.uid));
  const [second, first] = await uids();
  await assert.rejects(arm.move("b/one", "a"), isRefusal("ResourceAlreadyExists"));
  assert.deepEqual(await uids(), [second, first]);
  await vanish(arm, "a/one");
  assert.equal((await arm.move("b/one", "a")).status, 200);
  assert.deepEqual(await uids(), [first, undefined]);
  assert.equal((await arm.put("b/one")).status, 201);
});
