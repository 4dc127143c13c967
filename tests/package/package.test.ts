// The published package, installed from its tarball, on the pinned Node.js and on the oldest one.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, readFile, stat, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findNode22 } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { installPackage } from "./installed.ts";
import type { InstalledPackage } from "./installed.ts";

const node22 = findNode22();
assert.ok(node22 !== undefined, "no Node.js 22 here: run `npm run peers`");
const runtimes = [
  ["the pinned Node.js", process.execPath],
  ["Node.js 22", node22],
] as const;

let installed: InstalledPackage;
before(async () => {
  installed = await installPackage();
});
after(async () => await installed[Symbol.asyncDispose]());

for (const [title, node] of runtimes) {
  describe(`the package on ${title}`, () => {
    it("shows its version and the runtime", () => {
      const { code, stdout, stderr } = installed.run(node, ["version"]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^setpoint \d+\.\d+\.\d+\nnode \d+/);
      assert.equal(stderr, "");
    });

    it("serves a module in TypeScript, and keeps its data over a restart", async () => {
      const folder = join(installed.folder, title.replaceAll(/[^a-z0-9]/gi, ""));
      await cp(join(root, "examples", "hello"), folder, { recursive: true });
      const args = ["dev", "--data", join(folder, "data"), "--module", join(folder, "hello.ts")];
      const [kubectlPath = ""] = kubectlPaths();
      await using kubectl = await openKubectl(kubectlPath, join(folder, "data", "kubeconfig"));
      for (const isFirst of [true, false]) {
        await using server = await installed.start(node, [...args, "--listen", "127.0.0.1:0"]);
        await server.waitForLine(/is ready on https/);
        if (isFirst) await kubectl.ok(["apply", "-f", join(folder, "world.yaml")]);
        await kubectl.ok(["wait", "--for=condition=Ready", "hello/world", "--timeout=60s"]);
        const text = ["get", "configmap", "hello-world", "-o", "jsonpath={.data.text}"];
        assert.equal(await kubectl.ok(text), "Hello, world!");
        server.signal("SIGTERM");
        assert.equal((await server.waitForExit()).code, 0, server.stderr());
      }
    });

    it("creates a module whose types and tests pass", async () => {
      const name = node === process.execPath ? "web-site" : "web-shop";
      const created = installed.run(node, ["init", name]);
      assert.equal(created.code, 0, created.stderr);
      const folder = join(installed.folder, name);
      await installed.link(folder);
      const tsc = join(root, "node_modules", ".bin", "tsc");
      const types = spawnSync(tsc, ["--pretty", "false"], { cwd: folder, encoding: "utf8" });
      assert.equal(types.status, 0, types.stdout);
      const tested = installed.run(node, ["test", `${name}.test.ts`], folder);
      assert.equal(tested.code, 0, `${tested.stdout}${tested.stderr}`);
      assert.match(tested.stdout, /pass 1\n/);
    });
  });
}

it("the package runs the demo on Node.js 22", async () => {
  const data = join(installed.folder, "demo-data");
  const args = ["dev", "--demo", "--listen", "127.0.0.1:0", "--data", data];
  await using server = await installed.start(node22, args);
  await server.waitForLine(/^ {11}5\. /, { limitMs: 120_000 });
  assert.match(server.stdout(), /^ {14}setpoint why environment\/preview-search -n demo$/m);
  assert.doesNotMatch(server.stdout(), /^ {2}demo /m);
});

it("programs import setpoint/client with its types", async () => {
  const folder = join(installed.folder, "program");
  await cp(join(root, "examples", "client"), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  await installed.link(folder);
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node"];
  const ran = spawnSync(tsc, [...options, "problems.ts"], { cwd: folder, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stdout);
  const text =
    'import { operations } from "setpoint/client"; console.log(operations.getCounts.path)';
  const script = ["--input-type=module", "--eval", text];
  const { stdout, stderr } = spawnSync(node22, script, { cwd: folder, encoding: "utf8" });
  assert.equal(stdout, "/api/v1/counts\n", stderr);
});

it("the package serves the console that it contains", async () => {
  const data = join(installed.folder, "console-data");
  const args = ["serve", "--listen", "127.0.0.1:0", "--data", data];
  await using server = await installed.start(process.execPath, args);
  const [, url = ""] = await server.waitForLine(/is ready on (https:\S+)/);
  const ca = await readFile(join(data, "ca.crt"), "utf8");
  const page = await new Promise<string>((resolve, reject) => {
    get(`${url}/console/`, { ca }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => resolve(text));
    }).once("error", reject);
  });
  assert.match(page, /<script type="module"[^>]* src="\/console\/assets\/[^"]+\.js"/);
});

it("a second init changes no file", async () => {
  assert.equal(installed.run(process.execPath, ["init", "twice"]).code, 0);
  const path = join(installed.folder, "twice", "twice.ts");
  const first = await readFile(path, "utf8");
  const { code, stderr } = installed.run(process.execPath, ["init", "twice"]);
  assert.equal(code, 1);
  assert.match(stderr, /already contains .*nothing was written/);
  assert.equal(await readFile(path, "utf8"), first);
});

it("a new module depends on the tarball that Setpoint was installed from", async () => {
  assert.equal(installed.run(process.execPath, ["init", "shop"]).code, 0);
  const text = await readFile(join(installed.folder, "shop", "package.json"), "utf8");
  const { devDependencies } = JSON.parse(text) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  assert.match(devDependencies["setpoint"] ?? "", /^file:\.\.\/setpoint-.*\.tgz$/);
});

it("the package contains no tests, no sources and nothing that names this clone", async () => {
  const { stdout } = spawnSync("tar", ["tzf", installed.tarball], { encoding: "utf8" });
  const own = stdout.split("\n").filter((path) => !path.includes("/node_modules/"));
  assert.deepEqual(
    own.filter((path) => /\.test\.|\/tests\/|(?<!\.d)\.ts$|\/contract\/suite/.test(path)),
    [],
  );
  assert.ok(own.includes("package/LICENSE") && own.includes("package/dist/cli/bin.js"));
  const facts = await readFile(join(installed.packageFolder, "dist", "build.json"), "utf8");
  assert.ok(!facts.includes(root));
  assert.ok((await stat(installed.tarball)).size < 8_000_000, "the tarball has grown");
});
