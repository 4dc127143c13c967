import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../kernel/resource.ts";
import { conditionsOf, isReady } from "./conditions.ts";
import { describeKind } from "./describe-kind.ts";

function resource(conditions: readonly object[], generation = 1): Resource {
  const metadata = { name: "a", uid: "u", generation, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "A", metadata, status: { conditions } as never };
}

describe("a resource is ready", () => {
  it("when its condition says so about what is wanted of it now", () => {
    const ready = { type: "Ready", status: "True", reason: "R", message: "" };
    assert.equal(isReady(resource([ready])), true);
    assert.equal(isReady(resource([{ ...ready, status: "False" }])), false);
    assert.equal(isReady(resource([{ ...ready, observedGeneration: 1 }], 2)), false);
    assert.equal(isReady(resource([{ ...ready, observedGeneration: 2 }], 2)), true);
    assert.equal(isReady(resource([])), false);
    assert.equal(isReady({ ...resource([]), status: "odd" }), false);
  });

  it("and conditions are read from any status", () => {
    assert.deepEqual(conditionsOf(resource([{ status: "True" }])), []);
  });
});

describe("a described kind", () => {
  it("has one version, which is stored", () => {
    const kind = describeKind({
      apiVersion: "example.dev/v1alpha1",
      kind: "Apple",
      plural: "apples",
      spec: { type: "object" },
    });
    assert.equal(kind.group, "example.dev");
    assert.equal(kind.versions[0]?.name, "v1alpha1");
    assert.equal(kind.versions[0].storage, true);
    assert.equal(kind.scope, "Namespaced");
  });

  it("is refused when a required field is missing, or has no group", () => {
    const spec = { type: "object" };
    const whole = { apiVersion: "example.dev/v1", kind: "Apple", plural: "apples", spec };
    for (const name of ["apiVersion", "kind", "plural", "spec"]) {
      const given = { ...whole, [name]: undefined } as never;
      assert.throws(() => describeKind(given), { message: `describeKind: ${name} is required` });
    }
    assert.throws(() => describeKind({ ...whole, kind: 7 } as never), /kind must be a string/);
    assert.throws(() => describeKind({ ...whole, apiVersion: "v1" }), {
      message: "describeKind: apiVersion needs a group, such as example.dev/v1; got v1",
    });
  });
});
