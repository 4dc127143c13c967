// The image, built from the Containerfile and started. The base image is not pulled: it consists of
// the Node.js and the libraries of this machine. Needs buildah and root.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, it } from "node:test";
import { findBuildah } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { Program } from "../peers/child.ts";
import { startGuarded } from "../peers/guarded.ts";
import { installPackage } from "./installed.ts";

const buildah = findBuildah();
const skip = buildah !== undefined && process.getuid?.() === 0 ? false : "needs buildah and root";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-image-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

function storage(): readonly string[] {
  const places = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  return [...places, "--storage-driver", "vfs"];
}

function run(args: readonly string[], cwd: string = folder): string {
  const env = { ...process.env, BUILDAH_ISOLATION: "chroot" };
  const options = { cwd, env, encoding: "utf8", timeout: 300_000 } as const;
  const { status, stdout, stderr } = spawnSync(buildah ?? "", [...storage(), ...args], options);
  assert.equal(status, 0, `buildah ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Programs with the libraries that they load, as a file system of their own. */
async function baseSystem(): Promise<string> {
  const system = join(folder, "base");
  const programs = ["sh", "env", "rm", "install"].map((name) => join("/usr/bin", name));
  const places = [
    ...programs.map((path) => [path, path] as const),
    [process.execPath, "/usr/local/bin/node"] as const,
  ];
  for (const [from, to] of places) {
    await copyTo(join(system, to), await realpath(from));
    const { stdout } = spawnSync("ldd", [from], { encoding: "utf8" });
    for (const [library] of stdout.matchAll(/\/lib[^ ]+/g)) {
      await copyTo(join(system, library), await realpath(library));
    }
  }
  const npm = await npmFolder();
  await cp(npm, join(system, "usr/local/lib/node_modules/npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(system, "usr/local/bin/npm"));
  await symlink("usr/bin", join(system, "bin"));
  for (const path of ["tmp", "root", "etc", "proc", "dev", "var/lib", "var/cache"]) {
    await mkdir(join(system, path), { recursive: true });
  }
  await writeFile(join(system, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
  return system;
}

async function npmFolder(): Promise<string> {
  const { stdout } = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" });
  return dirname(dirname(await realpath(stdout.trim())));
}

async function copyTo(path: string, from: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await cp(from, path);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

it("the image is built without a registry, and serves as an ordinary user", { skip }, async () => {
  await using installed = await installPackage();
  const context = join(folder, "context");
  await copyTo(join(context, basename(installed.tarball)), installed.tarball);
  const file = join(root, "deploy/container/Containerfile");
  const base = run(["from", "scratch"]);
  run(["copy", "--quiet", base, await baseSystem(), "/"]);
  run(["commit", "--quiet", base, "localhost/base"]);
  run(
    ["build", "--quiet", "--build-arg", "BASE=localhost/base", "--file", file, "--tag", "image"],
    context,
  );
  const container = run(["from", "localhost/image"]);
  assert.match(run(["run", container, "--", "setpoint", "version"]), /^setpoint \d/);

  // Containers of buildah share the network of the machine.
  const port = await freePort();
  const listen = ["--env", `SETPOINT_LISTEN=127.0.0.1:${port}`];
  const args = [...storage(), "run", ...listen, container, "--", "setpoint", "serve"];
  const env = { ...process.env, BUILDAH_ISOLATION: "chroot" };
  const guarded = await startGuarded({ command: buildah ?? "", args, cwd: folder, env });
  await using server = new Program("setpoint in a container", guarded);
  const line = await server.waitForLine(/is ready on https:\/\/127\.0\.0\.1:(\d+)/);
  assert.equal(Number(line[1]), port);
});
