/**
 * The contract of replication: a primary and a secondary, which may be different implementations.
 * What the secondary has followed, it has as the primary had it; what does not continue it, it
 * refuses whole. See replication.ts.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newSealKey } from "../key-ring.ts";
import type { DumpRow } from "../port.ts";
import type { Place, ReplicatedStore, Shipment } from "../replication.ts";
import type { OpenReplicated, ReplicatedHarness } from "./harness.ts";
import { readChange } from "./random-compare.ts";
import {
  absent,
  allRows,
  changesAfter,
  claimOne,
  claimSome,
  commit,
  del,
  exists,
  hasCode,
  key,
  listNames,
  minuteMs,
  outcomes,
  put,
  refusal,
  rejectsWith,
  rowsOf,
  schedule,
  soon,
  wake,
  widgets,
} from "./samples.ts";

export const start: Place = { revision: 0, held: 0 };
export const primaryName = "https://primary.example:7443";
const [a, b, c] = [key("a"), key("b"), key("c")];
const name = { scope: "paths", name: "/x" };

export interface Cluster extends AsyncDisposable {
  readonly first: ReplicatedHarness;
  readonly second: ReplicatedHarness;
  readonly primary: ReplicatedStore;
  readonly secondary: ReplicatedStore;
  /** A third store with the same keys, which is a primary. */
  openOther(): Promise<ReplicatedHarness>;
}

