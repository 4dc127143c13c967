// A planned switch whose process is killed in each of its steps. Whatever was reached, the stores
// are sound, at most one of them is a primary, and the switch can be run again to its end, after
// which nothing that was committed is missing.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { key, put, wake } from "../../src/store/contract/samples.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { startProgram } from "../peers/child.ts";

const program = "tests/chaos/promotion-switch.ts";
const keys = [{ id: "0".repeat(16), secret: Buffer.alloc(32) }];
const count = 200;
const name = { scope: "paths", name: "/x" };
const steps = ["standing", "ship", "follow", "demote", "promote"] as const;

for (const step of steps) {
  test(`a switch that is killed at "${step}" can be run again and loses nothing`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "setpoint-promotion-"));
    const paths = [join(folder, "former.db"), join(folder, "next.db")] as const;
    try {
      await fill(paths);
      // The later it is killed within the step, the further it may have come.
      for (const pauseMs of [0, 2, 10]) {
        await killAt(paths, step, pauseMs);
        await checkPair(paths);
      }
      await using child = await startProgram(program, { args: paths });
      assert.equal((await child.waitForExit()).code, 0, child.stderr());
      await checkSwitched(paths[1]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

type Paths = readonly [former: string, next: string];

async function fill([former, next]: Paths): Promise<void> {
  await using primary = await openSqliteStore({ path: former, keys });
  await using secondary = await openSqliteStore({ path: next, keys });
  await secondary.replication.demote("former");
  for (let index = 0; index < count; index += 1) {
    const names = index === 0 ? { names: [name] } : {};
    const [answer] = await primary.commit([put(key(`k${index}`), { due: wake(), ...names })]);
    assert.equal(answer?.kind, "committed");
  }
}

async function killAt(paths: Paths, step: string, pauseMs: number): Promise<void> {
  await using child = await startProgram(program, { args: paths });
  // A run before this one may have come beyond the step.
  await child.waitForLine(new RegExp(`^${step}$`)).catch(() => undefined);
  await delay(pauseMs);
  await child.kill9();
}

async function checkPair([former, next]: Paths): Promise<void> {
  await using first = await openSqliteStore({ path: former, keys });
  await using second = await openSqliteStore({ path: next, keys });
  const roles = [await first.replication.standing(), await second.replication.standing()];
  const primaries = roles.filter(({ role }) => role === "primary");
  assert(primaries.length <= 1, "at most one is a primary");
  for (const store of [first, second]) assert.deepEqual(await store.verify(), []);
  if (roles[1]?.role === "primary") assert.equal(roles[1].epoch, 2);
}

async function checkSwitched(path: string): Promise<void> {
  await using store = await openSqliteStore({ path, keys });
  const { role, epoch } = await store.replication.standing();
  assert.deepEqual([role, epoch], ["primary", 2]);
  for (let index = 0; index < count; index += 1) assert(await store.get(key(`k${index}`)));
  assert.deepEqual(await store.nameHolder(name), key("k0"));
  assert.equal((await store.stats()).changes, count);
  const [answer] = await store.commit([put(key("after"))]);
  assert.equal(answer?.kind, "committed");
}
