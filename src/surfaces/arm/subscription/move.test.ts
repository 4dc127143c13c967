// A move takes along all that is inside, also what comes between its look and its commit, and the
// commit that moves is the only one it needs: whoever is killed leaves nothing behind.
import assert from "node:assert/strict";
import { it } from "node:test";
import { movingAnnotation } from "../../../modules/resource-provider/face.ts";
import type { Write } from "../../../store/port.ts";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import type { MemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";

/** Gives a path to what has another. */
function isMove(writes: readonly Write[]): boolean {
  return writes.every(
    (write) => write.kind === "put" && write.names !== undefined && write.when.kind !== "absent",
  );
}

async function isThere(arm: MemoryArm, path: string): Promise<boolean> {
  return (await arm.found(path)).record !== undefined;
}

async function isMarked(arm: MemoryArm, path: string): Promise<boolean> {
  const { record } = await arm.found(path);
  return String(record?.body).includes(movingAnnotation);
}

it("takes along what is created before its commit, in that commit", async () => {
  let before: () => Promise<unknown> = () => Promise.resolve();
  let isKilled = false;
  const moves: number[] = [];
  await using arm = await openMemoryArm(async (go, writes, options) => {
    if (isKilled) throw new Error("the process was killed");
    if (!isMove(writes)) return await go(writes, options);
    const first = before;
    before = () => Promise.resolve();
    await first();
    const answers = await go(writes, options);
    isKilled = answers.every(({ kind }) => kind === "committed");
    moves.push(writes.length);
    return answers;
  });
  await arm.put("a/one");
  await arm.put("a/one/x");
  before = () => arm.put("a/one/late");
  assert.equal((await arm.move("a/one", "b")).status, 200);
  assert.deepEqual(moves, [2, 3], "the first saw one thing inside, and was refused");
  for (const path of ["one", "one/x", "one/late"]) {
    assert.ok(await isThere(arm, `b/${path}`), path);
    assert.ok(!(await isThere(arm, `a/${path}`)), path);
  }
  assert.ok(!(await isMarked(arm, "b/one")));
});

it("that is killed after its mark is in the way of nothing", async () => {
  let isKilled = false;
  await using arm = await openMemoryArm(async (go, writes, options) => {
    if (isKilled && isMove(writes)) throw new Error("the process was killed");
    return await go(writes, options);
  });
  await arm.put("a/one");
  isKilled = true;
  await assert.rejects(arm.move("a/one", "b"), /killed/);
  isKilled = false;
  assert.ok(await isMarked(arm, "a/one"));
  const marked = (await arm.found("a/one")).record?.revision;
  assert.equal((await arm.put("a/one/x")).status, 201);
  assert.ok(!(await isMarked(arm, "a/one")), "who is created inside takes the mark off");
  const cleared = (await arm.found("a/one")).record?.revision;
  assert.notEqual(cleared, marked);
  assert.equal((await arm.put("a/one/y")).status, 201);
  assert.equal((await arm.found("a/one")).record?.revision, cleared, "and leaves it alone else");
  assert.equal((await arm.move("a/one", "b")).status, 200);
  assert.ok(await isThere(arm, "b/one/x"));
  assert.ok(await isThere(arm, "b/one/y"));
});

it("and creations inside of it at the same time come to an end, whoever is first", async () => {
  await using arm = await openMemoryArm();
  await arm.put("a/one");
  const names = Array.from({ length: 12 }, (_, at) => `x${at}`);
  const made = names.map(async (name) => {
    const path = `a/one/${name}`;
    return await arm.put(path).then(
      ({ status }) => status,
      () => 404,
    );
  });
  const [moved, ...statuses] = await Promise.all([arm.move("a/one", "b"), ...made]);
  assert.equal(moved.status, 200);
  for (const [at, status] of statuses.entries()) {
    assert.equal(await isThere(arm, `b/one/${names[at]}`), status === 201);
    assert.ok(!(await isThere(arm, `a/one/${names[at]}`)));
  }
});
