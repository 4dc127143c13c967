// Requests between whose look and whose commit somebody else changes what they looked at.
import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { systemCause } from "../../../kernel/cause.ts";
import { keepApplied } from "../../../modules/resource-provider/operations/applied-spec.ts";
import type { Located } from "./located.ts";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import type { MemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";

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
  await arm.memory.store.commit([
    { kind: "delete", cause: systemCause, key, when: { kind: "exists" } },
  ]);
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
    { kind: "put", cause: systemCause, key, uid, draft, when: { kind: "revision", revision } },
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

it("a creation inside of what is moved at that moment is not left behind", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  await arm.put("a/one");
  rivals.let(async () => await arm.move("a/one", "b"));
  await assert.rejects(arm.put("a/one/x"), isRefusal("ParentResourceNotFound"));
  for (const path of ["a/one/x", "b/one/x"]) {
    assert.equal((await arm.found(path)).record, undefined, path);
  }
});

it("who may write to one resource may not write to another that comes to its path", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one", { of: "hers" });
  await arm.put("b/one", { of: "his" });
  const { name } = (await arm.found("a/one")).target;
  const may = (at: Located): void => {
    if (at.target.name !== name) throw new Error("forbidden");
  };
  const swap = async (): Promise<void> => {
    await arm.move("a/one", "c");
    await arm.move("b/one", "a");
  };
  const back = async (): Promise<void> => {
    await arm.move("a/one", "b");
    await arm.move("c/one", "a");
  };
  const asking = { may, whileSent: swap };
  await assert.rejects(arm.put("a/one", { of: "hers, again" }, asking), /forbidden/);
  await back();
  await assert.rejects(arm.patch("a/one", { of: "hers, again" }, asking), /forbidden/);
  assert.match(String((await arm.found("a/one")).record?.body), /"of\\":\\"his/);
});

it("who may create at a path may not change what is moved there at that moment", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  await arm.put("a/one", { of: "his" });
  const { name } = (await arm.found("b/one")).target;
  rivals.let(async () => await arm.move("a/one", "b"));
  const may = (at: Located): void => {
    if (at.target.name !== name) throw new Error("forbidden");
  };
  await assert.rejects(arm.put("b/one", { of: "hers" }, { may }), /forbidden/);
  assert.match(String((await arm.found("b/one")).record?.body), /"of\\":\\"his/);
});

it("who may delete one resource may not delete another that comes to its path", async () => {
  const rivals = await openWithRival();
  await using arm = rivals.arm;
  await arm.put("a/one");
  await arm.put("b/one");
  const { name } = (await arm.found("a/one")).target;
  rivals.let(async () => {
    await arm.move("a/one", "c");
    await arm.move("b/one", "a");
  });
  const may = (at: Located): void => {
    if (at.target.name !== name) throw new Error("forbidden");
  };
  await assert.rejects(arm.remove("a/one", {}, { may }), /forbidden/);
  assert.doesNotMatch(String((await arm.found("a/one")).record?.body), /"deletionTimestamp"/);
});

it("a body that takes its time is asked for its rights and subscription again", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  let asked = 0;
  const may = (): void => {
    asked += 1;
  };
  const { clock } = arm.memory.surroundings;
  assert.equal((await arm.patch("a/one", { a: "b" }, { may })).status, 200);
  assert.equal(asked, 0, "at once, nothing can have changed");
  const whileSent = async (): Promise<void> => clock.advanceMs(5_000);
  // There is none here, which is what the request is told by then.
  const gone = isRefusal("SubscriptionNotFound");
  await assert.rejects(arm.patch("a/one", { a: "c" }, { may, whileSent }), gone);
  await assert.rejects(arm.put("a/two", {}, { may, whileSent }), gone);
  assert.equal(asked, 2);
  assert.equal((await arm.found("a/two")).record, undefined);
});

it("who may not change what is inside may not move what is around it", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  await arm.put("a/one/x");
  const moving = arm.move("a/one", "b", (kind) => {
    if (kind.startsWith("things.")) throw new Error("forbidden");
  });
  await assert.rejects(moving, /forbidden/);
  assert.notEqual((await arm.found("a/one/x")).record, undefined);
  assert.equal((await arm.found("b/one")).record, undefined);
});

it("what is made by other means hides nothing that was moved to its path", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  const { target } = await arm.found("a/one");
  await vanish(arm, "a/one");
  await arm.put("b/one");
  const { record } = await arm.found("b/one");
  await arm.move("b/one", "a");
  const { namespace, name } = target;
  const metadata = { name, namespace };
  await arm.memory.create({ apiVersion: "tests.dev/v1", kind: "Box", metadata, spec: {} });
  assert.equal((await arm.found("a/one")).record?.uid, record?.uid);
  assert.equal((await arm.put("a/one", { a: "b" })).status, 200);
  assert.equal((await arm.remove("a/one")).status, 202);
  await vanish(arm, "a/one");
  const foreign = await arm.found("a/one");
  assert.equal(foreign.target.name, name, "and is found there once that is gone");
  assert.notEqual(foreign.record, undefined);
});

it("a spec that does not fit beside its resource is not kept for a failed change", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  const { record, face } = await arm.found("a/one");
  assert.ok(record !== undefined);
  const stored = decodeDocument(record.body, record.revision);
  const status = { reconcile: { succeeded: { generation: stored.metadata.generation } } };
  const kept = async (characters: number): Promise<number> => {
    const old = { ...stored, spec: { text: '"'.repeat(characters) }, status };
    const next = { ...old, metadata: { ...old.metadata, generation: 99 } };
    const writes = await keepApplied(
      arm.surface,
      { ...face, afterFailedUpdate: "revert" },
      old,
      next,
    );
    return writes.length;
  };
  assert.equal(await kept(1_000), 1);
  assert.equal(await kept(3_000_000), 0);
});
