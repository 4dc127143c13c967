// A process follows an operation from the moment that its commit has returned, and misses no change
// of the resource until then.
import assert from "node:assert/strict";
import { it } from "node:test";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { operationKind } from "../face.ts";
import type { SeenChange } from "./awaited-changes.ts";
import { commitOperation } from "./draft.ts";
import type { OperationDraft } from "./draft.ts";
import { FollowedOperations } from "./followed.ts";
import type { FollowedOperation } from "./followed.ts";
import { OpenOperations } from "./open-operations.ts";

it("an operation whose commit is refused is not followed", async () => {
  let isRefusing = false;
  await using arm = await openMemoryArm(async (go, ...given) => {
    if (isRefusing) throw new SetpointError("store.overloaded", "too many commits");
    return await go(...given);
  });
  const { open, intents } = arm.surface;
  const later = (ms: number): number => intents.clock.nowMs() + ms;
  await arm.put("a/one");
  assert.equal(open.take(later(100_000)).length, 1);
  isRefusing = true;
  await assert.rejects(arm.put("a/two"), { code: "store.overloaded" });
  await assert.rejects(arm.remove("a/one"), { code: "store.overloaded" });
  assert.equal(open.take(later(200_000)).length, 1, "the first one is still followed");
});

/** Follows an operation on `key` whose resource changes during the commit. */
async function followedThrough(...changes: readonly SeenChange[]): Promise<FollowedOperation> {
  const own = { kind: operationKind, namespace: "sub-1", name: "first" };
  const followed = new FollowedOperations(10);
  const open = new OpenOperations();
  const provider = { followed, open, intents: { clock: { nowMs: () => 0 } } };
  const draft = { write: { key: own }, spec: { resource: key } } as unknown as OperationDraft;
  await commitOperation(provider as never, key, async (drafted) => {
    drafted(draft);
    for (const change of changes) followed.changed(change);
    assert.equal(followed.get(own), undefined);
    return {};
  });
  assert.ok(open.knows(own));
  return followed.get(own) ?? assert.fail("it is followed");
}

const key = { kind: "ovens", namespace: "sub-1", name: "one" };
const body = Buffer.from("{}");
const change = { key, type: "updated", uid: "u", revision: 8, previous: 7, body } as const;

it("a change of the resource during the commit is known to a followed operation", async () => {
  const other = { ...change, key: { ...key, name: "other" }, revision: 9 };
  assert.equal((await followedThrough(change, other)).latest, change);
});

it("a large document that is stored during the commit is not kept for its operation", async () => {
  const large = { ...change, revision: 9, previous: 8, body: Buffer.alloc(65_537) };
  assert.equal((await followedThrough(large)).latest?.revision, undefined);
  const afterSmall = await followedThrough(change, large);
  assert.equal(afterSmall.latest?.revision, undefined, "the small one is not the last");
});

it("an operation that ended with its commit is not open", async () => {
  const own = { kind: operationKind, namespace: "sub-1", name: "answered" };
  const open = new OpenOperations();
  const followed = new FollowedOperations(10);
  const provider = { followed, open, intents: { clock: { nowMs: () => 0 } } };
  const spec = { resource: key, isAnswered: true };
  await commitOperation(provider as never, key, async (drafted) => {
    drafted({ write: { key: own }, spec } as unknown as OperationDraft);
    return {};
  });
  assert.ok(!open.knows(own));
});
