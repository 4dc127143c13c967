import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFilter, stateOf, withState } from "./filter-words.ts";

test("the words of a filter become conditions of the server", () => {
  assert.deepEqual(
    parseFilter("state:failed label:tier=gold label:team reason:CreateFailed web").query,
    { filter: "state=Failed,reason=CreateFailed,name~web", labels: "tier=gold,team" },
  );
  assert.deepEqual(parseFilter("columns.storage>=100 ns:shop").query, {
    filter: "columns.storage>=100",
    namespace: "shop",
  });
  assert.deepEqual(parseFilter("  "), { query: {} });
});

test("a value with a comma is quoted, and cannot become a second condition", () => {
  assert.equal(parseFilter('"a,state=Ready"').query.filter, 'name~"a,state=Ready"');
  assert.equal(parseFilter("name=x,y").query.filter, 'name="x,y"');
});

test("an unknown state is an error with its name", () => {
  assert.equal(parseFilter("state:sleepy").error, "There is no state sleepy.");
});

test("the state of a filter is replaced and removed", () => {
  assert.equal(withState("web state:failed", "Waiting"), "web state:waiting");
  assert.equal(withState("web state:failed", undefined), "web");
  assert.equal(stateOf("web state:not-ready"), "NotReady");
  assert.equal(stateOf("web"), undefined);
});
