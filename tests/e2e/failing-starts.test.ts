// What an operator meets when the files of a store are not as they were: each command says what is
// missing and what to do, nothing is taken for a new store that is not one, and no failed start
// leaves anything behind that answers, or that looks like a store.
import assert from "node:assert/strict";
import { access, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { storeConfig } from "../../src/app/config.ts";
import { openStore } from "../../src/app/open-store.ts";
import { fillDisk, openDisk } from "../chaos/disk.ts";
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
    assert.match(server.log(), /new store created/);
    const backup = join(folder, "lost.backup");
    assert.equal((await setpoint("backup", backup, "--data", data)).code, 0);
    await server.stop();
    await server.start();
    assert.doesNotMatch(server.log(), /new store created/);
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
        assert.match(text, /setpoint\.db is (empty|missing), but .* exist: .* \[store\.missing\]/);
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
    assert.doesNotMatch(server.log(), /new store created/);
  });

  it("is begun anew where only a ring that is kept elsewhere was there before", async () => {
    const keys = join(folder, "ring", "keys.json");
    await (await openStore(storeConfig({ data: join(folder, "a"), keys }), write)).close();
    await (await openStore(storeConfig({ data: join(folder, "b"), keys }), write)).close();
  });

  it("is called missing where the folder of a backup is wrong", async () => {
    const { code, text } = await setpoint("backup", "x.backup", "--data", join(folder, "nowhere"));
    assert.equal(code, 1);
    assert.match(text, /its folder does not exist \[store\.missing\]/);
    assert.match(text, /--data/);
  });
});

const write = { access: "write" } as const;

describe("a disk that cannot be written", () => {
  it("is named by backup, serve, doctor and restore, with what to do", async (t) => {
    await using disk = await openDisk(32, (why) => t.diagnostic(`NOT TESTED: ${why}`));
    if (disk === undefined) return;
    const data = join(disk.path, "data");
    const backup = join(folder, "ro.backup");
    await (await openStore(storeConfig({ data }), write)).close();
    assert.match(
      (await setpoint("backup", backup, "--data", data)).text,
      / \d+\.\d KiB, read back/,
    );
    const doctor = await setpoint("doctor", "--data", data);
    assert.match(doctor.text, /bad .* is writable, .* free/);
    await fillDisk(join(disk.path, "ballast"));
    const full = await setpoint("backup", join(disk.path, "x.backup"), "--data", data);
    assert.match(
      full.text,
      /x\.backup cannot be written: its disk is full \[backup\.not_written\]/,
    );
    disk.remount("ro");
    const there = await setpoint("backup", join(disk.path, "x.backup"), "--data", data);
    assert.match(there.text, /x\.backup cannot be written: its disk is mounted read-only/);
    const served = await setpoint(...serving, "--data", data);
    assert.match(served.text, /data is on a disk that is mounted read-only \[store\.read_only\]/);
    assert.match(served.text, /try: mount the disk read-write/);
    const looked = await setpoint("doctor", "--data", data);
    assert.match(looked.text, /-> mount the disk read-write/);
    disk.remount("rw");
  });
});

it("a restore onto a store in use says first what would refuse it in any case", async () => {
  const data = join(folder, "used");
  await using server = await startSetpoint({ data });
  const backup = join(folder, "used.backup");
  await setpoint("backup", backup, "--data", data);
  const again = await setpoint(...serving, "--data", data);
  assert.ok(again.text.includes(`another process (${server.pid}) has`), again.text);
  for (const isRunning of [true, false]) {
    if (!isRunning) await server.stop();
    const { code, text } = await setpoint("restore", backup, "--data", data);
    assert.equal(code, 1);
    assert.ok(text.includes(`sqlite:${data}/setpoint.db holds data`), text);
    assert.match(text, /\[store\.not_empty\]/);
    assert.match(text, /try: restore into a new folder: --data NEW-FOLDER/);
  }
});

it("a restore that fails leaves a link to a disk that is not mounted", async () => {
  const data = join(folder, "whole");
  await (await openStore(storeConfig({ data }), write)).close();
  const backup = join(folder, "whole.backup");
  assert.equal((await setpoint("backup", backup, "--data", data)).code, 0);
  const linked = join(folder, "linked");
  await mkdir(linked);
  const link = join(linked, "setpoint.db");
  await symlink(join(folder, "unmounted", "setpoint.db"), link);
  const keys = join(data, "keys.json");
  const { code, text } = await setpoint("restore", backup, "--data", linked, "--keys", keys);
  assert.equal(code, 1);
  assert.match(
    text,
    /no database at .*unmounted\/setpoint\.db; its folder does not exist \[store\.missing\]/,
  );
  assert.equal((await lstat(link)).isSymbolicLink(), true);
  assert.deepEqual(await readdir(linked), ["setpoint.db"]);
});

