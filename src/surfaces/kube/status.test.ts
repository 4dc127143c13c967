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

it("a code of a module has the status of its catalogue, and what is ours stays internal", () => {
  // Codes without an entry in the table of Kubernetes.
  const cases = [
    ["module.unavailable", 503, "ServiceUnavailable"],
    ["route.not_found", 404, "NotFound"],
    ["internal", 500, "InternalError"],
  ] as const;
  for (const [code, status, reason] of cases) {
    const answer = kubeError(new SetpointError(code, "why"));
    assert.equal(answer.code, status);
    assert.equal(answer.status["reason"], reason);
    assert.equal(answer.status["message"], "why");
  }
});
