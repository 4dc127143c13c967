import assert from "node:assert/strict";
import { test } from "node:test";
import { causeFault, causeLimits } from "../../kernel/cause.ts";
import type { Caller } from "../request.ts";
import { causeOf } from "./cause-of.ts";

function caller(name: string, parts: Partial<Caller> = {}): Caller {
  const user = { name, groups: [], extra: {} };
  return { user, surface: "kube", warn: () => undefined, ...parts };
}

test("a cause names the user, the surface and the ids of the request", () => {
  const traceId = "a".repeat(32);
  const parts = { traceId, correlationId: "audit-1", impersonator: "root" };
  assert.deepEqual(causeOf(caller("jane", parts)), { actor: "jane", surface: "kube", ...parts });
  assert.deepEqual(causeOf(caller("jane")), { actor: "jane", surface: "kube" });
});

test("every name of a user gives a cause that a store accepts", () => {
  const names = ["", "x".repeat(2_000), "\u{1f600}".repeat(400), "a\u0000b", "half \ud800", "é"];
  for (const name of names) {
    const given = { impersonator: name, correlationId: name, traceId: name };
    assert.equal(causeFault(causeOf(caller(name, given))), undefined, name.slice(0, 20));
  }
});

test("a name that is too long is cut between characters", () => {
  const { actor } = causeOf(caller("\u{1f600}".repeat(400)));
  assert(Buffer.byteLength(actor) <= causeLimits.actorBytes);
  assert.match(actor, /^\u{1f600}+…$/u);
});
