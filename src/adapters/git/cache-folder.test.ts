import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { closeCacheFolder, openCacheFolder, prefixOf } from "./cache-folder.ts";

test("folders of processes that ended are removed, and no others", async () => {
  const parent = await mkdtemp(join(tmpdir(), "cache-folder-"));
  const { pid: ended } = spawnSync("true");
  const left = `${prefixOf(ended)}abcdef`;
  const earlier = `${prefixOf(process.pid)}abcdef`;
  const running = `${prefixOf(process.ppid)}abcdef`;
  const elsewhere = `setpoint-git-000000000000-${ended}-abcdef`;
  for (const name of [left, earlier, running, elsewhere, "other"]) {
    await mkdir(join(parent, name, "1.git"), { recursive: true });
  }
  const first = await openCacheFolder(parent);
  const second = await openCacheFolder(parent);
  const namesOf = async (): Promise<readonly string[]> =>
    (await readdir(parent)).map((name) => join(parent, name)).toSorted();
  const kept = [running, elsewhere, "other"].map((name) => join(parent, name));
  assert.deepEqual(await namesOf(), [...kept, first, second].toSorted());
  await closeCacheFolder(first);
  await closeCacheFolder(second);
  assert.deepEqual(await namesOf(), kept.toSorted());
  await rm(parent, { recursive: true });
});
