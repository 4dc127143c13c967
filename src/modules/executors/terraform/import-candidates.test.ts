import assert from "node:assert/strict";
import { it } from "node:test";
import { importCandidates } from "./import-candidates.ts";

it("objects that the log has and the state does not are candidates for an import", () => {
  const time = "2026-01-01T00:00:00.000Z";
  const log = [
    `${time} terraform_data.a: Creation complete after 1s [id=1]`,
    `${time} module.m["x"].terraform_data.b[0]: Creation complete after 1m2s [id=2]`,
    `${time} terraform_data.c["k"]: Creation complete after 0s [id=a b]`,
    `${time} terraform_data.d: Destruction complete after 0s`,
  ].join("\n");
  const state = {
    version: 4,
    resources: [
      { mode: "managed", type: "terraform_data", name: "a", instances: [{}] },
      {
        module: 'module.m["x"]',
        mode: "managed",
        type: "terraform_data",
        name: "b",
        instances: [{ index_key: 0 }],
      },
    ],
  };
  assert.deepEqual(importCandidates(log, JSON.stringify(state)), [
    { address: 'terraform_data.c["k"]', id: "a b" },
  ]);
  assert.equal(importCandidates(log, undefined).length, 3);
});
