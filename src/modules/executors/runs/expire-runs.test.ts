import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { isOld } from "./expire-runs.ts";

it("records of runs are old a while after their end, and never before it", () => {
  const at = (time: string): number => Date.parse(time);
  const record = (spec: JsonObject, status: JsonObject): Resource =>
    ({
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "x", uid: "x", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec,
      status,
    }) as unknown as Resource;
  const running = record({ action: "apply" }, {});
  assert.equal(isOld(running, at("2027-01-01T00:00:00Z")), false);
  const ended = record({ action: "apply" }, { endedAt: "2026-02-01T00:00:00Z" });
  assert.equal(isOld(ended, at("2026-01-15T00:00:00Z")), false);
  assert.equal(isOld(ended, at("2026-02-02T00:00:00Z")), true);
  assert.equal(isOld(record({ text: "log" }, {}), at("2026-01-02T00:00:00Z")), true);
});
