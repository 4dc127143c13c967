// Records of operations are kept for their time and no longer.
import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock, timeText } from "../../kernel/clock.ts";
import { encodeDocument } from "../../kernel/document.ts";
import { ModelStore } from "../../store/contract/model.ts";
import type { Put } from "../../store/port.ts";
import { operationKind } from "../../surfaces/arm/face.ts";
import { removeOldOperations } from "./operation-expiry.ts";

const clock = manualClock();
const hourMs = 3_600_000;

function record(name: string, expiresAt: string): Put {
  const body = encodeDocument({
    apiVersion: "arm.setpoint.dev/v1",
    kind: "Operation",
    metadata: { name, uid: name, generation: 1, creationTimestamp: timeText(clock.nowMs()) },
    spec: { expiresAt },
  });
  return {
    kind: "put",
    key: { kind: operationKind, namespace: "sub-1", name },
    uid: name,
    draft: { body, terms: [], secrets: [] },
    when: { kind: "absent" },
  };
}

it("removes those whose time has come, and leaves the others", async () => {
  const store = new ModelStore(clock);
  const at = (hours: number): string => timeText(clock.nowMs() + hours * hourMs);
  await store.commit([record("old", at(1)), record("young", at(3)), record("odd", "nonsense")]);
  const { signal } = new AbortController();
  clock.advanceMs(2 * hourMs);
  assert.equal(await removeOldOperations({ store, clock }, signal), 2);
  const { records } = await store.list({ kind: operationKind });
  assert.deepEqual(
    records.map(({ key }) => key.name),
    ["young"],
  );
  assert.equal(await removeOldOperations({ store, clock }, signal), 0);
});
