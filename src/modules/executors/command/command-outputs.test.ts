import assert from "node:assert/strict";
import { it } from "node:test";
import { outputReader, splitOutputs } from "./command-outputs.ts";

it("the outputs of a program are its last JSON object, and secret ones are apart", () => {
  const reader = outputReader();
  for (const line of ['{"a":1}', "text", '{"b":2,"c":"x","d":null}', "{not json}", "[1]"]) {
    reader.line(line);
  }
  assert.deepEqual(reader.outputs(), { b: 2, c: "x", d: null });
  assert.deepEqual(splitOutputs(reader.outputs(), ["c", "z"]), {
    plain: { b: 2 },
    secret: { c: "x" },
  });
});
