// The checker of histories is itself checked on histories whose verdict is known: the classic
// violations, the legal surprises of overlapping calls, unknown outcomes, and random histories made
// from a real register, first as they were and then with one answer falsified.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../src/kernel/random.ts";
import { checkRegister } from "./linearizable.ts";
import type { Action, Operation, Version, WriteOutcome } from "./linearizable.ts";

const unknown: WriteOutcome = { kind: "unknown" };
const conflict: WriteOutcome = { kind: "conflict" };

function done(revision: number): WriteOutcome {
  return { kind: "done", revision };
}

function version(value: string, revision: number): Version {
  return { value, revision };
}

function during(beginUs: number, endUs: number, action: Action): Operation {
  return { process: `p${beginUs}`, beginUs, endUs, action };
}

function verdict(...operations: readonly Operation[]): string {
  return checkRegister(operations).kind;
}

const createA = during(0, 1, { kind: "create", value: "a", outcome: done(1) });
const swapAtoB = (begin: number, end: number): Operation =>
  during(begin, end, { kind: "swap", expected: version("a", 1), value: "b", outcome: done(2) });
const read = (begin: number, end: number, found: Version | null): Operation =>
  during(begin, end, { kind: "read", found });

test("calls one after the other are judged by their answers", () => {
  assert.equal(verdict(createA, read(2, 3, version("a", 1))), "linearizable");
  assert.equal(verdict(createA, read(2, 3, null)), "violation");
  assert.equal(verdict(createA, read(2, 3, version("z", 1))), "violation");
  const again = during(2, 3, { kind: "create", value: "b", outcome: { kind: "exists" } });
  assert.equal(verdict(createA, again), "linearizable");
  assert.equal(verdict(again), "violation");
});

test("a read that overlaps a write may see either state", () => {
  for (const found of [version("a", 1), version("b", 2)]) {
    assert.equal(verdict(createA, swapAtoB(2, 9), read(3, 8, found)), "linearizable");
  }
});

test("a stale read is caught, even when its writer overlaps it", () => {
  assert.equal(verdict(createA, swapAtoB(2, 3), read(4, 5, version("a", 1))), "violation");
  const [newer, older] = [read(3, 4, version("b", 2)), read(5, 6, version("a", 1))];
  assert.equal(verdict(createA, swapAtoB(2, 9), newer, older), "violation");
});

test("a lost update is caught: two writers replace the same version", () => {
  const other: Action = { kind: "swap", expected: version("a", 1), value: "c", outcome: done(3) };
  assert.equal(verdict(createA, swapAtoB(2, 5), during(2, 5, other)), "violation");
  const refused = { ...other, outcome: conflict };
  assert.equal(verdict(createA, swapAtoB(2, 5), during(2, 5, refused)), "linearizable");
});

test("a write that is applied twice is caught: an old value comes back", () => {
  const swapBack: Action = {
    kind: "swap",
    expected: version("b", 2),
    value: "c",
    outcome: done(3),
  };
  const history = [createA, swapAtoB(2, 3), during(4, 5, swapBack), read(6, 7, version("b", 4))];
  assert.equal(verdict(...history), "violation");
});

test("a refusal without a reason is caught", () => {
  const swap: Action = { kind: "swap", expected: version("a", 1), value: "b", outcome: conflict };
  assert.equal(verdict(createA, during(2, 3, swap)), "violation");
  const remove: Action = {
    kind: "delete",
    expected: version("a", 1),
    outcome: { kind: "missing" },
  };
  assert.equal(verdict(createA, during(2, 3, remove)), "violation");
});

