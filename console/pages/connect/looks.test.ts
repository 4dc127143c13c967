import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionLook, headlineOf, restKindLook, sorted, sourceText } from "./looks.ts";

function connection(name: string, status?: string) {
  const conditions = status === undefined ? [] : [{ type: "Ready", status, reason: "Timeout" }];
  return { metadata: { name }, status: { conditions } };
}

test("a connection whose service does not answer comes first, and is counted", () => {
  const all = [connection("a", "True"), connection("b", "False"), connection("c")];
  assert.deepEqual(
    sorted(all).map(({ metadata }) => metadata.name),
    ["b", "a", "c"],
  );
  assert.equal(headlineOf(all), "1 of 3 services does not answer");
  assert.equal(headlineOf([connection("a", "True")]), "1 connection");
  assert.deepEqual(
    all.map((each) => connectionLook(each).word),
    ["Answers", "Failed", "Not used yet"],
  );
});

test("a kind that is not in force shows why", () => {
  const conditions = [{ type: "Accepted", status: "False", reason: "KindNotFound" }];
  assert.deepEqual(restKindLook({ metadata: { name: "a" }, status: { conditions } }), {
    tone: "failed",
    word: "KindNotFound",
  });
});

test("the source of a rule has its confidence when it is a guess", () => {
  assert.equal(sourceText("name", 0.63), "guessed from its name, 63 %");
  assert.equal(sourceText("annotation", undefined), "stated by the document");
});
