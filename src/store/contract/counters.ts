/** Counters: quotas and capacities that no number of callers together can pass. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { commit, del, exists, faultOf, key, outcome, put, refusal } from "./samples.ts";

const [a, b, quota] = [key("a"), key("b"), key("quota")];

function uses(amount: number, counter = "cpu"): { uses: { counter: string; amount: number }[] } {
  return { uses: [{ counter, amount }] };
}

function bounds(max: number, counter = "cpu"): { bounds: { counter: string; max: number }[] } {
  return { bounds: [{ counter, max }] };
}

export function countersContract(open: OpenStore): void {
  values(open);
  refusals(open);
  boundsThemselves(open);
}

function values(open: OpenStore): void {
  scenario(open, "a counter adds what resources hold against it", async (h) => {
    assert.deepEqual(await h.store.counter("cpu"), { value: 0, max: undefined });
    await commit(h.store, put(a, uses(3)));
    await commit(h.store, put(b, { uses: [...uses(4).uses, { counter: "ram", amount: 9 }] }));
    assert.deepEqual(await h.store.counter("cpu"), { value: 7, max: undefined });
    assert.deepEqual(await h.store.counter("ram"), { value: 9, max: undefined });
  });

  scenario(open, "uses are kept, replaced and let go as names are", async (h) => {
    await commit(h.store, put(a, uses(3)));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    assert.equal((await h.store.counter("cpu")).value, 3);
    await commit(h.store, put(a, { when: exists, ...uses(5) }));
    assert.equal((await h.store.counter("cpu")).value, 5);
    await commit(h.store, put(a, { when: exists, ...uses(1, "ram") }));
    assert.equal((await h.store.counter("cpu")).value, 0);
    await commit(h.store, put(a, { when: exists, uses: [] }));
    assert.equal((await h.store.counter("ram")).value, 0);
    await commit(h.store, put(a, { when: exists, ...uses(2) }));
    await commit(h.store, del(a));
    assert.equal((await h.store.counter("cpu")).value, 0);
  });

  scenario(open, "an amount of zero is allowed and counts nothing", async (h) => {
    await commit(h.store, put(quota, bounds(0)));
    await commit(h.store, put(a, uses(0)));
    assert.deepEqual(await h.store.counter("cpu"), { value: 0, max: 0 });
    assert.equal(await refusal(h.store, put(b, uses(1))), "counter.exceeded");
  });
}

function refusals(open: OpenStore): void {
  scenario(open, "a write that passes the bound is refused and changes nothing", async (h) => {
    await commit(h.store, put(quota, bounds(5)));
    await commit(h.store, put(a, uses(3)));
    assert.equal(await refusal(h.store, put(b, uses(3))), "counter.exceeded");
    assert.deepEqual(await h.store.counter("cpu"), { value: 3, max: 5 });
    assert.equal(await h.store.get(b), undefined);
    await commit(h.store, put(b, uses(2)));
    assert.deepEqual(await h.store.counter("cpu"), { value: 5, max: 5 });
    assert.equal(await refusal(h.store, put(a, { when: exists, ...uses(4) })), "counter.exceeded");
  });

  scenario(
    open,
    "a refusal states the counter, its value with the write, and its bound",
    async (h) => {
      await commit(h.store, put(quota, bounds(5)));
      await commit(h.store, put(a, uses(3)));
      const fault = await faultOf(h.store, put(b, uses(4)));
      assert.deepEqual(fault, { counter: "cpu", value: 7, max: 5 });
      const raised = await faultOf(h.store, put(a, { when: exists, ...uses(6) }));
      assert.deepEqual(raised, { counter: "cpu", value: 6, max: 5 });
      const bound = await faultOf(h.store, put(b, bounds(9)));
      assert.deepEqual(bound, { counter: "cpu", holder: quota });
    },
  );

  scenario(open, "lowering or keeping is never refused, even above the bound", async (h) => {
    await commit(h.store, put(a, uses(10)));
    await commit(h.store, put(quota, bounds(5)));
    assert.deepEqual(await h.store.counter("cpu"), { value: 10, max: 5 });
    await commit(h.store, put(a, { when: exists, content: { spec: 2 }, ...uses(10) }));
    await commit(h.store, put(a, { when: exists, ...uses(8) }));
    assert.equal(await refusal(h.store, put(a, { when: exists, ...uses(9) })), "counter.exceeded");
    assert.equal(await refusal(h.store, put(b, uses(1))), "counter.exceeded");
    await commit(h.store, put(b, uses(1, "ram")));
    await commit(h.store, put(a, { when: exists, ...uses(4) }));
    await commit(h.store, put(b, { when: exists, ...uses(1) }));
    assert.deepEqual(await h.store.counter("cpu"), { value: 5, max: 5 });
  });

  scenario(open, "one counter over its bound refuses the write on all", async (h) => {
    await commit(
      h.store,
      put(quota, { bounds: [...bounds(5).bounds, ...bounds(0, "ram").bounds] }),
    );
    const both = { uses: [...uses(1).uses, ...uses(1, "ram").uses] };
    assert.equal(await refusal(h.store, put(a, both)), "counter.exceeded");
    assert.equal((await h.store.counter("cpu")).value, 0);
  });

  scenario(open, "concurrent callers fill a counter exactly to its bound", async (h) => {
    await commit(h.store, put(quota, bounds(50)));
    const calls = Array.from({ length: 80 }, (_, i) =>
      h.store.commit([put(key(`c${i}`), uses(2))]),
    );
    const all = (await Promise.all(calls)).map(([first]) => outcome(first));
    assert.equal(all.filter((word) => word === "committed").length, 25);
    assert.equal(all.filter((word) => word === "counter.exceeded").length, 55);
    assert.deepEqual(await h.store.counter("cpu"), { value: 50, max: 50 });
  });
}

function boundsThemselves(open: OpenStore): void {
  scenario(open, "a counter's bound is set by one resource; a second is refused", async (h) => {
    await commit(h.store, put(quota, bounds(5)));
    assert.equal(await refusal(h.store, put(a, bounds(9))), "name.taken");
    assert.equal((await h.store.counter("cpu")).max, 5);
    await commit(h.store, put(quota, { when: exists, ...bounds(9) }));
    assert.equal((await h.store.counter("cpu")).max, 9);
    await commit(h.store, put(quota, { when: exists, content: { spec: 2 } }));
    assert.equal((await h.store.counter("cpu")).max, 9);
  });

  scenario(open, "a bound may be set below the value", async (h) => {
    await commit(h.store, put(quota, bounds(9)));
    await commit(h.store, put(a, uses(7)));
    await commit(h.store, put(quota, { when: exists, ...bounds(2) }));
    assert.deepEqual(await h.store.counter("cpu"), { value: 7, max: 2 });
  });

  scenario(open, "a bound goes with its resource, or when it is let go", async (h) => {
    await commit(h.store, put(quota, bounds(1)));
    await commit(h.store, del(quota));
    assert.deepEqual(await h.store.counter("cpu"), { value: 0, max: undefined });
    await commit(h.store, put(a, { ...uses(5), ...bounds(5) }));
    await commit(h.store, put(a, { when: exists, bounds: [] }));
    await commit(h.store, put(b, uses(100)));
    assert.deepEqual(await h.store.counter("cpu"), { value: 105, max: undefined });
    await commit(h.store, put(quota, { uid: "again", ...bounds(3) }));
  });

  scenario(open, "a resource's own use meets the bound it sets in the same put", async (h) => {
    const tooMuch = put(a, { ...uses(6), ...bounds(5) });
    assert.equal(await refusal(h.store, tooMuch), "counter.exceeded");
    await commit(h.store, put(a, { ...uses(6), ...bounds(6) }));
    const raised = put(a, { when: exists, ...uses(9), ...bounds(9) });
    await commit(h.store, raised);
    assert.deepEqual(await h.store.counter("cpu"), { value: 9, max: 9 });
  });
}