test("an unknown write may have happened, later, or never", () => {
  const lost = during(2, 2, {
    kind: "swap",
    expected: version("a", 1),
    value: "b",
    outcome: unknown,
  });
  assert.equal(verdict(createA, lost, read(3, 4, version("a", 1))), "linearizable");
  assert.equal(verdict(createA, lost, read(3, 4, version("b", 2))), "linearizable");
  const late = [read(3, 4, version("a", 1)), read(5, 6, version("b", 2))];
  assert.equal(verdict(createA, lost, ...late), "linearizable");
  const back = [read(3, 4, version("b", 2)), read(5, 6, version("a", 1))];
  assert.equal(verdict(createA, lost, ...back), "violation");
  const revisions = [read(3, 4, version("b", 2)), read(5, 6, version("b", 3))];
  assert.equal(verdict(createA, lost, ...revisions), "violation");
});

test("an unknown write cannot have happened before it began", () => {
  const lost = during(5, 5, {
    kind: "swap",
    expected: version("a", 1),
    value: "b",
    outcome: unknown,
  });
  assert.equal(verdict(createA, read(2, 3, version("b", 2)), lost), "violation");
});

test("a register goes through deletion and a second creation", () => {
  const remove = during(2, 3, { kind: "delete", expected: version("a", 1), outcome: done(2) });
  const create = during(4, 5, { kind: "create", value: "b", outcome: done(3) });
  assert.equal(
    verdict(createA, remove, read(3.5, 3.6, null), create, read(6, 7, version("b", 3))),
    "linearizable",
  );
  assert.equal(verdict(createA, remove, create, read(6, 7, version("a", 1))), "violation");
});

test("long random histories of a real register pass, and fail once falsified", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const history = randomHistory(seed, 2_000);
    assert.equal(verdict(...history), "linearizable", `seed ${seed}`);
    const place = history.findIndex(
      ({ action }, index) => index > 1_000 && action.kind === "read" && action.found !== null,
    );
    const operation = history[place];
    assert(operation?.action.kind === "read");
    const stale = history.slice(0, 300).find(({ action }) => action.kind === "swap");
    assert(stale?.action.kind === "swap");
    const falsified = [...history];
    falsified[place] = { ...operation, action: { kind: "read", found: stale.action.expected } };
    assert.equal(verdict(...falsified), "violation", `seed ${seed}`);
  }
});

/** Six callers on one true register; each call takes effect at a moment inside its span. */
function randomHistory(seed: number, length: number): readonly Operation[] {
  const random = seededRandom(seed);
  const free = Array.from({ length: 6 }, () => 0);
  const spans = Array.from({ length }, (_, index) => {
    const caller = Math.floor(random.next() * free.length);
    const beginUs = (free[caller] ?? 0) + random.next() * 10;
    const atUs = beginUs + random.next() * 10;
    const endUs = atUs + random.next() * 10;
    free[caller] = endUs + 0.001;
    return { index, beginUs, atUs, endUs };
  }).sort((a, b) => a.atUs - b.atUs);
  let held: Version | null = null;
  let revision = 0;
  const known: Version[] = [];
  return spans.map(({ index, beginUs, endUs }) => {
    const choice = random.next();
    const value = `v${index}`;
    const before: Version | null = held;
    if (choice < 0.4) return during(beginUs, endUs, { kind: "read", found: before });
    if (before === null) {
      held = version(value, ++revision);
      known.push(held);
      return during(beginUs, endUs, { kind: "create", value, outcome: done(revision) });
    }
    if (choice < 0.5) {
      const expected = known[Math.floor(random.next() * known.length)] ?? before;
      if (expected.revision !== before.revision) {
        return during(beginUs, endUs, { kind: "swap", expected, value, outcome: conflict });
      }
    }
    if (choice < 0.55) {
      held = null;
      const outcome = done(++revision);
      return during(beginUs, endUs, { kind: "delete", expected: before, outcome });
    }
    held = version(value, ++revision);
    known.push(held);
    // Some callers die before they hear the answer.
    const outcome = random.next() < 0.02 ? unknown : done(revision);
    return during(beginUs, endUs, { kind: "swap", expected: before, value, outcome });
  });
}
