import assert from "node:assert/strict";
import { it } from "node:test";
import { RecentDocuments } from "./recent-documents.ts";

function record(revision: number, padding = 0) {
  const text = "x".repeat(padding);
  const metadata = { name: "a", uid: "u", generation: 1, creationTimestamp: "", text };
  const body = Buffer.from(JSON.stringify({ apiVersion: "a/v1", kind: "A", metadata }));
  return { revision, body };
}

it("decodes a revision once, as long as there is room", () => {
  const documents = new RecentDocuments();
  const first = documents.of(record(1));
  assert.equal(first.metadata.name, "a");
  assert.equal(documents.of(record(1)), first);
  assert.notEqual(documents.of(record(2)), first);
  for (let revision = 3; revision < 20; revision += 1) documents.of(record(revision, 150_000));
  assert.notEqual(documents.of(record(1)), first, "the oldest have gone");
  const huge = documents.of(record(30, 500_000));
  assert.notEqual(documents.of(record(30, 500_000)), huge, "large ones are not kept");
});
