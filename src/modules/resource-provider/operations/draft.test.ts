// A process follows an operation from the moment that its commit has returned, and misses no change
// of the resource until then.
import assert from "node:assert/strict";
import { it } from "node:test";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { operationKind } from "../face.ts";
import { commitOperation } from "./draft.ts";
import type { OperationDraft } from "./draft.ts";
import { FollowedOperations } from "./followed.ts";
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

it("a change of the resource during the commit is known to a followed operation", async () => {
  const key = { kind: "ovens", namespace: "sub-1", name: "one" };
  const own = { kind: operationKind, namespace: "sub-1", name: "first" };
  const followed = new FollowedOperations(10);
  const open = new OpenOperations();
  const provider = { followed, open, intents: { clock: { nowMs: () => 0 } } };
  const draft = { write: { key: own }, spec: { resource: key } } as unknown as OperationDraft;
  const body = Buffer.from("{}");
  const change = { key, type: "updated", uid: "u", revision: 8, previous: 7, body } as const;
  await commitOperation(provider as never, key, async (drafted) => {
    drafted(draft);
    followed.changed(change);
    followed.changed({ ...change, key: { ...key, name: "other" }, revision: 9 });
    assert.equal(followed.get(own), undefined);
    return {};
  });
  assert.equal(followed.get(own)?.latest, change);
  assert.ok(open.knows(own));
});
