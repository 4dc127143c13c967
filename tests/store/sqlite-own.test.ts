/** What is the embedded store's own: how it tells of work, and what it keeps of names. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../src/kernel/clock.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import {
  claimOne,
  claimSome,
  commit,
  del,
  exists,
  key,
  names,
  put,
  refusal,
  release,
  schedule,
  soon,
  wake,
} from "../../src/store/contract/samples.ts";
import type { Store } from "../../src/store/port.ts";
import { openOnFile } from "../../src/store/sqlite/harness.ts";

const [a, b] = [key("a"), key("b")];

it("who claims while a batch is on its way to the disk is given what it makes due", async () => {
  await using harness = await openOnFile();
  const { store } = harness;
  const seen = store.workTick();
  const order: string[] = [];
  const first = store.commit([put(a, { due: wake() })]).then(() => order.push("first"));
  await store.workArrived(seen, soon());
  assert.equal(order.length, 0, "it is told before the flush");
  const claiming = claimSome(store).then((claims) => order.push(...names(claims)));
  const second = store.commit([put(b, { due: wake() })]).then(() => order.push("second"));
  await Promise.all([first, claiming, second]);
  assert.deepEqual(order, ["first", "a", "second"]);
});

it("what is settled and was not woken meanwhile calls nobody", async () => {
  await using harness = await openOnFile();
  const { store } = harness;
  await commit(store, put(a, { due: wake() }));
  const claim = await claimOne(store);
  const seen = store.workTick();
  await commit(store, schedule(a, release(), { claim }));
  assert.equal(store.workTick(), seen);
});

/** Who lives in `a` holds it, whether there is a row for it or not. */
const home = { scope: "paths", name: "/a", home: a };

it("nothing is kept for a name that is held at home", async () => {
  await using harness = await openOnFile();
  const { store } = harness;
  await commit(store, put(a, { names: [home] }));
  await commit(store, put(b, { names: [{ scope: "paths", name: "/b" }] }));
  assert.deepEqual(await rowsIn(store), ["/b"]);
});

it("what was kept for a name at home, by an earlier release or elsewhere, stays true", async () => {
  await using harness = await openOnFile();
  const { store } = harness;
  const other = new ModelStore(manualClock());
  await commit(other, put(a, { names: [home] }));
  await store.load(other.dump());
  assert.deepEqual(await rowsIn(store), ["/a"]);
  assert.deepEqual(await store.nameHolder(home), a);
  assert.equal(await refusal(store, put(b, { names: [home] })), "name.taken");
  const away = { scope: "paths", name: "/c", home: key("c") };
  await commit(store, put(a, { when: exists, names: [away] }));
  await commit(store, put(b, { names: [home] }));
  assert.equal(await refusal(store, put(a, { when: exists, names: [home] })), "name.taken");
  await commit(store, del(b));
  await commit(store, put(a, { when: exists, names: [home] }));
  assert.deepEqual(await rowsIn(store), [], "who came home needs none");
  assert.deepEqual(await store.nameHolder(home), a);
});

async function rowsIn(store: Store): Promise<readonly string[]> {
  const held: string[] = [];
  for await (const row of store.dump()) if (row.row === "name") held.push(row.name.name);
  return held;
}
