/** The cause of a write: recorded with its change, and shown wherever the change is read. */
import assert from "node:assert/strict";
import { isSetpointError } from "../../kernel/errors.ts";
import { causeLimits } from "../../kernel/cause.ts";
import type { Cause } from "../../kernel/cause.ts";
import type { DumpRow, Store, Write } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { allRows, at, changesAfter, commit, del, draft, exists, key, minuteMs } from "./samples.ts";
import { put, release, rowsOf, schedule, someone, wake } from "./samples.ts";
import { claimOne } from "./samples.ts";

const a = key("a");
const jane: Cause = { actor: "jane", surface: "kube" };
const traced: Cause = {
  actor: "system:serviceaccount:team:\u{1f600}",
  surface: "arm",
  impersonator: "root",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  correlationId: "7f0c6a80-9d6b-4f0e-8a3c-0d6f5f1b2c3d",
};

async function causes(store: Store): Promise<readonly (Cause | undefined)[]> {
  return (await changesAfter(store, 0)).map(({ cause }) => cause);
}

export function causeContract(open: OpenStore): void {
  recorded(open);
  kept(open);
  checked(open);
}

function recorded(open: OpenStore): void {
  scenario(open, "each change shows the cause of its own write", async (h) => {
    const { store } = h;
    await commit(store, put(a, { cause: jane }));
    await commit(store, put(a, { when: at(1), content: { spec: 2 }, cause: traced }));
    assert.deepEqual(store.recentCause(2), traced, "what was just committed is in memory");
    assert.equal(store.recentCause(9), undefined);
    await commit(store, del(a, { cause: { ...jane, correlationId: "c" } }));
    const expected = [jane, traced, { ...jane, correlationId: "c" }];
    assert.deepEqual(await causes(store), expected);
    const history = await store.history(a);
    assert.deepEqual(
      history.map(({ cause }) => cause),
      expected.toReversed(),
    );
    await h.reopen();
    assert.deepEqual(await causes(h.store), expected);
    assert.deepEqual((await h.store.history(a)).at(0)?.cause, expected[2]);
  });

  scenario(
    open,
    "writes of one call, and calls of one batch, keep their causes apart",
    async (h) => {
      const { store } = h;
      const of = (name: string): Cause => ({ ...jane, actor: name });
      const calls = ["b", "c", "d"].map((name) =>
        store.commit([
          put(key(name), { cause: of(name) }),
          put(key(`${name}-2`), { cause: { ...traced, actor: `${name}-2` } }),
        ]),
      );
      await Promise.all(calls);
      await store.commit(
        [
          put(key("b"), { when: exists, content: { spec: 1 }, cause: of("again") }),
          del(key("c"), { cause: of("gone") }),
          del(key("d"), { cause: of("shown"), last: draft(key("d"), { spec: "last" }) }),
          put(key("e"), { cause: of("e") }),
        ],
        { atomic: true },
      );
      const changes = await changesAfter(store, 0);
      for (const change of changes.slice(0, 6)) {
        assert.equal(change.cause?.actor, change.key.name);
      }
      const rest = changes.slice(6).map(({ cause }) => cause?.actor);
      assert.deepEqual(rest, ["again", "gone", "shown", "e"]);
      await h.reopen();
      assert.deepEqual(await changesAfter(h.store, 0), changes);
    },
  );

  scenario(
    open,
    "a write that changes nothing leaves the cause of the change before it",
    async (h) => {
      const { store } = h;
      await commit(store, put(a, { cause: jane, due: wake() }));
      await commit(store, put(a, { when: exists, cause: traced }));
      const claim = await claimOne(store);
      await commit(store, schedule(a, release(minuteMs), { claim }));
      assert.deepEqual(await causes(store), [jane]);
    },
  );
}

function kept(open: OpenStore): void {
  scenario(open, "a cause survives compaction and restore with its change", async (h) => {
    await commit(h.store, put(a, { cause: jane }));
    await commit(h.store, put(a, { when: at(1), content: { spec: 2 }, cause: traced }));
    await commit(h.store, put(key("b"), { cause: jane }));
    await h.store.compact(2);
    const rows = await allRows(h.store);
    const dumped = rows.flatMap((row) => (row.row === "change" ? [row.cause] : []));
    assert.deepEqual(dumped, [traced, jane]);
    await using fresh = await open();
    await fresh.store.load(rowsOf(rows));
    assert.deepEqual((await fresh.store.changes(2)).changes[0]?.cause, jane);
    await fresh.reopen();
    assert.deepEqual(
      (await allRows(fresh.store)).flatMap((row) => (row.row === "change" ? [row.cause] : [])),
      dumped,
    );
  });

  scenario(
    open,
    "a dump of a release without causes is loaded, and its changes have none",
    async (h) => {
      await commit(h.store, put(a));
      const rows = (await allRows(h.store)).map((row) => {
        if (row.row !== "change") return row;
        const parts = Object.entries(row).filter(([part]) => part !== "cause");
        return Object.fromEntries(parts) as unknown as DumpRow;
      });
      await using fresh = await open();
      await fresh.store.load(rowsOf(rows));
      await commit(fresh.store, put(key("b")));
      const [first, second] = await changesAfter(fresh.store, 0);
      assert(first !== undefined && !("cause" in first));
      assert.deepEqual(second?.cause, someone);
    },
  );
}

function checked(open: OpenStore): void {
  scenario(
    open,
    "a put or a deletion without a valid cause is refused by name",
    async ({ store }) => {
      const faults: readonly [string, unknown][] = [
        ["cause", undefined],
        ["cause", null],
        ["cause", "jane"],
        ["cause.actor", {}],
        ["cause.actor", { ...jane, actor: "" }],
        ["cause.actor", { ...jane, actor: "x".repeat(causeLimits.actorBytes + 1) }],
        ["cause.surface", { ...jane, surface: "x".repeat(causeLimits.surfaceBytes + 1) }],
        ["cause.surface", { ...jane, surface: "a\u0000" }],
        ["cause.traceId", { ...jane, traceId: "0".repeat(32) }],
        ["cause.traceId", { ...jane, traceId: 7 }],
        ["cause.correlationId", { ...jane, correlationId: "\ud800" }],
        ["cause.impersonator", { ...jane, impersonator: "" }],
      ];
      for (const [field, cause] of faults) {
        for (const write of [put(a), del(a)]) {
          await assert.rejects(
            store.commit([{ ...write, cause } as Write]),
            (error) =>
              isSetpointError(error, "request.invalid") && error.details["field"] === field,
            `${field} is refused by name`,
          );
        }
      }
      const longest = {
        actor: "é".repeat(causeLimits.actorBytes / 2),
        surface: "s".repeat(causeLimits.surfaceBytes),
        impersonator: "i".repeat(causeLimits.actorBytes),
        traceId: "f".repeat(32),
        correlationId: "c".repeat(causeLimits.correlationBytes),
      };
      await commit(store, put(a, { cause: longest }));
      assert.deepEqual(await causes(store), [longest]);
    },
  );
}
