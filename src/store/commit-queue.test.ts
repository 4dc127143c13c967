import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { CommitQueue } from "./commit-queue.ts";
import { keyRing, newSealKey } from "./key-ring.ts";
import type { Answer, Write } from "./port.ts";
import { prepareCommit } from "./prepare.ts";
import type { PreparedGroup } from "./prepare.ts";
import { systemCause } from "../kernel/cause.ts";

const ring = keyRing([newSealKey()]);

function wake(name: string, fence?: string): Write {
  const key = (of: string) => ({ kind: "k", namespace: "n", name: of });
  return {
    kind: "schedule",
    key: key(name),
    when: { kind: "exists" },
    due: { kind: "wake", afterMs: 0 },
    ...(fence === undefined ? {} : { claim: { key: key(fence), token: 1 } }),
  };
}

function namesOf(group: PreparedGroup): string[] {
  return group.writes.map(({ write }) => write.key.name);
}

/** A database that commits when told to, and remembers its batches. */
function slowDatabase() {
  const batches: string[][][] = [];
  const gates: (() => void)[] = [];
  let revision = 0;
  return {
    batches,
    release: () => gates.shift()?.(),
    commitBatch: async (batch: readonly PreparedGroup[]) => {
      batches.push(batch.map(namesOf));
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(resolve);
      await promise;
      return batch.map((group) =>
        group.writes.map((): Answer => ({ kind: "committed", revision: (revision += 1) })),
      );
    },
  };
}

