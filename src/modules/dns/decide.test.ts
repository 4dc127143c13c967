import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRemoval, decideStep } from "./decide.ts";
import { commentsWith } from "./owner-mark.ts";
import type { RecordComment, RecordSet, WantedRecords } from "./server/record-set.ts";

const wanted: WantedRecords = {
  name: "www.example.",
  type: "A",
  ttl: 300,
  values: ["192.0.2.1", "192.0.2.2"],
};
const mark = { uid: "uid-1", owner: "team/www" };
const own = commentsWith(mark, undefined, 7);
const note: RecordComment = { account: "ann", content: "see ticket 7", modifiedAt: 1 };

function observed(more: Partial<RecordSet> = {}): RecordSet {
  return { ttl: 300, values: [...wanted.values], hasDisabled: false, comments: own, ...more };
}

const decide = (set: RecordSet | undefined, mayTakeOver = false): string => {
  const step = decideStep({ wanted, observed: set, mark, mayTakeOver });
  return step.kind === "write" ? `write ${step.why}` : step.kind;
};

test("a record set that is as wanted is left alone, in any order of its values", () => {
  assert.equal(decide(observed()), "settled");
  assert.equal(decide(observed({ values: ["192.0.2.2", "192.0.2.1"] })), "settled");
});

test("a record set that another client changed or deleted is written again", () => {
  assert.equal(decide(undefined), "write absent");
  assert.equal(decide(observed({ values: [], comments: own })), "write absent");
  assert.equal(decide(observed({ values: ["192.0.2.1"] })), "write changed");
  assert.equal(decide(observed({ ttl: 60 })), "write changed");
  assert.equal(decide(observed({ hasDisabled: true })), "write changed");
  const three = [...wanted.values, "192.0.2.3"];
  assert.equal(decide(observed({ values: three })), "write changed");
});

test("a record set of a person is replaced only with permission", () => {
  for (const comments of [[], [note], [{ ...note, account: "setpoint" }]]) {
    const foreign = observed({ comments });
    assert.equal(decide(foreign), "refuse");
    assert.equal(decide(foreign, true), "write takenOver");
    assert.equal(decideRemoval(foreign, mark), "foreign");
  }
  const disabled = observed({ values: [], hasDisabled: true, comments: [] });
  assert.equal(decide(disabled), "refuse");
});

test("a record set of another DnsRecord is never replaced", () => {
  const comments = commentsWith({ uid: "uid-2", owner: "other/www" }, undefined, 7);
  const foreign = observed({ comments });
  assert.equal(decide(foreign, true), "refuse");
  assert.equal(decideRemoval(foreign, mark), "foreign");
  const step = decideStep({ wanted, observed: foreign, mark, mayTakeOver: true });
  const message = "belongs to the DnsRecord other/www";
  assert.deepEqual(step, { kind: "refuse", message });
});

test("a DnsRecord that was created again can take over the record set of its predecessor", () => {
  const comments = commentsWith({ ...mark, uid: "uid-0" }, undefined, 7);
  assert.equal(decide(observed({ comments })), "refuse");
  assert.equal(decide(observed({ comments }), true), "write takenOver");
});

test("only an own record set is deleted", () => {
  assert.equal(decideRemoval(observed(), mark), "delete");
  assert.equal(decideRemoval(undefined, mark), "absent");
  assert.equal(decideRemoval(observed({ values: [], comments: [] }), mark), "absent");
  assert.equal(decideRemoval(observed({ values: [] }), mark), "delete");
});

test("comments of people are kept, and the mark is there once", () => {
  const before = observed({ comments: [...own, note] });
  const comments = commentsWith(mark, before, 9);
  assert.deepEqual(comments, [
    note,
    { account: "setpoint", content: "DnsRecord team/www uid-1", modifiedAt: 9 },
  ]);
});
