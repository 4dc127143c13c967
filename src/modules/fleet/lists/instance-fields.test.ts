import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { columnKey } from "../../../intents/read-model/row.ts";
import type { Row } from "../../../intents/read-model/row.ts";
import { limits } from "../../../kernel/limits.ts";
import { instanceKindOf } from "../kinds/instance-kind.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { instanceFields } from "./instance-fields.ts";

const offering = readOffering(sampleOffering());
const printed = instanceKindOf(offering).versions[0]?.printerColumns ?? [];
const columns = printed.map(({ name }) => ({
  key: columnKey(name),
  title: name,
  type: "text" as const,
}));
const values: Readonly<Record<string, string | boolean>> = {
  status: "ready",
  owner: "ann",
  region: "us-east-1",
  type: "standard",
  host: "rex.example.com",
  cluster: "c1",
  id: "i1",
  provider: "aws",
  "multi-az": true,
  version: "1.2.3",
  updated: "2026-01-02T00:00:00Z",
};
const row: Row = {
  namespace: "org-acme",
  name: "rex",
  uid: "u1",
  revision: 7,
  created: "2026-01-01T00:00:00Z",
  generation: 1,
  state: "Ready",
  reason: "",
  labels: {},
  cells: columns.map(({ key }) => values[key] ?? null),
};

describe("the fields of lists", () => {
  const { search, order } = instanceFields(offering, columns);

  it("are all in the rows of the kind of the instances", () => {
    assert.ok(columns.length <= limits.maxReadModelColumns);
    const shown = Object.fromEntries([...order].map(([name, read]) => [name, read(row)]));
    assert.deepEqual(shown, {
      cloud_provider: "aws",
      cluster_id: "c1",
      created_at: "2026-01-01T00:00:00Z",
      host: "rex.example.com",
      href: "/api/dinosaurs_mgmt/v1/dinosaurs/i1",
      id: "i1",
      instance_type: "standard",
      multi_az: "true",
      name: "rex",
      organisation_id: "acme",
      owner: "ann",
      region: "us-east-1",
      status: "ready",
      updated_at: "2026-01-02T00:00:00Z",
      version: "1.2.3",
    });
  });

  it("can be searched where they are columns of the search", () => {
    const names = [...search.keys()].sort();
    assert.deepEqual(names, [
      "cloud_provider",
      "cluster_id",
      "instance_type",
      "name",
      "owner",
      "region",
      "status",
    ]);
  });

  it("show the status as an answer does", () => {
    const status = search.get("status") ?? assert.fail();
    assert.equal(status({ ...row, state: "Deleting" }), "deprovision");
    assert.equal(status({ ...row, cells: [] }), "accepted");
  });
});
