import assert from "node:assert/strict";
import { it } from "node:test";
import { defaultBreakerPolicy } from "./breaker.ts";
import type { CallResult } from "./breaker.ts";
import { Breakers } from "./breakers.ts";

const startMs = 1_000_000;

function make(): Breakers {
  return new Breakers(defaultBreakerPolicy, startMs, () => {});
}

/** False when it was refused. */
function call(breakers: Breakers, namespace: string, result: CallResult, nowMs = startMs): boolean {
  const pass = breakers.admit(namespace, nowMs);
  if (pass.kind === "refusal") return false;
  breakers.report(pass, result, nowMs, 0);
  return true;
}

it("a namespace whose calls fail shuts out itself and not its neighbours", () => {
  const breakers = make();
  for (let at = 0; at < 100; at++) call(breakers, "a", "failure");
  assert.equal(call(breakers, "a", "success"), false);
  assert.equal(call(breakers, "b", "success"), true);
  assert.equal(breakers.state, "open");
});

it("when three namespaces fail and none succeeds between, nobody is let through", () => {
  const breakers = make();
  for (const namespace of ["a", "b", "c"]) call(breakers, namespace, "failure");
  assert.equal(call(breakers, "d", "success"), false);
});

it("two failing namespaces and one that succeeds now and then are not the system", () => {
  const breakers = make();
  for (let at = 0; at < 20; at++) {
    call(breakers, "a", "failure");
    call(breakers, "b", "failure");
  }
  assert.equal(call(breakers, "c", "success"), true);
  assert.equal(call(breakers, "d", "failure"), true);
  assert.equal(call(breakers, "c", "success"), true);
});

it("one probe of anybody opens the way for all", () => {
  const breakers = make();
  for (const namespace of ["a", "b", "c"]) call(breakers, namespace, "failure");
  const laterMs = startMs + 5_000;
  const probe = breakers.admit("d", laterMs);
  assert.ok(probe.kind === "pass");
  assert.equal(breakers.admit("e", laterMs).kind, "refusal");
  assert.equal(breakers.state, "half-open");
  breakers.report(probe, "success", laterMs, 0);
  assert.equal(breakers.state, "closed");
  assert.ok(["a", "b", "e"].every((namespace) => call(breakers, namespace, "success", laterMs)));
});

it("a question takes nobody's place", () => {
  const breakers = make();
  for (let at = 0; at < 5; at++) call(breakers, "a", "failure");
  const laterMs = startMs + 5_000;
  assert.equal(breakers.refusal("a", laterMs), undefined);
  assert.equal(breakers.refusal("a", laterMs), undefined);
  assert.equal(call(breakers, "a", "success", laterMs), true);
});

it("who is shut out by itself does not use up the probe for all", () => {
  const breakers = make();
  for (let at = 0; at < 5; at++) call(breakers, "a", "failure");
  call(breakers, "a", "failure", startMs + 5_000);
  // The failure of "a" has been counted for all; two more make it the system.
  for (const namespace of ["b", "c"]) call(breakers, namespace, "failure", startMs + 5_000);
  const laterMs = startMs + 10_000;
  assert.equal(call(breakers, "a", "success", laterMs), false, "open for ten seconds by itself");
  assert.equal(call(breakers, "d", "success", laterMs), true);
});

it("a namespace that has gone away is forgotten, and the number with it", () => {
  const breakers = make();
  for (let at = 0; at < 5; at++) call(breakers, "a", "failure");
  assert.equal(breakers.state, "open");
  call(breakers, "b", "success", startMs + 5_000 + 300_001);
  assert.equal(breakers.state, "closed");
});

it("remembers a bounded number of namespaces", () => {
  const breakers = make();
  for (let at = 0; at < 3_000; at++) call(breakers, `n${at}`, at % 2 === 0 ? "failure" : "success");
  assert.equal(breakers.state, "closed");
  assert.equal(call(breakers, "fresh", "success"), true);
});