it("every command looks at the store that the configuration file names", async () => {
  const configured = join(folder, "configured");
  await (await openStore(storeConfig({ data: join(configured, "own") }), write)).close();
  await writeFile(join(configured, "setpoint.yaml"), "data: own\n");
  const config = join(configured, "setpoint.yaml");
  const database = `sqlite:${join(configured, "own", "setpoint.db")}`;
  const backup = join(configured, "own.backup");
  const env = { SETPOINT_CONFIG: config };
  const asked = async (...args: string[]): Promise<string> => {
    const options = { cwd: folder, args, env };
    await using program = await startProgram("src/cli/main.ts", options);
    await program.waitForExit({ limitMs: 60_000 });
    return program.stdout() + program.stderr();
  };
  assert.ok((await asked("backup", backup)).includes(` up to revision 0 of ${database}, `));
  assert.ok((await asked("doctor")).includes(`${database}, schema `));
  assert.ok((await asked("keys", "add")).includes(join(configured, "own", "keys.json")));
  const { text } = await setpoint("backup", backup, "--config", config);
  assert.ok(text.includes(database), text);
  const other = await asked("doctor", "--data", join(folder, "typed"));
  assert.ok(other.includes(`no database at ${join(folder, "typed", "setpoint.db")}`), other);
});

it("a mistake in an option is told with the place where it stands", async () => {
  const config = join(folder, "mistaken.yaml");
  await writeFile(config, "history: soon\n");
  for (const [args, env, told] of [
    [["serve"], { SETPOINT_LISTEN: "abc" }, "--listen abc is not HOST:PORT"],
    [["doctor"], { SETPOINT_STORE: "oops" }, "--store is neither"],
    [["serve", "--config", config], {}, "--history soon is not a duration"],
    [["serve", "--listen", "abc"], {}, "--listen abc is not HOST:PORT"],
  ] as const) {
    const options = { cwd: folder, args, env };
    await using program = await startProgram("src/cli/main.ts", options);
    await program.waitForExit({ limitMs: 60_000 });
    const text = program.stderr();
    assert.ok(text.includes(told), text);
    const [variable] = Object.keys(env);
    if (variable !== undefined) assert.ok(text.includes(`; it is set by ${variable} [`), text);
    else assert.equal(text.includes(`; it is set in ${config} [`), args[1] === "--config");
  }
});

it("doctor calls a file that was named as the folder a file", async () => {
  await writeFile(join(folder, "page.md"), "text");
  const { code, text } = await setpoint("doctor", "--data", join(folder, "page.md"));
  assert.equal(code, 1);
  assert.match(text, /bad +disk +.*page\.md is a file, not a folder\n +-> name the folder/);
  assert.match(text, /bad +store +.*there is no database at .*; its folder does not exist/);
  assert.doesNotMatch(text, /Try again/);
});

it("a backup that was cut does not keep its name for ever", async () => {
  const data = join(folder, "cut");
  await (await openStore(storeConfig({ data }), write)).close();
  const backup = join(folder, "cut.backup");
  for (const size of [0, 20]) {
    if (size > 0) await setpoint("backup", backup, "--data", data);
    await writeFile(backup, size === 0 ? "" : (await readFile(backup)).subarray(0, size));
    const { code, text } = await setpoint("backup", backup, "--data", data);
    assert.equal(code, 1);
    assert.match(text, /cut\.backup is empty or an incomplete backup \[config\.invalid\]/);
    assert.match(text, /try: move or delete it/);
    await rm(backup);
  }
  const other = await setpoint("backup", join(data, "keys.json"), "--data", data);
  assert.match(other.text, /keys\.json exists and is not a backup/);
  assert.doesNotMatch(other.text, /delete/);
});

it("a database that does not answer is named, without its password", async () => {
  const store = "postgres://somebody:geheim@127.0.0.1:1/things";
  const { code, text } = await setpoint(
    ...serving,
    "--data",
    join(folder, "far"),
    "--store",
    store,
  );
  assert.equal(code, 1);
  assert.match(
    text,
    /postgres:\/\/somebody:\*\*\*@127\.0\.0\.1:1\/things: .* \[store\.unavailable\]/,
  );
  assert.match(text, /--store or SETPOINT_STORE/);
  assert.doesNotMatch(text, /geheim/);
  const looked = await setpoint("doctor", "--data", join(folder, "far"), "--store", store);
  assert.equal(looked.text.split("postgres://").length, 2, looked.text);
});

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
