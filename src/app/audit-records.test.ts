import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { ModelStore } from "../store/contract/model.ts";
import { commit, del, exists, gadgets, key, put, widgets } from "../store/contract/samples.ts";
import type { Store } from "../store/port.ts";
import { auditLimits, auditRecordOf, readAuditRecords } from "../intents/audit/audit-records.ts";
import type { AuditQuery } from "../intents/audit/audit-records.ts";

const startMs = Date.UTC(2026, 0, 1);
const traceId = "a".repeat(32);

/** Eight changes, one each minute, by two users. */
async function filled(): Promise<{ readonly store: Store }> {
  const clock = manualClock(startMs);
  const store = new ModelStore(clock);
  const jane = { actor: "jane", surface: "kube", traceId, correlationId: "c-1" };
  const arm = { actor: "arm", surface: "arm" };
  const [a, b] = [key("a"), key("b", "other", gadgets)];
  const writes = [
    put(a, { cause: jane }),
    put(b, { cause: arm }),
    put(a, { when: exists, content: { spec: 1 }, cause: arm }),
    put(b, { when: exists, content: { spec: 1 }, cause: arm }),
    del(a, { cause: jane }),
    put(a, { cause: jane }),
    put(key("c"), { cause: jane }),
    put(key("d"), { cause: arm }),
  ];
  for (const write of writes) {
    await commit(store, write);
    clock.advanceMs(60_000);
  }
  return { store };
}

async function revisions(store: Store, query: AuditQuery): Promise<readonly number[]> {
  return (await readAuditRecords(store, query)).records.map(({ revision }) => revision);
}

test("a record names the change, its resource, its time and its cause", async () => {
  const { store } = await filled();
  const [change] = (await store.changes(4, 1)).changes;
  assert(change !== undefined);
  assert.deepEqual(auditRecordOf(change), {
    revision: 5,
    time: "2026-01-01T00:04:00.000Z",
    outcome: "deleted",
    kind: widgets,
    namespace: "team",
    name: "a",
    uid: "uid-a",
    actor: "jane",
    surface: "kube",
    traceId,
    correlationId: "c-1",
  });
});

test("records come newest first, and each filter selects those that match it", async () => {
  const { store } = await filled();
  const cases: readonly [AuditQuery, readonly number[]][] = [
    [{}, [8, 7, 6, 5, 4, 3, 2, 1]],
    [{ actor: "jane" }, [7, 6, 5, 1]],
    [{ surface: "arm" }, [8, 4, 3, 2]],
    [{ traceId }, [7, 6, 5, 1]],
    [{ correlationId: "c-2" }, []],
    [{ outcome: "deleted" }, [5]],
    [{ kind: gadgets }, [4, 2]],
    [{ namespace: "team" }, [8, 7, 6, 5, 3, 1]],
    [{ name: "a" }, [6, 5, 3, 1]],
    [{ kind: widgets, namespace: "team", name: "a" }, [6, 5, 3, 1]],
    [{ kind: widgets, namespace: "team", name: "a", outcome: "created" }, [6, 1]],
    [{ sinceMs: startMs + 6 * 60_000 }, [8, 7]],
    [{ untilMs: startMs + 2 * 60_000 }, [2, 1]],
    [{ sinceMs: startMs + 60_000, untilMs: startMs + 3 * 60_000 }, [3, 2]],
    [{ mayRead: ({ key: { namespace } }) => namespace === "other" }, [4, 2]],
    [{ before: 3 }, [2, 1]],
    [{ limit: 0 }, [8]],
  ];
  for (const [query, wanted] of cases) {
    assert.deepEqual(await revisions(store, query), wanted, JSON.stringify(query));
  }
});

test("pages of every size join to all records, for a scan and for one resource", async () => {
  const { store } = await filled();
  for (const query of [{}, { kind: widgets, namespace: "team", name: "a" }]) {
    const all = await revisions(store, query);
    for (const limit of [1, 2, 3, 100]) {
      const joined: number[] = [];
      let before: number | undefined;
      do {
        const page = await readAuditRecords(store, { ...query, limit, before });
        joined.push(...page.records.map(({ revision }) => revision));
        before = page.next;
      } while (before !== undefined);
      assert.deepEqual(joined, all, `limit ${limit}`);
    }
  }
});

test("a page looks at a bounded number of changes, and its next one goes on", async () => {
  const store = new ModelStore(manualClock(startMs));
  await commit(store, put(key("rare", "team", gadgets)));
  const count = auditLimits.searchedChanges + 10;
  for (let at = 0; at < count; at += 1_000) {
    const some = Array.from({ length: Math.min(1_000, count - at) }, (_, i) => key(`n${at + i}`));
    await store.commit(some.map((each) => put(each)));
  }
  const first = await readAuditRecords(store, { name: "rare" });
  assert.deepEqual(first.records, []);
  assert(first.next !== undefined && first.next < 100);
  assert.deepEqual(await revisions(store, { name: "rare", before: first.next }), [1]);
});

test("records end where the history was compacted", async () => {
  const { store } = await filled();
  await store.compact(5);
  const page = await readAuditRecords(store, {});
  assert.deepEqual(
    page.records.map(({ revision }) => revision),
    [8, 7, 6],
  );
  assert.equal(page.compacted, 5);
  assert.equal(page.next, undefined);
});
