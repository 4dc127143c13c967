import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { encodeDocument } from "../../kernel/document.ts";
import type { OwnerReference, Resource } from "../../kernel/resource.ts";
import { ownerUids } from "../../kernel/owners.ts";
import { termsOf } from "../../kernel/terms.ts";
import { namedOwners } from "./named-owners.ts";

function documentWith(owners: readonly OwnerReference[], odd: string): Resource {
  return {
    apiVersion: odd,
    kind: "Pod",
    metadata: {
      name: odd,
      uid: "u",
      generation: 1,
      creationTimestamp: "",
      annotations: { ownerReferences: odd, [odd]: '"ownerReferences":[' },
      managedFields: [{ fieldsV1: { "f:metadata": { "f:ownerReferences": { ".": {} } } } }],
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    },
    spec: { template: { metadata: { ownerReferences: [{ uid: "not this one" }] } } },
  };
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"', "\\", "[", "]", '"ownerReferences":[', "{"),
);
const owner = fc.record(
  { apiVersion: text, kind: text, name: text, uid: text },
  { noNullPrototype: true },
);

test("the owners found are those of the metadata, whatever the texts around them are", () => {
  fc.assert(
    fc.property(fc.array(owner, { minLength: 1, maxLength: 3 }), text, (owners, odd) => {
      const document = documentWith(owners, odd);
      const terms = termsOf({ labels: { odd }, owners: ownerUids(document) });
      assert.deepEqual(namedOwners(encodeDocument(document), terms), owners);
    }),
  );
});

test("a list that only looks like the owners is not taken for them", () => {
  const owners = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }];
  const { metadata, ...others } = documentWith(owners, "x");
  for (const lure of [[{ uid: "other" }], [], ["u"], [{ uid: "u" }, { uid: "v" }]]) {
    const document = { ...others, metadata: { lure: { ownerReferences: lure }, ...metadata } };
    const body = encodeDocument(document);
    assert.deepEqual(namedOwners(body, ["o:u"]), owners);
  }
});

test("without owners in its terms a document is not looked at", () => {
  assert.deepEqual(namedOwners(Buffer.from("not JSON"), ["l:a=b"]), []);
});
