import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { versionProblems } from "./admin-versions.ts";
import type { UpgradeFacts, Versions } from "./admin-versions.ts";

const facts: UpgradeFacts = {
  phase: "ready",
  desired: { product: "2.1.3", operator: "1.0.0" },
  actual: { product: "2.1.3", operator: "1.0.0" },
  upgrading: {},
  cluster: {
    id: "eu-1",
    operators: [
      { version: "0.9.0", isReady: true, versions: ["2.1.3"] },
      { version: "1.0.0", isReady: true, versions: ["1.9.0", "2.0.9", "2.1.0", "2.1.3", "2.2.0"] },
      { version: "1.1.0", isReady: true, versions: ["2.1.3", "2.3.0"] },
      { version: "1.2.0", isReady: false, versions: ["2.3.0"] },
    ],
  },
};

function problems(change: Versions, other: Partial<UpgradeFacts> = {}): readonly string[] {
  return versionProblems(change, { ...facts, ...other }).map(
    ({ component, message }) => `${component}: ${message}`,
  );
}

describe("the versions of an instance", () => {
  it("can be raised together or one by one", () => {
    assert.deepEqual(problems({ product: "2.2.0" }), []);
    assert.deepEqual(problems({ operator: "1.1.0" }), []);
    assert.deepEqual(problems({ product: "2.3.0", operator: "1.1.0" }), []);
  });

  it("can be lowered in their patch version alone", () => {
    assert.deepEqual(problems({ product: "2.1.0" }), []);
    const reason = "only the patch version may be lower";
    assert.deepEqual(problems({ product: "2.0.9" }), [
      `product: 2.0.9 is a downgrade from 2.1.3: ${reason}`,
    ]);
    assert.deepEqual(problems({ product: "1.9.0" }), [
      `product: 1.9.0 is a downgrade from 2.1.3: ${reason}`,
    ]);
    assert.deepEqual(problems({ operator: "0.9.0" }), [
      `operator: 0.9.0 is a downgrade from 1.0.0: ${reason}`,
    ]);
  });

  it("are compared as numbers", () => {
    const actual = { product: "2.10.0" };
    assert.match(problems({ product: "2.2.0" }, { actual })[0] ?? "", /downgrade from 2\.10\.0/);
  });

  it("need an operator that the cluster has and that is ready", () => {
    assert.deepEqual(problems({ operator: "3.0.0" }), [
      "operator: 3.0.0 is not available on cluster eu-1; it has 0.9.0, 1.0.0, 1.1.0, 1.2.0",
    ]);
    assert.deepEqual(problems({ operator: "1.2.0", product: "2.3.0" }), [
      "operator: 1.2.0 is not ready on cluster eu-1",
    ]);
    const cluster = { id: "eu-2", operators: [] };
    assert.match(problems({ product: "2.2.0" }, { cluster })[0] ?? "", /it has none/);
  });

  it("need an operator that supports the product, also when only one of them changes", () => {
    assert.deepEqual(problems({ product: "2.3.0" }), [
      "product: 2.3.0 is not supported by operator 1.0.0, which supports " +
        "1.9.0, 2.0.9, 2.1.0, 2.1.3, 2.2.0",
    ]);
    const desired = { product: "2.2.0", operator: "1.0.0" };
    assert.match(problems({ operator: "1.1.0" }, { desired })[0] ?? "", /^product: 2\.2\.0/);
  });

  it("cannot change while another upgrade of the component runs", () => {
    const upgrading = { product: true, operator: false };
    assert.deepEqual(problems({ product: "2.2.0" }, { upgrading }), [
      "product: another upgrade is running: wait until it has ended",
    ]);
    assert.deepEqual(problems({ operator: "1.1.0" }, { upgrading }), []);
  });

  it("cannot change before the instance is placed and while it is removed", () => {
    for (const phase of ["accepted", "deprovision", "deleting"] as const) {
      assert.deepEqual(problems({ product: "2.2.0" }, { phase }), [
        `product: cannot change while the status of the instance is ${phase}`,
      ]);
    }
    for (const phase of ["preparing", "provisioning", "failed", "suspended"] as const) {
      assert.deepEqual(problems({ product: "2.2.0" }, { phase }), []);
    }
    const message = "the cluster of the instance does not exist";
    assert.deepEqual(problems({ product: "2.2.0" }, { cluster: undefined }), [
      `product: ${message}`,
    ]);
  });

  it("can be asked for again in any state, because nothing changes", () => {
    const same = { product: "2.1.3", operator: "1.0.0" };
    const upgrading = { product: true, operator: true };
    assert.deepEqual(problems(same, { upgrading, phase: "accepted", cluster: undefined }), []);
  });

  it("are not compared with actual versions that were never reported", () => {
    assert.deepEqual(problems({ product: "1.9.0" }, { actual: {} }), []);
    assert.deepEqual(problems({ product: "1.9.0" }, { actual: { product: "" } }), []);
  });
});
