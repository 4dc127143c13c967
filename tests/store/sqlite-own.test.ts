/** What is the embedded store's own: how it tells of work. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  claimOne,
  claimSome,
  commit,
  key,
  names,
  put,
  release,
  schedule,
  soon,
  wake,
} from "../../src/store/contract/samples.ts";
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
