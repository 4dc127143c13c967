// What an operator meets when the files of a store are not as they were: each command says what is
// missing and what to do, nothing is taken for a new store that is not one, and no failed start
// leaves anything behind that answers, or that looks like a store.
import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { storeConfig } from "../../src/app/config.ts";
import { openStore } from "../../src/app/open-store.ts";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-starts-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

async function setpoint(...args: string[]) {
  await using program = await startProgram("src/cli/main.ts", { cwd: folder, args });
  const { code } = await program.waitForExit({ limitMs: 60_000 });
  return { code, text: program.stdout() + program.stderr() };
}

const serving = ["serve", "--listen", "127.0.0.1:0"];

describe("a database that was lost", () => {
  const forget = async (data: string, name: string): Promise<void> => {
    for (const end of ["", "-wal", "-shm"]) await rm(join(data, `${name}${end}`), { force: true });
  };

  it("is not replaced by an empty one, and a restore brings it back", async () => {
    const data = join(folder, "lost");
    await using server = await startSetpoint({ data });
    assert.match(server.log(), /new store made/);
    const backup = join(folder, "lost.backup");
    assert.equal((await setpoint("backup", backup, "--data", data)).code, 0);
    await server.stop();
    await server.start();
    assert.doesNotMatch(server.log(), /new store made/);
    await server.stop();
    const lose = [
      async () => await truncate(join(data, "setpoint.db"), 0),
      async () => await forget(data, "setpoint.db"),
      async () => await rm(join(data, "keys.json")),
    ];
    const ring = await readFile(join(data, "keys.json"));
    for (const loss of lose) {
      await loss();
      for (const args of [serving, ["keys", "rotate"]]) {
        const { code, text } = await setpoint(...args, "--data", data);
        assert.equal(code, 1);
        assert.match(text, /setpoint\.db is (empty|missing), but not .*: .* \[store\.missing\]/);
        assert.match(text, /try: restore a backup .* --store or SETPOINT_STORE, or move .* away/);
      }
      for (const args of [["doctor"], ["backup", "none.backup"]]) {
        const { code, text } = await setpoint(...args, "--data", data);
        assert.equal(code, 1);
        assert.match(text, /an empty file|no database at|no key ring/);
        assert.doesNotMatch(text, /Try again/);
      }
    }
    await writeFile(join(data, "keys.json"), ring, { mode: 0o600 });
    const restored = await setpoint("restore", backup, "--data", data);
    assert.equal(restored.code, 0, restored.text);
    await server.start();
    assert.doesNotMatch(server.log(), /new store made/);
  });

  it("is begun anew where only a ring that is kept elsewhere was there before", async () => {
    const keys = join(folder, "ring", "keys.json");
    await (await openStore(storeConfig({ data: join(folder, "a"), keys }), write)).close();
    await (await openStore(storeConfig({ data: join(folder, "b"), keys }), write)).close();
  });

  it("is called missing where the folder of a backup is wrong", async () => {
    const { code, text } = await setpoint("backup", "x.backup", "--data", join(folder, "nowhere"));
    assert.equal(code, 1);
    assert.match(text, /nor its folder \[store\.missing\]/);
    assert.match(text, /--data/);
  });
});

const write = { access: "write" } as const;

it("a server whose kubeconfig cannot be written serves, and says so", async () => {
  const data = join(folder, "unwritable");
  await mkdir(join(data, "kubeconfig"), { recursive: true });
  await using server = await startSetpoint({ data });
  assert.match(server.log(), /kubeconfig not written/);
  assert.equal((await server.ask("/readyz")).status, 200);
  assert.equal(await server.stop(), 0);
});

it("a start that failed leaves no database without bytes", async () => {
  const data = join(folder, "failed");
  await mkdir(join(data, "setpoint.db.lock"), { recursive: true });
  const { code } = await setpoint(...serving, "--data", data);
  assert.equal(code, 1);
  await assert.rejects(access(join(data, "setpoint.db")));
  assert.equal((await stat(data)).isDirectory(), true);
});
