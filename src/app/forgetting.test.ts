import assert from "node:assert/strict";
import { test } from "node:test";
import type { EraseRequest } from "../store/erasure.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";
import { startForgetting } from "./forgetting.ts";

test("secrets of deleted resources are erased at intervals, and a failure is logged", async () => {
  const requests: EraseRequest[] = [];
  const second = Promise.withResolvers<void>();
  const warnings: string[] = [];
  const store = {
    erase: async (request: EraseRequest) => {
      requests.push(request);
      if (requests.length === 2) second.resolve();
      if (requests.length === 1) throw new Error("not now");
      return await Promise.resolve(0);
    },
  } as unknown as Store;
  const log = {
    warn: (_fields: unknown, message: string) => warnings.push(message),
  } as unknown as Logger;
  const stop = startForgetting({ historyMs: undefined, secretRetentionMs: 1 }, store, log);
  await second.promise;
  await stop();
  assert.deepEqual(requests[0], { kind: "deleted", minAgeMs: 1 });
  assert.deepEqual(warnings, ["secrets not erased"]);
});