/** Both are empty, have the same keys, and one is the secondary of the other. */
export async function openCluster(
  openPrimary: OpenReplicated,
  openSecondary: OpenReplicated,
): Promise<Cluster> {
  const keys = [newSealKey()];
  const first = await openPrimary({ keys });
  const second = await openSecondary({ keys });
  await second.store.replication.demote(primaryName);
  return {
    first,
    second,
    get primary() {
      return first.store;
    },
    get secondary() {
      return second.store;
    },
    openOther: async () => await openPrimary({ keys }),
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}

/** Ships everything, and returns the shipments. */
export async function catchUp(
  primary: ReplicatedStore,
  secondary: ReplicatedStore,
  limit?: number,
): Promise<readonly Shipment[]> {
  const shipments: Shipment[] = [];
  for (;;) {
    const { at } = await secondary.replication.standing();
    const shipment = await primary.replication.ship(at, limit === undefined ? {} : { limit });
    if (shipment.rows.length === 0) return shipments;
    shipments.push(shipment);
    assert.deepEqual(await secondary.replication.follow(shipment), shipment.to);
  }
}

export function replicationContract(
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
  describe(`${title} replicate`, () => {
    copies(scenario);
    roles(scenario);
    refusals(scenario);
  });
}

type Scenario = (claim: string, run: (cluster: Cluster) => Promise<void>) => void;

function copies(scenario: Scenario): void {
  scenario("a secondary has the same states, history, causes and secrets", async (cluster) => {
    const { primary, secondary } = cluster;
    const content = { labels: { app: "web" }, secrets: { password: "p" } };
    await commit(primary, put(a, { content }));
    await commit(primary, put(b));
    await commit(primary, put(a, { when: exists, content: { labels: { app: "db" } } }));
    await commit(primary, del(b));
    await commit(primary, put(b, { uid: "second life" }));
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.getMany([a, b]), await primary.getMany([a, b]));
    const [log, copy] = [await changesAfter(primary, 0), await changesAfter(secondary, 0)];
    assert.deepEqual(copy.map(readChange), log.map(readChange));
    assert.deepEqual(
      copy.map(({ atMs }) => atMs),
      log.map(({ atMs }) => atMs),
      "a change keeps its time",
    );
    assert.deepEqual(await secondary.history(b), await primary.history(b));
    const labels = [{ key: "app", operator: "in", values: ["db"] }] as const;
    assert.deepEqual(await listNames(secondary, { labels }), ["a"]);
    assert.deepEqual(await secondary.list({ kind: widgets, at: 3 }), {
      ...(await primary.list({ kind: widgets, at: 3 })),
    });
  });

  scenario("names, uses and bounds come with the changes that set them", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name], uses: [{ counter: "cpu", amount: 2 }] }));
    await commit(primary, put(b, { bounds: [{ counter: "cpu", max: 5 }] }));
    await commit(primary, put(c, { uses: [{ counter: "cpu", amount: 3 }] }));
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), a);
    assert.deepEqual(await secondary.counter("cpu"), { value: 5, max: 5 });
    const moved = [
      del(a),
      put(b, { when: exists, names: [name], bounds: [], content: { spec: 1 } }),
    ];
    assert.deepEqual(await outcomes(primary.commit(moved, { atomic: true })), [
      "committed",
      "committed",
    ]);
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), b);
    assert.deepEqual(await secondary.counter("cpu"), { value: 3, max: undefined });
  });

  scenario("what is held is shipped also when no document changes", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a));
    await catchUp(primary, secondary);
    const uses = [{ counter: "cpu", amount: 7 }];
    await commit(primary, put(a, { when: exists, names: [name], uses }));
    assert.equal((await primary.head()).revision, 1, "the document is the same");
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), a);
    assert.deepEqual(await secondary.counter("cpu"), { value: 7, max: undefined });
  });

  scenario(
    "a name that moved to and fro within a shipment has its last holder",
    async (cluster) => {
      const { primary, secondary } = cluster;
      await commit(primary, put(a, { names: [name] }));
      await commit(primary, put(b));
      await commit(primary, put(a, { when: exists, names: [] }));
      await commit(primary, put(b, { when: exists, names: [name] }));
      await commit(primary, del(b));
      await commit(primary, put(c, { names: [name], uses: [{ counter: "cpu", amount: 1 }] }));
      await catchUp(primary, secondary);
      assert.deepEqual(await secondary.nameHolder(name), c);
    },
  );

  scenario("a follower of the secondary's log receives every change once", async (cluster) => {
    const { primary, secondary } = cluster;
    const arrived = secondary.advancedBeyond(0, soon());
    await commit(primary, put(a));
    await commit(primary, put(b));
    await catchUp(primary, secondary);
    assert((await arrived) > 0);
    const { changes } = await secondary.changes(0);
    assert.deepEqual(
      changes.map(({ revision }) => revision),
      [1, 2],
    );
  });

  scenario("a shipment does not end within a commit", async (cluster) => {
    const { first, primary, secondary } = cluster;
    for (const group of ["x", "y", "z"]) {
      const writes = [1, 2, 3].map((index) => put(key(`${group}${index}`)));
      await outcomes(primary.commit(writes, { atomic: true }));
      await first.advanceClock(minuteMs);
    }
    const shipments = await catchUp(primary, secondary, 1);
    assert.deepEqual(
      shipments.map(({ to }) => to.revision),
      [3, 6, 9],
    );
  });

  scenario("a secondary goes on where it was when it is opened again", async (cluster) => {
    const { primary, second } = cluster;
    await commit(primary, put(a, { names: [name] }));
    await catchUp(primary, cluster.secondary);
    await second.reopen();
    await rejectsWith("store.not_primary", cluster.secondary.commit([put(b)]));
    await commit(primary, put(b));
    await catchUp(primary, cluster.secondary);
    assert.deepEqual(await listNames(cluster.secondary, {}), ["a", "b"]);
  });
}

