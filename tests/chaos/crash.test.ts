// Crashes under load, a few rounds each: see rounds.ts for the method and crash.ts for as many
// rounds as one likes. SETPOINT_SEED chooses other rounds.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { startPostgres } from "../peers/postgres.ts";
import { seed } from "../seed.ts";
import { openDisk, startPostgresOn } from "./disk.ts";
import { Ledger } from "./ledger.ts";
import { postgresRound, roundLine, sqliteCampaign, sqliteRound } from "./rounds.ts";
import type { RoundResult } from "./rounds.ts";

function judge(t: TestContext, result: RoundResult): void {
  t.diagnostic(roundLine(result));
  assert.deepEqual(result.findings, [], roundLine(result));
}

function tellNoDisk(t: TestContext): (why: string) => void {
  return (why) =>
    t.diagnostic(`NOT TESTED: loss of power, which alone shows a missing flush: ${why}`);
}

test("SQLite loses nothing acknowledged when its process is killed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-crash-"));
  try {
    const campaign = sqliteCampaign(join(folder, "store.db"), { maxPauseMs: 800 });
    const crashes = ["kill", "early kill", "kill", "kill while closing", "kill"] as const;
    for (const [index, crash] of crashes.entries()) {
      judge(t, await sqliteRound(campaign, seed + index, crash));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("SQLite loses nothing acknowledged when power is lost", async (t) => {
  await using disk = await openDisk(192, tellNoDisk(t));
  if (disk === undefined) return;
  const campaign = sqliteCampaign(join(disk.path, "store.db"), { disk, maxPauseMs: 600 });
  for (let index = 0; index < 3; index += 1) {
    judge(t, await sqliteRound(campaign, seed + index, "power loss"));
  }
});

test("PostgreSQL loses nothing acknowledged when writers or the server are killed", async (t) => {
  await using server = await startPostgres();
  const target = server.url(await server.createDatabase());
  const campaign = { target, server, ledger: new Ledger(), maxPauseMs: 600 };
  for (const [index, crash] of (
    ["kill the server", "kill a writer", "kill all"] as const
  ).entries()) {
    judge(t, await postgresRound(campaign, seed + index, crash));
  }
});

test("PostgreSQL loses nothing acknowledged when power is lost", async (t) => {
  await using disk = await openDisk(512, tellNoDisk(t));
  if (disk === undefined) return;
  await using server = await startPostgresOn(disk);
  const target = server.url(await server.createDatabase());
  const campaign = { target, server, disk, ledger: new Ledger(), maxPauseMs: 600 };
  for (let index = 0; index < 2; index += 1) {
    judge(t, await postgresRound(campaign, seed + index, "power loss"));
  }
});
