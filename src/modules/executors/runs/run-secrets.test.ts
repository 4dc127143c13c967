import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runHider, textsWithin } from "./run-secrets.ts";

describe("the output of a run", () => {
  it("has no secret, in no form and in no line", () => {
    const hide = runHider(["s3cret-value", "first line\nsecond line"]);
    assert.equal(hide("token=s3cret-value."), "token=[hidden].");
    assert.equal(hide("czNjcmV0LXZhbHVl"), "[hidden]");
    assert.equal(hide("  second line"), "  [hidden]");
    assert.equal(hide("first and second"), "first and second");
  });

  it("has no part of a secret that is an object", () => {
    const texts = textsWithin({ a: ["hidden-one", { b: "hidden-two" }], n: 12_345, x: null });
    assert.deepEqual(texts, ["hidden-one", "hidden-two", "12345"]);
  });
});