function roles(scenario: Scenario): void {
  scenario("a secondary refuses writes and names the primary", async ({ secondary }) => {
    await assert.rejects(
      secondary.commit([put(a)]),
      (error) => hasCode("store.not_primary")(error) && String(error).includes(primaryName),
    );
    const { role, epoch, at, primary } = await secondary.replication.standing();
    const expected = { role: "secondary", epoch: 1, at: start, primary: primaryName };
    assert.deepEqual({ role, epoch, at, primary }, expected);
  });

  scenario("a primary that is demoted ends its claims and its work", async (cluster) => {
    const { primary } = cluster;
    await commit(primary, put(a, { due: wake() }));
    const claim = await claimOne(primary);
    await commit(primary, put(b, { due: wake() }));
    await primary.replication.demote(primaryName);
    await rejectsWith("store.not_primary", primary.commit([put(a, { when: exists, claim })]));
    await rejectsWith("store.not_primary", primary.commit([schedule(a, wake())]));
    assert.deepEqual(await claimSome(primary), []);
    assert.deepEqual((await primary.renew([claim], minuteMs)).lost.length, 1);
    assert.equal(await primary.nextDue([widgets]), undefined);
    assert.deepEqual(await listNames(primary, {}), ["a", "b"]);
  });

  scenario("many callers are answered truly while the store is demoted", async ({ primary }) => {
    const calls = Array.from({ length: 200 }, async (_, index) => {
      const [answer] = await primary.commit([put(key(`k${index}`))]).catch((error: unknown) => {
        assert(hasCode("store.not_primary")(error), String(error));
        return [undefined];
      });
      return answer?.kind === "committed" ? answer.revision : undefined;
    });
    const [standing, ...answers] = await Promise.all([
      primary.replication.demote(primaryName),
      ...calls,
    ]);
    const committed = answers.filter((revision) => revision !== undefined);
    assert.equal((await primary.head()).revision, committed.length);
    assert(committed.every((revision) => revision <= standing.at.revision));
  });

  scenario("a store that is empty is filled by a dump of the primary", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name], due: wake() }));
    await commit(primary, put(a, { when: exists, content: { spec: 2 } }));
    await primary.compact(2);
    await rejectsWith("history.gone", primary.replication.ship(start));
    await secondary.replication.seed(primary.dump(), primaryName);
    const [own, seeded] = [
      await primary.replication.standing(),
      await secondary.replication.standing(),
    ];
    const expected = [own.epoch, own.at, "secondary", primaryName];
    assert.deepEqual([seeded.epoch, seeded.at, seeded.role, seeded.primary], expected);
    assert.deepEqual(await claimSome(secondary), [], "due times are not seeded");
    await commit(primary, put(b, { names: [{ ...name, name: "/y" }] }));
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), a);
    assert.deepEqual(await secondary.nameHolder({ ...name, name: "/y" }), b);
    await rejectsWith("store.not_empty", secondary.replication.seed(primary.dump(), primaryName));
  });

  scenario("what the log of held things has to keep is bounded by compaction", async (cluster) => {
    const { primary, secondary } = cluster;
    for (const spec of [0, 1, 2]) {
      const uses = [{ counter: "cpu", amount: spec }];
      await commit(
        primary,
        put(a, { when: spec === 0 ? absent : exists, content: { spec }, uses }),
      );
    }
    await catchUp(primary, secondary);
    const { at } = await primary.replication.standing();
    await primary.compact(3);
    assert.deepEqual((await primary.replication.standing()).at, at, "ids are not given again");
    const uses = [{ counter: "cpu", amount: 9 }];
    await commit(primary, put(a, { when: exists, uses }));
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.counter("cpu"), { value: 9, max: undefined });
  });
}

