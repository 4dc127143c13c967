// Which operations are looked at, and when.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { OpenOperations, recordedAfterMs } from "./open-operations.ts";

function key(kind: string, name: string, namespace = "sub-1"): ResourceKey {
  return { kind, namespace, name };
}

function names(taken: ReturnType<OpenOperations["take"]>): readonly string[] {
  return taken.map(({ key: { name } }) => name);
}

it("are looked at a moment after they came, and again when their resource has changed", () => {
  const open = new OpenOperations();
  open.note(key("operations", "first"), key("ovens", "one"), 0);
  open.note(key("operations", "second"), key("ovens", "one"), 0);
  open.note(key("operations", "other"), key("jars", "one"), 0);
  assert.deepEqual(names(open.take(0)), []);
  assert.deepEqual(names(open.take(recordedAfterMs)), ["first", "second", "other"]);
  assert.deepEqual(names(open.take(recordedAfterMs)), []);
  open.changed(key("ovens", "one", "sub-2"), 2_000);
  open.changed(key("jars", "one"), 2_000);
  assert.deepEqual(names(open.take(2_000 + recordedAfterMs)), ["other"]);
  open.settle(key("operations", "first"));
  assert.deepEqual(names(open.take(100_000)), ["second", "other"], "time alone may end them");
});

it("of other processes are looked at each minute, whatever their resources do", () => {
  const open = new OpenOperations();
  open.noteOthers(key("operations", "first"), 0);
  open.noteOthers(key("operations", "second"), 0);
  open.changed(key("ovens", "one"), 1_000);
  assert.deepEqual(names(open.take(59_000)), []);
  open.settle(key("operations", "first"));
  assert.deepEqual(names(open.take(60_000)), ["second"]);
  assert.deepEqual(names(open.take(119_000)), []);
  assert.deepEqual(names(open.take(120_000)), ["second"]);
  assert.ok(open.knows(key("operations", "second")) && !open.knows(key("operations", "first")));
});

it("wait for a quieter moment while very much is accepted, but for no longer than a minute", () => {
  const open = new OpenOperations();
  let nowMs = 0;
  let count = 0;
  const accept = (): void => {
    for (let at = 0; at < 50; at++) {
      count += 1;
      open.note(key("operations", `o${count}`), key("ovens", `r${count}`), nowMs);
    }
  };
  accept();
  accept();
  for (let at = 0; at < 50; at++) {
    accept();
    nowMs += 1_000;
    assert.deepEqual(open.take(nowMs), []);
  }
  let waitedMs = nowMs;
  while (open.take(waitedMs).length === 0) {
    nowMs = waitedMs;
    accept();
    waitedMs += 1_000;
  }
  assert.ok(waitedMs <= 62_000, `${waitedMs} ms`);
});

it("that have waited long enough are looked at slowly while very much is accepted", () => {
  const open = new OpenOperations();
  const taken: string[] = [];
  let count = 0;
  for (let nowMs = 1_000; nowMs <= 70_000; nowMs += 1_000) {
    for (let at = 0; at < 300; at++) {
      count += 1;
      open.note(key("operations", `o${count}`), key("ovens", `r${count}`), nowMs);
    }
    const some = open.take(nowMs);
    assert.ok(some.length <= 300, `${some.length} at once`);
    for (const { key: operation } of some) open.settle(operation);
    taken.push(...names(some));
  }
  assert.deepEqual(taken.slice(0, 3), ["o1", "o2", "o3"], "the oldest first");
  assert.equal(new Set(taken).size, taken.length);
  assert.ok(taken.length >= 200 * 9, `${taken.length} in the end`);
  const rest = open.take(200_000);
  assert.equal(rest.length, count - taken.length, "all that is left, when it is quiet");
});

it("that go on and change again and again do not keep others from being looked at", () => {
  const open = new OpenOperations();
  const taken = new Set<string>();
  for (let at = 0; at < 220; at++) {
    open.note(key("operations", `l${at}`), key("ovens", `l${at}`), 0);
  }
  for (let nowMs = 1_000; nowMs <= 200_000; nowMs += 1_000) {
    for (let at = 0; at < 220; at++) open.changed(key("ovens", `l${at}`), nowMs - 1_000);
    for (let at = 0; at < 25; at++) {
      open.note(key("operations", `s${nowMs}-${at}`), key("jars", `s${nowMs}-${at}`), nowMs);
    }
    for (const { key: operation } of open.take(nowMs)) {
      taken.add(operation.name);
      if (operation.name.startsWith("s")) open.settle(operation);
    }
  }
  const short = [...taken].filter((name) => name.startsWith("s")).length;
  assert.ok(short > 2_000, `${short} of 5,000`);
});

it("of other processes are left to them while very much is accepted", () => {
  const open = new OpenOperations();
  open.noteOthers(key("operations", "other"), 0);
  for (let nowMs = 1_000; nowMs <= 130_000; nowMs += 1_000) {
    for (let at = 0; at < 50; at++) {
      open.note(key("operations", `o${nowMs}-${at}`), key("jars", `o${nowMs}-${at}`), nowMs);
    }
    assert.ok(!names(open.take(nowMs)).includes("other"));
  }
  assert.ok(names(open.take(200_000)).includes("other"), "when it is quiet");
});

it("are forgotten when there are too many, the oldest first", async () => {
  const open = new OpenOperations();
  for (let at = 0; at < 20_001; at++) {
    open.note(key("operations", `o${at}`), key("ovens", `r${at}`), 0);
  }
  const taken = names(open.take(20_000));
  assert.equal(taken.length, 20_000);
  assert.equal(taken[0], "o1");
  await open.arrived();
});

it("that the change feed reports before its request has ended belongs to this process", () => {
  const open = new OpenOperations();
  open.noteOthers(key("operations", "own"), 0);
  open.note(key("operations", "own"), key("ovens", "one"), 0);
  assert.deepEqual(names(open.take(recordedAfterMs)), ["own"]);
  open.changed(key("ovens", "one"), 2_000);
  assert.deepEqual(names(open.take(2_000 + recordedAfterMs)), ["own"]);
  open.settle(key("operations", "own"));
  assert.ok(!open.knows(key("operations", "own")));
});
