// The published package as a user has it: packed from this clone, and installed into an empty
// folder without a registry, because the package contains its libraries.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root } from "../../tools/stages.ts";
import { Program } from "../peers/child.ts";
import { startGuarded } from "../peers/guarded.ts";

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class InstalledPackage implements AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;

  constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /** The folder of the package in node_modules. */
  get packageFolder(): string {
    return join(this.folder, "node_modules", "setpoint");
  }

  /** Runs the installed command with a Node.js to its end. */
  run(node: string, args: readonly string[], cwd: string = this.folder): Finished {
    const program = join(this.folder, "node_modules", ".bin", "setpoint");
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd,
      encoding: "utf8",
      env: this.#environment(node),
      timeout: 300_000,
    });
    return { code: status, stdout, stderr };
  }

  async start(node: string, args: readonly string[]): Promise<Program> {
    const command = join(this.folder, "node_modules", ".bin", "setpoint");
    const env = this.#environment(node);
    const guarded = await startGuarded({ command, args: [...args], cwd: this.folder, env });
    return new Program("setpoint", guarded);
  }

  /** Lets a folder of a module import the package and the types of Node.js, as npm would. */
  async link(module: string): Promise<void> {
    const modules = join(module, "node_modules");
    await mkdir(join(modules, "@types"), { recursive: true });
    await symlink(this.packageFolder, join(modules, "setpoint"));
    for (const name of ["@types/node", "undici-types"]) {
      await symlink(join(root, "node_modules", name), join(modules, name));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The Node.js comes first on PATH, and nothing of the clone is inherited. */
  #environment(node: string): NodeJS.ProcessEnv {
    const path = [dirname(node), process.env["PATH"] ?? ""].join(delimiter);
    return {
      PATH: path,
      HOME: this.folder,
      NODE_COMPILE_CACHE: join(this.folder, `compiled-${process.versions.node}`),
    };
  }
}

export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-package-"));
  npm(root, ["pack", "--pack-destination", folder]);
  const file = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error("npm pack wrote no tarball");
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const unreachable = "--registry=http://127.0.0.1:9/";
  npm(folder, ["install", unreachable, "--no-audit", "--no-fund", `./${file}`]);
  return new InstalledPackage(folder, join(folder, file));
}

function npm(cwd: string, args: readonly string[]): void {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const ran = spawnSync("npm", args, { cwd, env, encoding: "utf8", timeout: 300_000 });
  if (ran.status === 0) return;
  throw new Error(`npm ${args.join(" ")} failed: ${ran.stdout}${ran.stderr}`);
}
