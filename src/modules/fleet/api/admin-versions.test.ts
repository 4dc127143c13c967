import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { upgradeProblem } from "./admin-versions.ts";
import type { UpgradeFacts, Versions } from "./admin-versions.ts";

const facts: UpgradeFacts = {
  phase: "ready",
  desired: { product: "2.1.3", operator: "1.0.0" },
  actual: { product: "2.1.3", operator: "1.0.0" },
  upgrading: {},
  operators: [
    { version: "0.9.0", isReady: true, versions: ["2.1.3"] },
    { version: "1.0.0", isReady: true, versions: ["1.9.0", "2.0.9", "2.1.0", "2.1.3", "2.2.0"] },
    { version: "1.1.0", isReady: true, versions: ["2.1.3", "2.3.0"] },
    { version: "1.2.0", isReady: false, versions: ["2.3.0"] },
  ],
};

function problem(change: Versions, other: Partial<UpgradeFacts> = {}): string {
  const found = upgradeProblem(change, { ...facts, ...other });
  return found === undefined ? "" : `${found.component}: ${found.reason}`;
}

describe("the versions of an instance", () => {
  it("can be raised together or one by one", () => {
    assert.equal(problem({ product: "2.2.0" }), "");
    assert.equal(problem({ operator: "1.1.0" }), "");
    assert.equal(problem({ product: "2.3.0", operator: "1.1.0" }), "");
  });

  it("can be lowered in their patch version alone", () => {
    assert.equal(problem({ product: "2.1.0" }), "");
    assert.match(problem({ product: "2.0.9" }), /^product: 2\.0\.9 is older than 2\.1\.3/);
    assert.match(problem({ product: "1.9.0" }), /^product: 1\.9\.0 is older than 2\.1\.3/);
    assert.match(problem({ operator: "0.9.0" }), /^operator: 0\.9\.0 is older than 1\.0\.0/);
    const actual = { product: "2.10.0" };
    assert.match(problem({ product: "2.2.0" }, { actual }), /is older than 2\.10\.0/);
    assert.equal(problem({ product: "1.9.0" }, { actual: {} }), "");
  });

  it("need an operator that the cluster has and that is ready", () => {
    assert.match(problem({ operator: "3.0.0" }), /^operator: the cluster does not have/);
    const change = { operator: "1.2.0", product: "2.3.0" };
    assert.match(problem(change), /^operator: the cluster reports as not ready/);
  });

  it("need an operator that runs the product, also when only one of them changes", () => {
    assert.match(problem({ product: "2.3.0" }), /^product: the operator 1\.0\.0 .* does not run/);
    const desired = { product: "2.2.0", operator: "1.0.0" };
    assert.match(problem({ operator: "1.1.0" }, { desired }), /^product: .* the version 2\.2\.0/);
  });

  it("cannot change while another upgrade of the component runs", () => {
    const upgrading = { product: true, operator: false };
    assert.match(problem({ product: "2.2.0" }, { upgrading }), /^product: another upgrade is/);
    assert.equal(problem({ operator: "1.1.0" }, { upgrading }), "");
  });

  it("cannot change before the instance is placed, and while it is removed", () => {
    for (const phase of ["accepted", "deprovision", "deleting"] as const) {
      const expected = `product: cannot change while the status of the instance is ${phase}`;
      assert.equal(problem({ product: "2.2.0" }, { phase }), expected);
    }
    for (const phase of ["preparing", "provisioning", "failed", "suspended"] as const) {
      assert.equal(problem({ product: "2.2.0" }, { phase }), "");
    }
    const expected = "product: the cluster of the instance does not exist";
    assert.equal(problem({ product: "2.2.0" }, { operators: undefined }), expected);
  });

  it("can be asked for again in any state, because nothing changes", () => {
    const same = { product: "2.1.3", operator: "1.0.0" };
    const upgrading = { product: true, operator: true };
    assert.equal(problem(same, { upgrading, phase: "accepted", operators: undefined }), "");
  });
});
