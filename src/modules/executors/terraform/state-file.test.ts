import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sensitiveTexts, stateFacts, withSerial } from "./state-file.ts";

const text = `{
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": 7,
  "lineage": "3f",
  "outputs": {
    "url": { "value": "https://a", "type": "string" },
    "key": { "value": { "a": "hidden-text" }, "type": "string", "sensitive": true }
  },
  "resources": [
    { "mode": "managed", "type": "terraform_data", "instances": [{}, {}] },
    { "mode": "data", "type": "x", "instances": [{}] }
  ]
}`;

describe("a state file", () => {
  it("has facts, and sensitive outputs apart from the others", () => {
    const facts = stateFacts(text);
    assert.equal(facts?.serial, 7);
    assert.equal(facts.resources, 2);
    assert.deepEqual(facts.outputs, { url: "https://a" });
    assert.deepEqual(facts.sensitiveOutputs, { key: { a: "hidden-text" } });
    assert.deepEqual(sensitiveTexts(text), ["hidden-text"]);
  });

  it("is not read while it is empty, cut or of another format", () => {
    for (const cut of ["", text.slice(0, 40), "[]", '{"version":3,"serial":1,"lineage":"a"}']) {
      assert.equal(stateFacts(cut), undefined);
    }
  });

  it("gets another serial, and nothing else changes", () => {
    const next = withSerial(text, 12);
    assert.equal(stateFacts(next)?.serial, 12);
    assert.equal(withSerial(next, 7), text);
  });
});