async function settled(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

describe("group commit", () => {
  it("commits together what queued while the last batch ran", async () => {
    const database = slowDatabase();
    const queue = new CommitQueue({ commitBatch: database.commitBatch, independent: false });
    const submit = (name: string) => queue.submit(prepareCommit(ring, [wake(name)]));
    const answers = [submit("a")];
    await settled();
    answers.push(submit("b"), submit("c"), submit("b"));
    await settled();
    database.release();
    await settled();
    database.release();
    await Promise.all(answers);
    assert.deepEqual(database.batches, [[["a"]], [["b"], ["c"], ["b"]]]);
    assert.deepEqual(queue.load, { writes: 0, bytes: 0 });
  });

  it("keeps dependent groups apart and in order when the database judges sets", async () => {
    const database = slowDatabase();
    const queue = new CommitQueue({ commitBatch: database.commitBatch, independent: true });
    const answers = ["a", "b", "a", "c", "a"].map((name) =>
      queue.submit(prepareCommit(ring, [wake(name)])),
    );
    // A fence on a written key depends on it, and so does a write on a key that is leaned on.
    answers.push(queue.submit(prepareCommit(ring, [wake("x", "b")])));
    answers.push(queue.submit(prepareCommit(ring, [wake("d", "p")])));
    answers.push(queue.submit(prepareCommit(ring, [wake("e", "p")])));
    answers.push(queue.submit(prepareCommit(ring, [wake("p")])));
    for (let batch = 0; batch < 3; batch += 1) {
      await settled();
      database.release();
    }
    await Promise.all(answers);
    assert.deepEqual(database.batches, [
      [["a"], ["b"], ["c"], ["d"], ["e"]],
      [["a"], ["x"], ["p"]],
      [["a"]],
    ]);
  });

  it("hands over a full batch ahead of the answers, without what depends on them", async () => {
    const database = slowDatabase();
    const { commitBatch } = database;
    const queue = new CommitQueue({ commitBatch, independent: true, ahead: true });
    const submit = (name: string) => queue.submit(prepareCommit(ring, [wake(name)]));
    let serial = 0;
    const fill = (count: number) => Array.from({ length: count }, () => submit(`w${serial++}`));
    const sizes = () => database.batches.map(({ length }) => length);
    const answers = [submit("hot"), ...fill(300), submit("hot")];
    await settled();
    assert.deepEqual(sizes(), [256], "what is left is not a full batch");
    answers.push(...fill(300));
    await settled();
    assert.deepEqual(sizes(), [256, 256]);
    assert.ok(!database.batches[1]?.flat().includes("hot"), "it is under way in the first");
    answers.push(...fill(300));
    await settled();
    assert.deepEqual(sizes(), [256, 256], "two at a time");
    database.release();
    await settled();
    assert.deepEqual(sizes(), [256, 256, 256]);
    assert.equal(database.batches[2]?.flat()[0], "hot", "who had to wait once is the first after");
    for (let left = 0; left < 4; left += 1) {
      database.release();
      await settled();
    }
    assert.equal((await Promise.all(answers)).length, 902);
  });

  it("refuses beyond its bounds at once, and takes work again afterwards", async () => {
    const database = slowDatabase();
    const queue = new CommitQueue({
      commitBatch: database.commitBatch,
      independent: false,
      maxQueuedWrites: 2,
    });
    const submit = (name: string) => queue.submit(prepareCommit(ring, [wake(name)]));
    const accepted = [submit("a"), submit("b")];
    await assert.rejects(submit("c"), (error) => isSetpointError(error, "store.overloaded"));
    await settled();
    database.release();
    await Promise.all(accepted);
    const later = submit("d");
    await settled();
    database.release();
    await later;
  });

  it("fails exactly the batch that failed", async () => {
    let fail = true;
    const queue = new CommitQueue({
      independent: false,
      commitBatch: (batch) => {
        if (fail) return Promise.reject(new Error("disk"));
        return Promise.resolve(
          batch.map((group) => group.writes.map(() => ({ kind: "unchanged", revision: 1 }))),
        );
      },
    });
    await assert.rejects(queue.submit(prepareCommit(ring, [wake("a")])), /disk/);
    fail = false;
    assert.equal((await queue.submit(prepareCommit(ring, [wake("a")]))).length, 1);
  });

  describe("with a call that spans two batches", () => {
    const writes = Array.from({ length: 300 }, (_, index) => wake(`w${index}`));
    const submitFailing = async (failing: readonly number[], error: Error, second = error) => {
      let batches = 0;
      const queue = new CommitQueue({
        independent: false,
        commitBatch: async (batch) => {
          if (failing.includes((batches += 1))) throw batches === 1 ? error : second;
          return batch.map(({ writes: of }) => of.map(() => ({ kind: "committed", revision: 1 })));
        },
      });
      return await queue.submit(prepareCommit(ring, writes));
    };
    const kinds = (answers: readonly Answer[]) => answers.map(({ kind }) => kind);

    it("says which writes were committed when one batch failed", async () => {
      const full = new SetpointError("store.full", "no space");
      for (const [batch, committed] of [
        [1, [256, 300]],
        [2, [0, 256]],
      ] as const) {
        const answers = await submitFailing([batch], full);
        const expected = writes.map((_, index) =>
          index >= committed[0] && index < committed[1] ? "committed" : "refused",
        );
        assert.deepEqual(kinds(answers), expected);
        const refused = answers.find((answer) => answer.kind === "refused");
        assert.equal(refused?.error, full);
      }
    });

    it("does not call an unknown failure a refusal without effect", async () => {
      const last = (await submitFailing([2], new Error("odd"))).at(-1);
      assert.ok(last?.kind === "refused" && last.error.code === "store.outcome_unknown");
    });

    it("rejects when every batch failed", async () => {
      await assert.rejects(submitFailing([1, 2], new Error("disk")), /disk/);
      const down = new SetpointError("store.unavailable", "down");
      const unknown = new SetpointError("store.outcome_unknown", "perhaps");
      await assert.rejects(submitFailing([1, 2], down, unknown), unknown);
    });
  });

  it("answers what it accepted before it closes, and nothing after", async () => {
    const database = slowDatabase();
    const queue = new CommitQueue({ commitBatch: database.commitBatch, independent: false });
    const accepted = queue.submit(prepareCommit(ring, [wake("a")]));
    const closed = queue.close();
    await assert.rejects(queue.submit(prepareCommit(ring, [wake("b")])), (error) =>
      isSetpointError(error, "store.closed"),
    );
    await settled();
    database.release();
    assert.equal((await accepted).length, 1);
    await closed;
  });
});

describe("preparing", () => {
  const refused = (write: object, field: string) =>
    assert.throws(
      () => prepareCommit(ring, [{ ...wake("a"), ...write }]),
      (error) => isSetpointError(error, "request.invalid") && error.details["field"] === field,
    );

  it("names the field that is wrong", () => {
    refused({ key: { kind: "", namespace: "", name: "a" } }, "key.kind");
    refused({ key: { kind: "k", namespace: "", name: "a\u0000" } }, "key.name");
    refused({ key: { kind: "k", namespace: "\ud800", name: "a" } }, "key.namespace");
    refused({ key: { kind: "k", namespace: "", name: "a".repeat(254) } }, "key.name");
    refused({ when: { kind: "absent" } }, "when");
    refused({ when: { kind: "revision", revision: 1.5 } }, "when.revision");
    refused({ due: { kind: "wake", afterMs: -1 } }, "due.afterMs");
    refused({ due: { kind: "release", attempts: "reset" } }, "due");
  });

  const held = (parts: object): object => ({
    kind: "put",
    cause: systemCause,
    uid: "u",
    draft: { body: Buffer.from("{}"), terms: [], secrets: [] },
    due: undefined,
    ...parts,
  });

  it("refuses a uid to compare with that no database keeps", () => {
    for (const uid of ["", "a\u0000b", "\ud800", "u".repeat(254)]) {
      refused(
        { kind: "delete", cause: systemCause, due: undefined, when: { kind: "exists", uid } },
        "when.uid",
      );
    }
  });

  // An index row of PostgreSQL has room for 2,704 bytes; the longest one here has 1,783.
  it("measures texts in bytes, so that every index row fits", () => {
    const wide = (bytes: number) => "語".repeat(Math.ceil(bytes / 3));
    refused({ key: { kind: wide(254), namespace: "", name: "a" } }, "key.kind");
    refused({ key: { kind: "k", namespace: wide(254), name: "a" } }, "key.namespace");
    refused({ key: { kind: "k", namespace: "", name: wide(254) } }, "key.name");
    refused(held({ uid: wide(254) }), "uid");
    const body = Buffer.from("{}");
    refused(held({ draft: { body, terms: [wide(1_025)], secrets: [] } }), "draft.terms");
    refused(held({ names: [{ scope: wide(1_501), name: "n" }] }), "names.scope");
    refused(held({ names: [{ scope: wide(750), name: wide(753) }] }), "names");
    refused(held({ uses: [{ counter: wide(513), amount: 1 }] }), "uses.counter");
    refused(held({ bounds: [{ counter: wide(513), max: 1 }] }), "bounds.counter");
    const largest = held({
      key: { kind: wide(252), namespace: wide(252), name: wide(252) },
      draft: { body, terms: [wide(1_023)], secrets: [] },
      names: [{ scope: wide(750), name: wide(750) }],
      uses: [{ counter: wide(510), amount: 1 }],
    });
    assert.equal(prepareCommit(ring, [{ ...wake("a"), ...largest }]).length, 1);
  });

  it("keeps the sums of counters exact", () => {
    refused(held({ uses: [{ counter: "c", amount: 2 ** 40 + 1 }] }), "uses.amount");
  });

  describe("bounds the bytes of a call before it looks at them", () => {
    // Not JSON, so sealing it would be refused with another code.
    const body = Buffer.alloc(8 * 1_048_576, "x");
    const puts = (count: number, secrets: readonly string[] = []) =>
      Array.from({ length: count }, (_, index): Write => {
        const draft = { body, terms: [], secrets };
        const when = { kind: "absent" } as const;
        const cause = systemCause;
        return { ...wake(`w${index}`), kind: "put", uid: "u", draft, when, cause };
      });
    const tooLarge = (writes: readonly Write[], atomic: boolean) =>
      assert.throws(
        () => prepareCommit(ring, writes, { atomic }),
        (error) => isSetpointError(error, "request.too_large"),
      );

    it("of an atomic group", () => {
      tooLarge(puts(4), true);
      tooLarge(puts(140), true);
      tooLarge(puts(2, ["/a"]), true);
      assert.equal(prepareCommit(ring, puts(3), { atomic: true }).length, 1);
    });

    it("of a call", () => {
      tooLarge(puts(8), false);
      tooLarge(puts(4_096), false);
      assert.equal(prepareCommit(ring, puts(7)).length, 7);
    });
  });

  it("refuses one key written twice in one commit", () => {
    assert.throws(
      () => prepareCommit(ring, [wake("a"), wake("a")]),
      (error) => isSetpointError(error, "request.invalid"),
    );
  });
});