function refusals(scenario: Scenario): void {
  scenario("a repeated shipment and a gap are refused", async ({ primary, secondary }) => {
    await commit(primary, put(a));
    const first = await primary.replication.ship(start);
    await commit(primary, put(b));
    const second = await primary.replication.ship(first.to);
    await rejectsWith("replication.invalid", secondary.replication.follow(second));
    await secondary.replication.follow(first);
    await rejectsWith("replication.invalid", secondary.replication.follow(first));
    await secondary.replication.follow(second);
    assert.deepEqual(await listNames(secondary, {}), ["a", "b"]);
  });

  scenario("every part of a shipment is authenticated", async ({ primary, secondary }) => {
    await commit(primary, put(a, { names: [name], content: { secrets: { password: "p" } } }));
    await commit(primary, put(b));
    const shipment = await primary.replication.ship(start);
    for (const forged of forgeries(shipment)) {
      await rejectsWith("replication.invalid", secondary.replication.follow(forged));
    }
    assert.equal((await secondary.head()).revision, 0);
    await secondary.replication.follow(shipment);
  });

  scenario("a shipment made with other keys is refused", async ({ primary, secondary }) => {
    await commit(primary, put(a));
    const shipment = await primary.replication.ship(start);
    const keyId = newSealKey().id;
    const foreign = secondary.replication.follow({ ...shipment, keyId });
    await rejectsWith("secret.key_missing", foreign);
  });

  scenario("a store that has other changes does not follow", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a));
    await catchUp(primary, secondary);
    const ahead = { revision: 2, held: 0 };
    await rejectsWith("replication.diverged", primary.replication.ship(ahead));
    await using other = await cluster.openOther();
    await commit(other.store, put(b));
    await commit(other.store, put(c));
    const shipment = await other.store.replication.ship({ revision: 1, held: 0 });
    await rejectsWith("replication.diverged", secondary.replication.follow(shipment));
    await rejectsWith("store.not_secondary", primary.replication.follow(shipment));
    assert.deepEqual(await listNames(secondary, {}), ["a"]);
  });

  scenario("a store that follows a later epoch refuses an earlier one", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a));
    const [meta, ...rows] = await allRows(primary);
    assert(meta?.row === "meta");
    const later: readonly DumpRow[] = [{ ...meta, epoch: 2 }, ...rows];
    await secondary.replication.seed(rowsOf(later), primaryName);
    await commit(primary, put(b));
    const { at, epoch } = await secondary.replication.standing();
    assert.equal(epoch, 2);
    const shipment = await primary.replication.ship(at);
    await rejectsWith("replication.fenced", secondary.replication.follow(shipment));
  });

  scenario("a secondary of a secondary gets the same", async ({ primary, secondary }) => {
    await commit(primary, put(a, { names: [name] }));
    await catchUp(primary, secondary);
    const [own, passed] = [
      await primary.replication.ship(start),
      await secondary.replication.ship(start),
    ];
    assert.deepEqual(passed.rows, own.rows);
  });

  scenario("a name of the primary stays its own on the secondary", async (cluster) => {
    const { primary, secondary } = cluster;
    await commit(primary, put(a, { names: [name] }));
    assert.equal(await refusal(primary, put(b, { names: [name] })), "name.taken");
    await catchUp(primary, secondary);
    assert.deepEqual(await secondary.nameHolder(name), a);
  });
}

function forgeries(shipment: Shipment): readonly Shipment[] {
  const [created, other, ...held] = shipment.rows;
  assert(created?.row === "change" && other?.row === "change");
  const body = Buffer.from('{"spec":"forged"}');
  const rows = (...changed: Shipment["rows"]): Shipment => ({ ...shipment, rows: changed });
  const cause = { actor: "forger", surface: "test" };
  return [
    rows({ ...created, document: body }, other, ...held),
    rows({ ...created, sealed: null }, other, ...held),
    rows({ ...created, uid: "forged" }, other, ...held),
    rows({ ...created, terms: ["l:app=forged"] }, other, ...held),
    rows({ ...created, cause }, other, ...held),
    rows(other, created, ...held),
    rows(other, ...held),
    rows(created, other),
    rows(...shipment.rows.map((row) => (row.row === "held" ? { ...row, key: b } : row))),
    { ...shipment, epoch: 2 },
    { ...shipment, link: "00" },
    { ...shipment, mac: "00".repeat(32) },
    { ...shipment, mac: "" },
  ];
}
