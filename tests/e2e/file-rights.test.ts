// What a user meets who is not the owner of a store: every command says in one line which folder or
// file it is and who may, and changes nothing. Only the superuser can be somebody else for a while.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { storeConfig } from "../../src/app/config.ts";
import { openStore } from "../../src/app/open-store.ts";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";

const somebody = 65_534;
const program = join(root, "src", "cli", "main.ts");

let folder = "";
let data = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-rights-"));
  await chmod(folder, 0o755);
  data = join(folder, "data");
  await (await openStore(storeConfig({ data }), { access: "write" })).close();
});
after(async () => await rm(folder, { recursive: true, force: true }));

function setpointAs(uid: number | undefined, ...args: readonly string[]) {
  const as = uid === undefined ? {} : { uid, gid: uid };
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: undefined };
  const options = { cwd: folder, env, encoding: "utf8", timeout: 60_000, ...as } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  return { code: status, text: stdout + stderr };
}

const skip = whyNot();

function whyNot(): string | false {
  if (process.getuid?.() !== 0) return "only the superuser can start a program as another user";
  const { status } = spawnSync("test", ["-r", program], { uid: somebody, gid: somebody, cwd: "/" });
  return status === 0 ? false : "another user cannot read this clone";
}

describe("a store of another user", { skip }, () => {
  const isTold = (text: string, place: string, verb = "enter"): void => {
    assert.ok(text.includes(`this user may not ${verb} ${place} [file.forbidden]`), text);
    assert.ok(
      text.includes(`try: run it as its owner, user 0, or make this user the owner of ${place}`),
      text,
    );
    assert.doesNotMatch(text, /\n {4}at /);
  };

  it("is told by every command, with who may", () => {
    for (const args of [
      ["backup", "x.backup"],
      ["keys", "rotate"],
      ["keys", "add"],
      ["serve", "--listen", "127.0.0.1:0"],
    ]) {
      const { code, text } = setpointAs(somebody, ...args, "--data", data);
      assert.equal(code, 1);
      isTold(text, data);
    }
  });

  it("is a finding of doctor, also where only the ring is kept from it", () => {
    const { code, text } = setpointAs(somebody, "doctor", "--data", data);
    assert.equal(code, 1);
    for (const subject of ["disk", "keys", "store"]) {
      assert.match(text, new RegExp(`bad +${subject} +.*may not enter ${data}\\b`));
    }
    assert.match(text, /-> run it as its owner, user 0/);
    assert.doesNotMatch(text, /no key ring|is private/);
    const keys = join(data, "keys.json");
    const other = setpointAs(somebody, "doctor", "--data", join(folder, "none"), "--keys", keys);
    assert.match(other.text, new RegExp(`bad +keys +.*may not enter ${data}\\b`));
  });

  it("is not filled by a restore, and nothing of it is taken away", async () => {
    const backup = join(folder, "whole.backup");
    assert.equal(setpointAs(undefined, "backup", backup, "--data", data).code, 0);
    await chmod(backup, 0o644);
    const keys = join(folder, "ring.json");
    await cp(join(data, "keys.json"), keys);
    await chown(keys, somebody, somebody);
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const restore = ["restore", backup, "--data", closed, "--keys", keys];
    const { code, text } = setpointAs(somebody, ...restore);
    assert.equal(code, 1);
    isTold(text, closed);
    await lstat(join(data, "setpoint.db"));
  });

  it("is told of a backup, and of an authority, that may not be read", async () => {
    const backup = join(folder, "private.backup");
    assert.equal(setpointAs(undefined, "backup", backup, "--data", data).code, 0);
    const restore = ["restore", backup, "--data", join(folder, "none")];
    isTold(setpointAs(somebody, ...restore).text, backup, "open");
    isTold(setpointAs(somebody, "kubeconfig", "--user", "me", "--data", data).text, data);
  });

  it("is told of files that may not be read in a folder that may be entered", async () => {
    const open = join(folder, "open");
    await cp(data, open, { recursive: true });
    await chmod(open, 0o755);
    const { text } = setpointAs(somebody, "doctor", "--data", open);
    assert.match(text, /bad +keys +.*may not open .*keys\.json/);
    assert.match(text, /bad +store +.*may not open .*setpoint\.db/);
    assert.doesNotMatch(text, /is private|[Tt]ry again|the first start/);
    isTold(
      setpointAs(somebody, "backup", "x.backup", "--data", open).text,
      join(open, "setpoint.db"),
      "open",
    );
  });
});

describe("the superuser on a store of another user", { skip }, () => {
  const isAllOf = async (place: string, uid: number): Promise<void> => {
    for (const name of [".", ...(await readdir(place))]) {
      assert.equal((await lstat(join(place, name))).uid, uid, name);
    }
  };
  const ran = (uid: number | undefined, ...args: readonly string[]): void => {
    const { code, text } = setpointAs(uid, ...args);
    assert.equal(code, 0, text);
  };

  it("leaves everything to its owner, whatever it makes anew", async () => {
    const theirs = join(folder, "theirs");
    await mkdir(theirs);
    await chown(theirs, somebody, somebody);
    const backup = join(folder, "theirs.backup");
    ran(undefined, "backup", backup, "--data", data);
    await cp(join(data, "keys.json"), join(theirs, "keys.json"));
    await chown(join(theirs, "keys.json"), somebody, somebody);
    ran(undefined, "restore", backup, "--data", theirs);
    await isAllOf(theirs, somebody);
    await rm(join(theirs, "setpoint.db.lock"));
    ran(undefined, "keys", "rotate", "--data", theirs);
    await isAllOf(theirs, somebody);
    ran(undefined, "doctor", "--data", theirs);
    await isAllOf(theirs, somebody);
    ran(somebody, "keys", "rotate", "--data", theirs);
    ran(somebody, "doctor", "--data", theirs);
  });

  it("gives a new store to the owner of its folder, with its credentials", async () => {
    const fresh = join(folder, "fresh");
    await mkdir(fresh);
    await chown(fresh, somebody, somebody);
    await using server = await startSetpoint({ data: fresh });
    await isAllOf(fresh, somebody);
    assert.equal(await server.stop(), 0);
    await isAllOf(fresh, somebody);
  });
});
