// The checker itself is tested on the model of the contract suite: an honest store passes, and a
// store that tells one lie of each kind is found out. The lies are told by a wrapper between the
// workload or the checker and the model, so that each is exactly one broken promise.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../src/kernel/clock.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { checkStore } from "./check.ts";
import { kinds } from "./documents.ts";
import type { Evidence } from "./evidence.ts";
import { Ledger } from "./ledger.ts";
import { runWorkload } from "./workload.ts";

type Lie = Partial<Pick<Store, "commit" | "changes" | "list" | "getMany" | "counter" | "claim">>;

/** The model, one turn of the event loop later: callers overlap as they do with a real store. */
function turning(store: Store, lie: Lie = {}): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(lie, name) ?? Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: readonly unknown[]) => {
        await nextTurn();
        return (await Reflect.apply(value, target, args)) as unknown;
      };
    },
  });
}

/** Some calls of workload on a fresh model; `lie` stands between. */
async function evidenceOf(
  lie: (model: ModelStore) => Lie = () => ({}),
  isEnough: (ledger: Ledger) => boolean = ({ calls }) => calls.size >= 600,
): Promise<{ readonly model: ModelStore; readonly ledger: Ledger }> {
  const model = new ModelStore(systemClock);
  const ledger = new Ledger();
  const stopping = new AbortController();
  const { signal } = stopping;
  const emit = (line: Evidence): void => {
    ledger.add([line]);
    if (isEnough(ledger)) stopping.abort();
  };
  const options = { name: "unit", seed: 7, lanes: 6, compacts: false, signal };
  await runWorkload(turning(model, lie(model)), options, emit);
  return { model, ledger };
}

async function findings(store: Store, ledger: Ledger): Promise<string> {
  return (await checkStore(turning(store), ledger, { seed: 1 })).join("\n");
}

/** Changes a page of the log on its way to the checker. */
function tampered(model: ModelStore, tamper: (changes: Change[]) => void): Store {
  return turning(model, {
    changes: async (after, limit) => {
      const page = await model.changes(after, limit);
      const changes = [...page.changes];
      if (after === 0) tamper(changes);
      return { ...page, changes };
    },
  });
}

test("an honest store passes, with and without compaction", async () => {
  const { model, ledger } = await evidenceOf();
  assert.equal(await findings(model, ledger), "");
  assert.ok(ledger.acknowledged > 100, `only ${ledger.acknowledged} acknowledged`);
  await model.compact((await model.head()).revision - 60);
  assert.equal(await findings(model, ledger), "");
});

test("an acknowledged write that is not in the log is found", async () => {
  // Every 50th update is answered from thin air.
  let count = 0;
  const { model, ledger } = await evidenceOf((store) => ({
    commit: async (writes, options) => {
      const [first] = writes;
      if (first?.kind !== "put" || first.when.kind !== "revision" || ++count % 50 > 0) {
        return await store.commit(writes, options);
      }
      return writes.map(() => ({ kind: "committed", revision: store.state.head + 1 }));
    },
  }));
  assert.match(await findings(model, ledger), /P1|P3/);
});

test("a write that was refused and yet applied is found", async () => {
  const { model, ledger } = await evidenceOf();
  for (const call of ledger.calls.values()) {
    if (call.outcome.kind !== "answered" || call.atomic) continue;
    if (call.outcome.answers[0]?.kind !== "committed") continue;
    if (call.writes[0]?.digest === undefined) continue;
    call.outcome = { kind: "failed", atUs: call.outcome.atUs, code: "store.unavailable" };
    break;
  }
  assert.match(await findings(model, ledger), /P7: .* failed with store.unavailable, but is/);
});

test("a gap, a swap and other bytes in the log are found", async () => {
  const { model, ledger } = await evidenceOf();
  const cut = tampered(model, (changes) => void changes.splice(20, 1));
  assert.match(await findings(cut, ledger), /P3: revision \d+ follows/);
  const swapped = tampered(model, (changes) => {
    const [a, b] = [changes[30], changes[31]];
    if (a !== undefined && b !== undefined) changes.splice(30, 2, b, a);
  });
  assert.match(await findings(swapped, ledger), /P3/);
  const rewritten = tampered(model, (changes) => {
    const [change, other] = [changes[10], changes[11]];
    if (change !== undefined && other !== undefined) {
      changes[10] = { ...change, body: other.body };
    }
  });
  assert.match(await findings(rewritten, ledger), /holds other bytes/);
});

test("half a group is found", async () => {
  const { model, ledger } = await evidenceOf((store) => ({
    commit: async (writes, options) => {
      if (options?.atomic !== true) return await store.commit(writes, options);
      return await store.commit(writes);
    },
  }));
  assert.match(await findings(model, ledger), /P2/);
});

test("an index, a counter and a snapshot that disagree with the documents are found", async () => {
  const { model, ledger } = await evidenceOf();
  const poorIndex = turning(model, {
    list: async (query) => {
      const page = await model.list(query);
      return query.labels === undefined ? page : { ...page, records: page.records.slice(1) };
    },
  });
  assert.match(await findings(poorIndex, ledger), /P6: list .*labels/);
  const drifted = turning(model, { counter: async () => ({ value: 999, max: 20 }) });
  assert.match(await findings(drifted, ledger), /P4: quota.chaos is 999/);
  const timeless = turning(model, {
    list: async (query) => {
      const { at, ...current } = query;
      return at === undefined ? await model.list(query) : await model.list(current);
    },
  });
  assert.match(await findings(timeless, ledger), /P6: list .*"at"/);
});

test("a precondition or a fence that is not checked is found", async () => {
  const loose = await evidenceOf((store) => ({
    commit: async (writes, options) =>
      await store.commit(
        writes.map((write) => {
          if (write.when.kind !== "revision") return write;
          return { ...write, when: { kind: "exists" } as const };
        }),
        options,
      ),
  }));
  assert.match(await findings(loose.model, loose.ledger), /P4/);
  // Until somebody whose lease has ended was let through, or the limit of the test.
  const hasZombie = ({ calls, leaseEnds }: Ledger): boolean =>
    calls.size >= 20_000 ||
    [...calls.values()].slice(-20).some(({ writes, wallMs, outcome }) => {
      const isLate = wallMs > (leaseEnds.get(writes[0]?.token ?? -1) ?? Infinity);
      return isLate && outcome.kind === "answered" && outcome.answers[0]?.kind === "committed";
    });
  const unfenced = await evidenceOf(
    (store) => ({
      commit: async (writes, options) =>
        await store.commit(
          writes.map((write) => {
            const isZombie = write.kind === "put" && write.when.kind === "exists";
            if (write.key.kind !== kinds.works || !isZombie) return write;
            const unfencedWrite = { ...write };
            Reflect.deleteProperty(unfencedWrite, "claim");
            return unfencedWrite;
          }),
          options,
        ),
    }),
    hasZombie,
  );
  assert.match(await findings(unfenced.model, unfenced.ledger), /P5: .* wrote .* under/);
});

test("a claim that is handed out twice is found", async () => {
  const { model, ledger } = await evidenceOf((store) => {
    let last: Awaited<ReturnType<Store["claim"]>> = [];
    return {
      claim: async (request) => {
        const claims = await store.claim(request);
        if (claims.length > 0) last = claims;
        return last;
      },
    };
  });
  assert.match(await findings(model, ledger), /P5: token \d+ .* given twice/);
});
