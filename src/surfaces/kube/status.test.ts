import assert from "node:assert/strict";
import { it } from "node:test";
import { SetpointError, entryOf } from "../../kernel/errors.ts";
import { kubeError } from "./status.ts";

it("a full disk has the status of the catalogue, and clients are asked to try again", () => {
  const { code, status, retryAfterSeconds } = kubeError(new SetpointError("store.full", "full"));
  assert.equal(code, 507);
  assert.equal(code, entryOf("store.full").status);
  assert.equal(status["code"], 507);
  assert.equal(retryAfterSeconds, 1);
});
