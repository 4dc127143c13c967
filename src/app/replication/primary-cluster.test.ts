import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readConfigFile } from "../config-file.ts";
import { primaryCluster } from "./primary-cluster.ts";

function read(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-clusters-"));
  try {
    writeFileSync(join(folder, "setpoint.yaml"), text);
    return { folder, file: readConfigFile(join(folder, "setpoint.yaml")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a primary cluster is found by its name, with paths relative to the file", () => {
  const { folder, file } = read(`primaryClusters:
  first: { kubeconfig: replica.kubeconfig, address: "https://first.example:7443" }`);
  const expected = {
    kubeconfig: join(folder, "replica.kubeconfig"),
    address: "https://first.example:7443",
  };
  assert.deepEqual(primaryCluster(file, "first"), expected);
  assert.throws(() => primaryCluster(file, "toString"), /no primary cluster has the name toString/);
  assert.throws(() => primaryCluster({}, "first"), /no primary cluster has the name first/);
});

test("a primary cluster without a kubeconfig, or with an unknown key, is refused", () => {
  assert.throws(() => read("primaryClusters: { first: {} }"), /first\.kubeconfig is missing/);
  const unknown = "primaryClusters: { first: { kubeconfig: a, token: b } }";
  assert.throws(() => read(unknown), /primaryClusters\.first\.token is not a known key/);
});
