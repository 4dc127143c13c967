/**
 * The contract of promotions: one store at a time is the primary of an epoch, a planned switch
 * loses nothing, and a forced one never gives a revision or a token again. See replication.ts.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Promotion, Standing } from "../replication.ts";
import type { OpenReplicated } from "./harness.ts";
import { catchUp, openCluster, primaryName } from "./replication.ts";
import type { Cluster } from "./replication.ts";
import {
  changesAfter,
  claimOne,
  claimSome,
  commit,
  del,
  exists,
  gadgets,
  key,
  listNames,
  minuteMs,
  put,
  refusal,
  rejectsWith,
  wake,
  widgets,
} from "./samples.ts";

const [a, b, c] = [key("a"), key("b"), key("c")];
const name = { scope: "paths", name: "/x" };
const otherName = "https://secondary.example:7443";

const forced: Promotion = { kinds: [widgets], perSecond: 1_000 };

function planned(from: Standing): Promotion {
  return { ...forced, from };
}

/** The primary steps down, everything is shipped, and the secondary takes over. */
async function switchOver({ primary, secondary }: Cluster): Promise<void> {
  const from = await primary.replication.demote(otherName);
  await catchUp(primary, secondary);
  await secondary.replication.promote(planned(from));
}

export function promotionContract(
  title: string,
  openPrimary: OpenReplicated,
  openSecondary: OpenReplicated,
): void {
  const scenario = (claim: string, run: (cluster: Cluster) => Promise<void>): void => {
    test(claim, async () => {
      await using cluster = await openCluster(openPrimary, openSecondary);
      await run(cluster);
      assert.deepEqual(await cluster.primary.verify(), []);
      assert.deepEqual(await cluster.secondary.verify(), []);
    });
  };
  describe(`${title} are promoted`, () => {
    switches(scenario);
    losses(scenario);
    work(scenario);
  });
}

type Scenario = (claim: string, run: (cluster: Cluster) => Promise<void>) => void;

function switches(scenario: Scenario): void {
  scenario("a planned switch loses nothing, and the log goes on", async (cluster) => {
    const { primary, secondary } = cluster;
    const writes = Array.from({ length: 300 }, async (_, index) => {
      const [answer] = await primary
        .commit([put(key(`k${index}`))])
        .catch(() => [undefined] as const);
      return answer?.kind === "committed" ? index : undefined;
    });
    await switchOver(cluster);
    const acknowledged = (await Promise.all(writes)).filter((index) => index !== undefined);
    for (const index of acknowledged) assert(await secondary.get(key(`k${index}`)));
    const { revision } = await secondary.head();
    assert.equal(revision, acknowledged.length);
    assert.equal(await commit(secondary, put(a)), revision + 1);
    assert.equal((await changesAfter(secondary, 0)).length, revision + 1);
    assert.equal((await secondary.replication.standing()).epoch, 2);
  });

  scenario("the former primary follows the new one, and takes over again", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name], uses: [{ counter: "cpu", amount: 1 }] }));
    await switchOver(cluster);
    await commit(secondary, put(a, { when: exists, names: [], content: { spec: 1 } }));
    await commit(secondary, put(b, { names: [name], uses: [{ counter: "cpu", amount: 2 }] }));
    await catchUp(secondary, primary);
    assert.deepEqual(await primary.nameHolder(name), b);
    assert.deepEqual(await primary.counter("cpu"), { value: 3, max: undefined });
    const from = await secondary.replication.demote(primaryName);
    await catchUp(secondary, primary);
    await primary.replication.promote(planned(from));
    assert.equal((await primary.replication.standing()).epoch, 3);
    assert.equal(await refusal(primary, put(c, { names: [name] })), "name.taken");
    await commit(primary, del(b));
    await commit(primary, put(c, { names: [name] }));
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), c);
    assert.deepEqual(await listNames(secondary, {}), ["a", "c"]);
  });

  scenario("a planned promotion waits for what the primary has committed", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a));
    const from = await primary.replication.demote(otherName);
    await rejectsWith("replication.behind", secondary.replication.promote(planned(from)));
    await catchUp(primary, secondary);
    await secondary.replication.promote(planned(from));
    await rejectsWith("store.not_secondary", secondary.replication.promote(planned(from)));
  });

  scenario("a promotion is not undone by opening the store again", async (cluster) => {
    const { second } = cluster;
    await switchOver(cluster);
    await second.reopen();
    assert.equal(await commit(cluster.secondary, put(a)), 1);
    assert.equal((await cluster.secondary.replication.standing()).role, "primary");
  });
}

