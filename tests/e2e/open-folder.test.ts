// A data folder that other users can write: keys, tokens and the database are in a private
// subfolder, and files that others could have placed or changed are refused.
import assert from "node:assert/strict";
import { chmod, chown, lchown, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { storeConfig } from "../../src/app/config.ts";
import { openStore } from "../../src/app/open-store.ts";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-open-"));
  await chmod(folder, 0o755);
});
after(async () => await rm(folder, { recursive: true, force: true }));

async function folderWith(name: string, mode: number): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  await chmod(path, mode);
  return path;
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8);
}

async function setpoint(...args: readonly string[]) {
  await using program = await startProgram("src/cli/main.ts", { cwd: folder, args });
  const { code } = await program.waitForExit();
  return { code, text: program.stdout() + program.stderr() };
}

const serve = ["serve", "--listen", "127.0.0.1:0"];

describe("a data folder that other users can write", () => {
  it("gets a private subfolder, which every command finds", async () => {
    const data = await folderWith("open", 0o777);
    const inner = join(data, "private");
    {
      await using server = await startSetpoint({ data, readFrom: inner });
      const line = `export KUBECONFIG=${inner}/kubeconfig`;
      await waitUntil("the path of the kubeconfig", () => server.log().includes(line));
      assert.match(server.log(), /data is in the private subfolder/);
      assert.equal((await server.ask("/readyz")).status, 200);
      const doctor = await setpoint("doctor", "--data", data);
      assert.equal(doctor.code, 0, doctor.text);
      assert.match(doctor.text, /open\/private\/keys\.json is private/);
    }
    assert.equal(await modeOf(inner), "700");
    assert.deepEqual(await readdir(data), ["private"]);
    await chmod(data, 0o755);
    assert.equal(storeConfig({ data }).dataFolder, inner, "the data is found after a chmod");
  });

  it("that holds data is refused with the command to run, until it is private", async () => {
    const data = join(folder, "earlier");
    await (await openStore(storeConfig({ data }), { access: "write" })).close();
    for (const [mode, shown] of [
      [0o777, "0777"],
      [0o775, "0775"],
    ] as const) {
      await chmod(data, mode);
      const refused = await setpoint(...serve, "--data", data);
      assert.equal(refused.code, 1, refused.text);
      const found = `earlier (mode ${shown}, user ${process.getuid?.()}) holds keys and data`;
      assert.ok(refused.text.includes(found), refused.text);
      assert.match(refused.text, /\[file\.exposed\]/);
      assert.match(refused.text, /try: chmod go-w .*earlier;/);
    }
    const doctor = await setpoint("doctor", "--data", data);
    assert.equal(doctor.code, 1);
    assert.match(doctor.text, /bad +disk +.*earlier \(mode 0775\) can be written by other users/);
    assert.match(doctor.text, /-> chmod go-w .*earlier/);
    await chmod(data, 0o755);
    await using server = await startSetpoint({ data });
    assert.equal((await server.ask("/readyz")).status, 200);
  });

  it("is refused as the place of a key file or a database that is named by an option", async () => {
    const open = await folderWith("elsewhere-open", 0o777);
    const args = ["--data", join(folder, "named"), "--keys", join(open, "keys.json")];
    const refused = await setpoint(...serve, ...args);
    assert.equal(refused.code, 1, refused.text);
    assert.match(refused.text, /elsewhere-open \(mode 0777, user \d+\) can be written by other/);
    assert.deepEqual(await readdir(open), [], "nothing was created there");
  });

  it("loses permissions of its files that a mount has added", async () => {
    const data = join(folder, "mounted");
    await (await openStore(storeConfig({ data }), { access: "write" })).close();
    await chmod(join(data, "keys.json"), 0o660);
    await chmod(join(data, "setpoint.db"), 0o666);
    await (await openStore(storeConfig({ data }), { access: "write" })).close();
    assert.equal(await modeOf(join(data, "keys.json")), "640");
    assert.equal(await modeOf(join(data, "setpoint.db")), "644");
  });
});

const isRoot = process.getuid?.() === 0;
const otherUser = 65_534;

describe("files of another user", { skip: isRoot ? false : "needs the superuser" }, () => {
  it("in an open folder are not used", async () => {
    const data = await folderWith("planted", 0o777);
    for (const name of ["keys.json", "admin.token"]) {
      await writeFile(join(data, name), "planted");
      await chown(join(data, name), otherUser, otherUser);
    }
    await symlink(join(folder, "elsewhere"), join(data, "ca.key"));
    await lchown(join(data, "ca.key"), otherUser, otherUser);
    assert.equal(storeConfig({ data }).dataFolder, join(data, "private"));
  });

  it("are refused in the place of the private folder and of a key, with the command", async () => {
    const data = await folderWith("taken", 0o777);
    await mkdir(join(data, "private"));
    await chown(join(data, "private"), otherUser, otherUser);
    const taken = await setpoint(...serve, "--data", data);
    assert.equal(taken.code, 1);
    assert.match(taken.text, /private \(mode 0755, user 65534\) belongs to another user/);
    assert.match(taken.text, /\[file\.exposed\]/);
    const other = join(folder, "mixed");
    await (await openStore(storeConfig({ data: other }), { access: "write" })).close();
    await chown(join(other, "keys.json"), otherUser, otherUser);
    const mixed = await setpoint(...serve, "--data", other);
    assert.equal(mixed.code, 1);
    assert.match(mixed.text, /keys\.json \(mode 0600, user 65534\) belongs to another user/);
    assert.match(mixed.text, /try: .*--data/);
  });
});
