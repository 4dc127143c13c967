// The first start of a clone where it cannot install: it says why in one line, and what to do. And
// the first calls of the tools, by somebody who does not know yet what they take.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-first-"));
  await chmod(folder, 0o755);
});
after(async () => await rm(folder, { recursive: true, force: true }));

/** What the first start needs of a clone; with a version that this Node.js is not. */
async function clone(name: string, version?: string): Promise<string> {
  const path = join(folder, name);
  const files = ["package.json", "package-lock.json"];
  const own = [...files, "tools/bootstrap.js", "tools/install-lock.js"];
  for (const file of own) await cp(join(root, file), join(path, file));
  await mkdir(join(path, "tools/runtime"));
  for (const file of files.map((each) => join("tools/runtime", each))) {
    const text = await readFile(join(root, file), "utf8");
    const pinned = version === undefined ? text : text.replace(/"version": "[^"]+"/, version);
    await writeFile(join(path, file), pinned);
  }
  return path;
}

function start(path: string, as: { readonly uid?: number; readonly gid?: number } = {}) {
  const offline = {
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ...offline };
  const options = { cwd: path, env, encoding: "utf8", timeout: 60_000, ...as } as const;
  const { status, stderr } = spawnSync(process.execPath, ["tools/bootstrap.js"], options);
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.includes("installing"));
  return { code: status, lines };
}

it("without a network, names the registry that npm did not reach", async () => {
  for (const [name, version, what] of [
    ["libraries", undefined, /npm did not install the pinned packages \(ECONNREFUSED\)/],
    ["runtime", '"version": "99.0.0"', /npm did not install node-\w+-\w+ 99\.0\.0/],
  ] as const) {
    const { code, lines } = start(await clone(name, version));
    assert.equal(code, 1);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0] ?? "", what);
    assert.match(lines[0] ?? "", / from http:\/\/127\.0\.0\.1:9\/: check the network/);
  }
});

const isSuperuser = process.getuid?.() === 0;
const skip = isSuperuser ? false : "only the superuser can start a program as another user";

it("in a folder of another user, says whose start it needs", { skip }, async () => {
  const path = await clone("owned");
  const { code, lines } = start(path, { uid: 65_534, gid: 65_534 });
  assert.equal(code, 1);
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", /this user may not write to .*owned \(EACCES\)/);
  assert.match(lines[0] ?? "", /start it once as the owner of .*owned$/);
});

it("npm test and npm run check tell how to call them, and run nothing for a mistake", () => {
  for (const tool of ["test", "check"]) {
    for (const [word, code] of [
      ["--help", 0],
      ["--only", 2],
      ["some.test.ts", 2],
    ] as const) {
      const args = [join(root, "tools", `${tool}.ts`), word];
      const ran = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
      assert.equal(ran.status, code, word);
      assert.match(ran.stdout + ran.stderr, /^usage: npm (test|run check)$/m);
    }
  }
});
