import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { cancelAnnotation, cancelRequestOf, forceCancelAnnotation } from "./cancel-request.ts";

const owner = (annotations: JsonObject, cancelled: JsonObject): Resource =>
  ({
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x", uid: "x", annotations },
    status: { cancelled },
  }) as unknown as Resource;

it("a request to cancel is handled once, and a forced one counts more", () => {
  assert.equal(cancelRequestOf(owner({}, {})), undefined);
  const one = { [cancelAnnotation]: "op-1" };
  assert.deepEqual(cancelRequestOf(owner(one, {})), { how: "graceful", value: "op-1" });
  assert.equal(cancelRequestOf(owner(one, { graceful: "op-1" })), undefined);
  const both = { ...one, [forceCancelAnnotation]: "op-1" };
  assert.deepEqual(cancelRequestOf(owner(both, { graceful: "op-1" })), {
    how: "force",
    value: "op-1",
  });
  assert.equal(cancelRequestOf(owner(both, { graceful: "op-1", force: "op-1" })), undefined);
});
