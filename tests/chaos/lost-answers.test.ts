// Answers that are lost after the commit: the store must find out what happened and tell it, once,
// and when it cannot find out it must say so instead of "not applied". See proxy.ts. The last test
// is about news: a change is heard of in another process in milliseconds, not at the next poll.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  claimSome,
  key,
  outcome,
  put,
  release,
  schedule,
  wake,
} from "../../src/store/contract/samples.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { Puts } from "./acknowledged.ts";
import { LossyProxy } from "./proxy.ts";
import { openTarget } from "./target.ts";

let server: Postgres;
before(async () => {
  server = await startPostgres();
});
after(async () => await server[Symbol.asyncDispose]());

// So many at a time that a second batch is under way behind the first.
for (const many of [8, 700]) {
  test(`commits of ${many} callers whose answers are lost are applied once`, async () => {
    await testLostAnswers(many);
  });
}

async function testLostAnswers(many: number): Promise<void> {
  const url = server.url(await server.createDatabase());
  await using proxy = new LossyProxy(server.port);
  await proxy.listen();
  await using store = await openTarget(proxy.urlOf(url));
  const puts = new Puts();
  for (let round = 1; round <= 20; round += 1) {
    proxy.loseNext(round % 3 === 0 ? 2 : 1);
    const codes = await Promise.all(
      Array.from({ length: many }, async () => await puts.put(store)),
    );
    assert.deepEqual([...new Set(codes)], ["committed"], `round ${round}`);
  }
  assert.ok(proxy.lost >= 20, `${proxy.lost} answers were lost`);
  await puts.check(store);
  const { revision } = await store.head();
  assert.equal(revision, puts.acknowledged.size, "nothing was applied twice");
}

test("claims whose release is not answered are released once", async () => {
  const url = server.url(await server.createDatabase());
  await using proxy = new LossyProxy(server.port);
  await proxy.listen();
  await using store = await openTarget(proxy.urlOf(url));
  const keys = Array.from({ length: 20 }, (_, index) => key(`r-${index}`));
  await store.commit(keys.map((of) => put(of, { due: wake() })));
  for (let round = 1; round <= 5; round += 1) {
    const claims = await claimSome(store, { limit: keys.length });
    assert.equal(claims.length, keys.length);
    proxy.loseNext(1);
    const answers = await Promise.all(
      claims.map(async (claim) => {
        return (await store.commit([schedule(claim.key, release(0), { claim })])).map(outcome);
      }),
    );
    assert.deepEqual([...new Set(answers.flat())], ["unchanged"], `round ${round}`);
    assert.equal(proxy.lost, round);
  }
});

test("a commit that cannot be looked up in time is of unknown outcome, not refused", async () => {
  const url = server.url(await server.createDatabase());
  await using proxy = new LossyProxy(server.port);
  await proxy.listen();
  await using store = await openTarget(proxy.urlOf(url), { patienceMs: 1_000 });
  const puts = new Puts();
  const isPut = async (): Promise<boolean> => (await puts.put(store)) === "committed";
  await waitUntil("the first put", isPut);
  proxy.loseNext(1, true);
  const codes = await Promise.all(Array.from({ length: 4 }, async () => await puts.put(store)));
  assert.ok(codes.includes("store.outcome_unknown"), codes.join());
  assert.equal(proxy.lost, 1);
  proxy.letIn();
  await waitUntil("the store to come back", isPut);
  await puts.check(store);
});

test("a change is news in another process at once", async (t) => {
  const url = server.url(await server.createDatabase());
  await using here = await openTarget(url);
  await using there = await openTarget(url);
  const puts = new Puts();
  const tookMs: number[] = [];
  for (let i = 1; i <= 30; i += 1) {
    const heard = there.advancedBeyond(i - 1, AbortSignal.timeout(120_000));
    const startedAt = performance.now();
    assert.equal(await puts.put(here), "committed");
    await heard;
    tookMs.push(performance.now() - startedAt);
    const { changes } = await there.changes(i - 1);
    assert.equal(changes[0]?.revision, i);
  }
  // Were it found by polling, each but the first would take the five seconds of a poll.
  const [median = 0] = tookMs.toSorted((a, b) => a - b).slice(tookMs.length / 2);
  assert.ok(median < 4_000, `news after ${tookMs.join()} ms`);
  t.diagnostic(`news after ${Math.round(median)} ms`);
});
