import assert from "node:assert/strict";
import { test } from "node:test";
import { Schemas, template } from "./schema.ts";

const kind = { group: "shop.example", version: "v1", kind: "Database", isNamespaced: true };
const document = {
  components: {
    schemas: {
      "example.Database": {
        "x-kubernetes-group-version-kind": [
          { group: "shop.example", version: "v1", kind: "Database" },
        ],
        properties: {
          metadata: { allOf: [{ $ref: "#/components/schemas/Meta" }] },
          spec: {
            type: "object",
            required: ["engine"],
            properties: {
              engine: { type: "string", enum: ["postgres", "mysql"], description: "The product." },
              on: { type: "boolean" },
              disks: { type: "array", items: { properties: { size: { type: "integer" } } } },
            },
          },
        },
      },
      Meta: { properties: { name: { type: "string" } } },
    },
  },
};
const schemas = new Schemas(document, kind);

test("fields are found through references, lists and objects", () => {
  assert.deepEqual(
    schemas.fields(["metadata"]).map(({ name }) => name),
    ["name"],
  );
  assert.deepEqual(
    schemas.fields(["spec", "disks", 0]).map(({ name, type }) => [name, type]),
    [["size", "integer"]],
  );
  assert.deepEqual(schemas.fields(["spec"])[0], {
    name: "engine",
    description: "The product.",
    type: "string",
    isRequired: true,
  });
  assert.deepEqual(schemas.fields(["nothing", "here"]), []);
});

test("values are proposed where they are known", () => {
  assert.deepEqual(schemas.values(["spec", "engine"]), ["postgres", "mysql"]);
  assert.deepEqual(schemas.values(["spec", "on"]), ["true", "false"]);
  assert.deepEqual(schemas.values(["spec", "disks"]), []);
});

test("a new resource begins with its required fields", () => {
  assert.equal(
    template(kind, schemas, { namespace: "shop", name: "" }),
    `apiVersion: shop.example/v1
kind: Database
metadata:
  name: example
  namespace: shop
spec:
  engine: postgres
`,
  );
});
