// The measure of guesses on documents of two services that say what is true: one for tuning, one
// held out, as their names decide.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { corpusIn, isHeldOut } from "../../tools/connect/corpus.ts";
import { qualityOf, scoreDocuments } from "../../tools/connect/score-documents.ts";
import { scoreAnnotated } from "../../tools/connect/score-annotated.ts";
import { sampleDns } from "./sample-dns.ts";

const text = { type: "string" };
const body = [{ in: "body", name: "body", schema: { $ref: "#/definitions/Oven" } }];
const answer = { responses: { "200": { schema: { $ref: "#/definitions/Oven" } } } };

function documentWith(properties: JsonObject): JsonObject {
  return {
    swagger: "2.0",
    paths: {
      "/ovens/{name}": { get: answer, put: { parameters: body, ...answer }, delete: answer },
    },
    definitions: { Oven: { type: "object", properties } },
  };
}

/** Read-only ones that names and descriptions tell, one that nothing tells, and others. */
const annotated = documentWith({
  etag: { ...text, readOnly: true },
  provisioningState: { ...text, readOnly: true, description: "Read-only. Set by the server." },
  createdAt: { type: "string", format: "date-time", readOnly: true },
  plain: { ...text, readOnly: true },
  place: { ...text, "x-ms-mutability": ["create", "read"] },
  speed: { type: "integer" },
  color: text,
});

test("a folder of annotated documents is measured, each service in its own set", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `service${index}`);
  const [tuning = "", heldOut = ""] = [false, true].map((is) =>
    names.find((name) => isHeldOut(name) === is),
  );
  const root = mkdtempSync(join(tmpdir(), "setpoint-score-"));
  try {
    const put = (service: string, version: string, document: JsonObject): void => {
      const folder = join(root, service, "stable", version);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "ovens.json"), JSON.stringify(document));
    };
    put(tuning, "2026-01-01", annotated);
    put(heldOut, "2026-01-01", annotated);
    // An older version counts for nothing, and neither does what marks nothing.
    put(heldOut, "2020-01-01", documentWith({ old: { ...text, readOnly: true } }));
    put("unmarked", "2026-01-01", documentWith({ color: text }));
    const score = await scoreDocuments(root);
    assert.equal(score.skipped, 1);
    for (const set of [score.tuning, score.heldOut]) {
      assert.deepEqual([set.units, set.resources, set.scores.fields], [1, 1, 7]);
      const { readOnly, createOnly } = set.scores;
      assert.equal(readOnly.hits + readOnly.missed, 4);
      assert.ok(readOnly.hits >= 3, "what names and descriptions tell is found without the marks");
      assert.equal(createOnly.hits + createOnly.missed, 1);
      const { precision, recall } = qualityOf(readOnly);
      assert.ok(precision >= 0.75 && recall >= 0.75, `${precision} ${recall}`);
    }
    assert.deepEqual(score.tuning.scores, score.heldOut.scores);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a corpus takes the newest version and never changes its halves", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-corpus-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [unit, version] of [
    ["dns", "2020-01-01"],
    ["dns", "2021-01-01"],
    ["web", "2020-01-01"],
  ] as const) {
    const at = join(folder, "specification", unit, "stable", version);
    mkdirSync(join(at, "examples"), { recursive: true });
    writeFileSync(join(at, "a.json"), JSON.stringify(sampleDns));
    writeFileSync(join(at, "examples", "b.json"), "{}");
  }
  const files = corpusIn(folder);
  assert.deepEqual(
    files.map((file) => [file.unit, file.path.split("/").at(-2), file.isHeldOut]),
    [
      ["dns", "2021-01-01", true],
      ["web", "2020-01-01", true],
    ],
  );
  const { skipped } = await scoreDocuments(folder);
  assert.equal(skipped, 2, "it marks nothing, so there is nothing to measure by");
});

test("imports are measured by what a person has annotated", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-annotated-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [documents, annotations] = ["documents", "annotations"].map((name) => join(folder, name));
  assert.ok(documents !== undefined && annotations !== undefined);
  for (const each of [join(documents, "bakery"), annotations]) mkdirSync(each, { recursive: true });
  writeFileSync(join(documents, "bakery", "openapi.json"), JSON.stringify(annotated));
  const oven = {
    item: "/ovens/{name}",
    identity: "client",
    operations: ["read", "create", "replace", "delete"],
    envelope: "",
    fields: { "/etag": "read-only", "/place": "create-only", "/color": "read-only" },
    secrets: ["/color"],
  };
  const missing = { ...oven, item: "/pans/{name}", fields: { "/a": "read-only" }, secrets: [] };
  const file = join(annotations, "bakery.json");
  writeFileSync(file, JSON.stringify({ source: "a test", kinds: [oven, missing] }));
  const score = await scoreAnnotated(documents, annotations);
  assert.deepEqual([score.documents, score.kinds, score.fields], [1, 2, 4]);
  assert.deepEqual([score.identities, score.envelopes, score.operations], [1, 1, 1]);
  assert.equal(score.rightFields, 2);
  assert.deepEqual(
    [score.readOnly.precision, score.createOnly.f1, score.secrets.recall],
    [1, 1, 0],
  );
});
