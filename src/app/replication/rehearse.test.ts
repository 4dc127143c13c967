import assert from "node:assert/strict";
import { test } from "node:test";
import { key, put } from "../../store/contract/samples.ts";
import { keyRing, newSealKey } from "../../store/key-ring.ts";
import type { ReplicatedStore } from "../../store/replication.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { rehearse } from "./rehearse.ts";

const keys = [newSealKey()];
const ring = keyRing(keys);
const open = async (own = keys) => await openSqliteStore({ path: ":memory:", keys: own });

async function lines(primary: ReplicatedStore, secondary: ReplicatedStore, own = ring) {
  const findings = await rehearse({ primary, secondary, ring: own });
  return findings.map(({ level, subject, message }) => `${level} ${subject}: ${message}`);
}

test("a rehearsal finds a pair ready, and changes nothing", async () => {
  await using primary = await open();
  await using secondary = await open();
  await primary.commit([put(key("a"))]);
  await secondary.replication.seed(primary.dump(), "first");
  await primary.commit([put(key("b"))]);
  const found = await lines(primary, secondary);
  assert.deepEqual(
    found.filter((line) => !line.startsWith("ok ")),
    [],
  );
  assert(found.includes("ok history: changes to ship first: 1"), found.join("\n"));
  assert.equal((await primary.replication.standing()).role, "primary");
  assert.equal((await secondary.head()).revision, 1);
});

test("a rehearsal finds what would make a switch fail", async () => {
  await using primary = await open();
  await using secondary = await open();
  await using other = await open();
  await primary.commit([put(key("a"))]);
  await other.commit([put(key("z"))]);
  assert.match((await lines(primary, other)).join("\n"), /bad secondary: the store is a primary/);
  await secondary.replication.seed(primary.dump(), "first");
  assert.match(
    (await lines(other, secondary)).join("\n"),
    /bad history: revision 1 .* is not that/,
  );
  const foreign = keyRing([newSealKey()]);
  assert.match((await lines(primary, secondary, foreign)).join("\n"), /bad primary: .* lacks/);
  await primary.commit([put(key("b"))]);
  await primary.commit([put(key("c"))]);
  await primary.compact(3);
  assert.match((await lines(primary, secondary)).join("\n"), /bad primary: .*history begins at 3/);
});
