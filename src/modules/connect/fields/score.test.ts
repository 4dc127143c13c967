// What the measure of guesses counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeUp } from "../document/made-up.ts";
import { placeAt, rootOf } from "../document/place.ts";
import { treeOf } from "../document/tree.ts";
import { classify } from "./classify.ts";
import { noExamples } from "./examples.ts";
import { addScores, noScores, qualityOf, scoreOf } from "./score.ts";

test("statements are held against guesses, field by field and from above", async () => {
  const documents = await madeUp({
    root: {
      swagger: "2.0",
      paths: {},
      definitions: {
        Thing: {
          properties: {
            id: { type: "string", readOnly: true, description: "Assigned by the server." },
            plain: { type: "string", description: "Whatever you like." },
            inner: {
              readOnly: true,
              description: "Read-only.",
              properties: { a: { type: "string" }, b: { type: "string" } },
            },
            place: { type: "string", "x-ms-mutability": ["create", "read"] },
            gone: { type: "string", "x-ms-mutability": ["read"] },
          },
        },
      },
    },
  });
  const place = placeAt(documents, "#/definitions/Thing", rootOf(documents));
  assert.ok(place);
  const tree = treeOf(documents, place);
  const input = {
    trees: { read: tree, create: tree, replace: tree },
    isComparable: true,
    examples: noExamples,
  };
  const stated = classify(input);
  const inferred = classify({ ...input, useMarks: false });
  const classes = (of: typeof stated): string =>
    [...of.judgements.values()].map((one) => `${one.path} ${one.class}`).join(", ");
  assert.equal(
    classes(stated),
    "/id read-only, /plain writable, /inner read-only, /inner/a read-only, /inner/b read-only, " +
      "/place create-only, /gone read-only",
  );
  const { fields, readOnly } = scoreOf(stated, inferred);
  assert.equal(fields, 7);
  assert.equal(readOnly.hits + readOnly.missed, 5);
  assert.ok(readOnly.hits >= 4, "the described ones are found without their marks");
});

test("precision, recall and F1 are those of the sums", () => {
  const one = { ...noScores, readOnly: { hits: 3, extra: 1, missed: 0 } };
  const two = { ...noScores, readOnly: { hits: 0, extra: 0, missed: 3 } };
  assert.deepEqual(qualityOf(addScores(one, two).readOnly), {
    precision: 0.75,
    recall: 0.5,
    f1: 0.6,
  });
  assert.deepEqual(qualityOf(noScores.readOnly), { precision: 0, recall: 0, f1: 0 });
});
