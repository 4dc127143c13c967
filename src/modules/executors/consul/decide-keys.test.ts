import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideKeys, decideRemoval } from "./decide-keys.ts";
import type { KeysInput, ObservedKey, RecordedKey } from "./decide-keys.ts";
import { flagsOf, isMarked } from "./owner-flags.ts";

const mark = flagsOf("uid-1");

function observed(key: string, more: Partial<ObservedKey> = {}): ObservedKey {
  const value = more.value ?? "1";
  const entry = { key, value, flags: mark, createIndex: 5, modifyIndex: 7, digest: `d:${value}` };
  return { ...entry, ...more };
}

function record(key: string, more: Partial<RecordedKey> = {}): RecordedKey {
  return { key, createIndex: 5, modifyIndex: 7, digest: "d:1", ...more };
}

function input(more: Partial<KeysInput> & { readonly found?: readonly ObservedKey[] }): KeysInput {
  const { found = [], ...given } = more;
  return {
    wanted: new Map([["a", "1"]]),
    observed: new Map(found.map((entry) => [entry.key, entry])),
    recorded: [],
    intended: {},
    mark,
    isApplied: false,
    isCorrected: false,
    mayTakeOver: false,
    ...given,
  };
}

describe("flags of Consul keys", () => {
  it("are marked, differ by owner, and are exact as a JSON number", () => {
    assert.ok(Number.isSafeInteger(mark));
    assert.notEqual(mark, flagsOf("uid-2"));
    assert.equal(isMarked(mark), true);
    assert.equal(isMarked(0), false);
    assert.equal(isMarked(42), false);
  });
});

describe("the decision about Consul keys", () => {
  it("creates a missing key only if it does not exist", () => {
    const step = decideKeys(input({}));
    const operations = [{ kind: "set", key: "a", value: "1", flags: mark, index: 0 }];
    assert.deepEqual(step, { kind: "write", operations, corrected: [] });
  });

  it("is settled when an own key has the value", () => {
    assert.deepEqual(decideKeys(input({ found: [observed("a")] })), { kind: "settled" });
  });

  it("refuses a key that Setpoint did not create, also with the same value", () => {
    const step = decideKeys(input({ found: [observed("a", { flags: 0 })] }));
    assert.equal(step.kind, "refuse");
    assert.match(step.kind === "refuse" ? step.message : "", /not created by Setpoint/);
  });

  it("names another ConsulKeys as the owner of a marked key", () => {
    const step = decideKeys(input({ found: [observed("a", { flags: flagsOf("uid-2") })] }));
    assert.match(step.kind === "refuse" ? step.message : "", /another ConsulKeys/);
  });

  it("takes a key over with its index when that is allowed", () => {
    const found = [observed("a", { flags: 0, value: "x" })];
    const step = decideKeys(input({ found, mayTakeOver: true }));
    assert.deepEqual(step.kind === "write" ? step.operations.map((each) => each.index) : [], [7]);
  });

  it("changes an own key with the index that was read", () => {
    const wanted = new Map([["a", "2"]]);
    const step = decideKeys(input({ wanted, found: [observed("a")], recorded: [record("a")] }));
    assert.deepEqual(step, {
      kind: "write",
      operations: [{ kind: "set", key: "a", value: "2", flags: mark, index: 7 }],
      corrected: [],
    });
  });

  it("does not overwrite the change of another client with a change of the spec", () => {
    const wanted = new Map([["a", "2"]]);
    const found = [observed("a", { value: "theirs", flags: 0, modifyIndex: 9 })];
    const step = decideKeys(input({ wanted, found, recorded: [record("a")] }));
    assert.equal(step.kind === "refuse" ? step.reason : "", "Conflict");
    const corrected = decideKeys(
      input({ wanted, found, recorded: [record("a")], isCorrected: true }),
    );
    assert.equal(corrected.kind, "write");
  });

  it("recognises the values of an interrupted write as its own", () => {
    const wanted = new Map([["a", "3"]]);
    const found = [observed("a", { value: "2", modifyIndex: 9 })];
    const intended = { a: "d:2" };
    const step = decideKeys(input({ wanted, found, recorded: [record("a")], intended }));
    assert.equal(step.kind, "write");
  });

  it("reports changed, missing and replaced keys as drift", () => {
    const wanted = new Map([
      ["a", "1"],
      ["b", "1"],
      ["c", "1"],
    ]);
    const found = [
      observed("a", { value: "x", flags: 0, modifyIndex: 9 }),
      observed("c", { flags: 0, createIndex: 20, modifyIndex: 20 }),
    ];
    const recorded = [record("a"), record("b"), record("c")];
    const step = decideKeys(input({ wanted, found, recorded, isApplied: true }));
    assert.deepEqual(
      step.kind === "drifted" ? step.items.map(({ path, kind }) => `${path} ${kind}`) : step.kind,
      ["a changed", "b missing", "c changed"],
    );
  });

  it("deletes own keys that are not wanted any more, and no other key", () => {
    const found = [observed("a"), observed("old"), observed("other", { flags: 0, createIndex: 9 })];
    const recorded = [record("a"), record("old"), record("other"), record("gone")];
    const step = decideKeys(input({ found, recorded }));
    assert.deepEqual(step.kind === "write" ? step.operations : [], [
      { kind: "delete", key: "old", index: 7 },
    ]);
  });

  it("deletes at the end only own keys, each with the index that was read", () => {
    const found = [
      observed("a", { modifyIndex: 9 }),
      observed("b", { flags: 0, modifyIndex: 11 }),
      observed("c", { flags: 0, createIndex: 30, modifyIndex: 30 }),
    ];
    const recorded = [record("b"), record("c")];
    assert.deepEqual(decideRemoval(input({ found, recorded })), [
      { kind: "delete", key: "a", index: 9 },
      { kind: "delete", key: "b", index: 11 },
    ]);
  });
});