function losses(scenario: Scenario): void {
  scenario("a forced promotion gives no revision again that may be known", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name] }));
    await commit(primary, put(a, { when: exists, content: { spec: 1 } }));
    await catchUp(primary, secondary);
    await commit(primary, put(b));
    await secondary.replication.promote(forced);
    const next = await commit(secondary, put(c));
    assert(next > 1_000_000);
    await rejectsWith("history.gone", secondary.changes(3));
    assert.deepEqual(await listNames(secondary, {}), ["a", "c"]);
    assert.deepEqual(await secondary.nameHolder(name), a);
    const { revision } = await secondary.head();
    assert.deepEqual(await secondary.compact(revision), { compacted: revision, removed: 1 });
  });

  scenario("a primary that was replaced is fenced by the epoch", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a));
    await catchUp(primary, secondary);
    await secondary.replication.promote(forced);
    const { epoch } = await secondary.replication.standing();
    // It does not know yet, and goes on accepting.
    await commit(primary, put(b));
    await primary.replication.demote(otherName, epoch);
    await rejectsWith("store.not_primary", primary.commit([put(c)]));
    const { at } = await primary.replication.standing();
    await rejectsWith("history.gone", secondary.replication.ship(at));
    await rejectsWith("replication.fenced", primary.replication.demote(otherName, epoch - 1));
  });

  scenario("a secondary of the next epoch is seeded, and takes over again", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name] }));
    await catchUp(primary, secondary);
    await secondary.replication.promote(forced);
    await commit(secondary, put(b, { uses: [{ counter: "cpu", amount: 4 }] }));
    await using other = await cluster.openOther();
    await other.store.replication.seed(secondary.dump(), otherName);
    await commit(secondary, put(c, { uses: [{ counter: "cpu", amount: 5 }] }));
    await catchUp(secondary, other.store);
    const from = await secondary.replication.demote(primaryName);
    await other.store.replication.promote(planned(from));
    assert.deepEqual(await other.store.nameHolder(name), a);
    assert.deepEqual(await other.store.counter("cpu"), { value: 9, max: undefined });
    await commit(other.store, put(c, { when: exists, uses: [] }));
    await catchUp(other.store, secondary);
    assert.deepEqual(await secondary.counter("cpu"), { value: 4, max: undefined });
    assert.deepEqual(await other.store.verify(), []);
  });
}

function work(scenario: Scenario): void {
  scenario("claims of a later epoch have higher tokens", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { due: wake() }));
    const first = await claimOne(primary);
    await switchOver(cluster);
    const second = await claimOne(secondary);
    assert(second.token > first.token);
    const from = await secondary.replication.demote(primaryName);
    await catchUp(secondary, primary);
    await primary.replication.promote(planned(from));
    const third = await claimOne(primary);
    assert(third.token > second.token);
    await rejectsWith("store.not_primary", secondary.commit([put(a, { claim: second })]));
    assert.equal(await refusal(primary, put(a, { when: exists, claim: first })), "claim.lost");
  });

  scenario("a promotion makes the given kinds due, at a given pace", async (cluster) => {
    const { second, primary, secondary } = cluster;
    for (const index of [1, 2, 3, 4]) await commit(primary, put(key(`w${index}`)));
    await commit(primary, put(key("g", "team", gadgets)));
    const from = await primary.replication.demote(otherName);
    await catchUp(primary, secondary);
    // One in each second, of which the first is due at once.
    await secondary.replication.promote({ from, kinds: [widgets], perSecond: 1 });
    const first = await claimSome(secondary);
    assert(first.length >= 1 && first.length < 4, `${first.length} are due`);
    await second.advanceClock(minuteMs / 2);
    assert.equal(first.length + (await claimSome(secondary)).length, 4);
    assert.equal(await secondary.nextDue([gadgets]), undefined);
  });
}
