// A real server and the real Terraform. The objects that Terraform creates are folders in a fake
// cloud, a folder that every user may write to. Each creation makes another folder, so that an
// object that is created twice is seen.
import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/kernel/json.ts";
import { findTerraform } from "../../tools/peers.ts";
import { Resources, applyToServer } from "../peers/resources.ts";
import type { Reconciled } from "../peers/resources.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { startPostgres } from "../peers/postgres.ts";

export const apiVersion = "executors.setpoint.dev/v1";

/** What `skip` of a test says. */
export const withoutTerraform =
  findTerraform() === undefined ? "Terraform is not installed: see tools/peers.ts" : false;

export interface Stack extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly outputs?: JsonObject;
    readonly secretOutputs?: { readonly name: string };
    readonly state?: {
      readonly serial: number;
      readonly version: string;
      readonly resources: number;
    };
    readonly drift?: { readonly state: string; readonly items?: readonly JsonObject[] };
    readonly run?: { readonly name: string; readonly phase: string };
    readonly progress?: JsonObject;
    readonly plan?: JsonObject;
    readonly requests?: JsonObject;
    readonly importCandidates?: readonly { readonly address: string; readonly id: string }[];
  };
}

export interface ExecutorRig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly stacks: Resources<Stack>;
  readonly runFolder: string;
  /** The folder whose entries are the objects of the fake cloud. */
  readonly cloud: string;
  of<R extends Reconciled>(kind: string, plural?: string): Resources<R>;
  list(kind: string, selector?: string): Promise<readonly JsonObject[]>;
  /** Names of the objects, without their ids. */
  objects(): readonly string[];
  /** Options of another server of the same PostgreSQL. */
  secondServer(): SetpointOptions;
}

export interface RigOptions {
  readonly store?: "SQLite" | "PostgreSQL";
  readonly policy?: JsonObject | null;
  readonly args?: readonly string[];
}

export async function startRig(options: RigOptions = {}): Promise<ExecutorRig> {
  await using stack = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "setpoint-executors-")));
  stack.defer(async () => await rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const [cloud, runFolder] = [join(folder, "cloud"), join(folder, "runs")];
  await mkdir(cloud);
  await chmod(cloud, 0o777);
  const config = join(folder, "setpoint.yaml");
  await writeFile(
    config,
    `engine: { lease: 3s, grace: 2s }\nexecutors: { runFolder: ${JSON.stringify(runFolder)} }\n`,
  );
  const postgres = options.store === "PostgreSQL" ? stack.use(await startPostgres()) : undefined;
  const shared: SetpointOptions = {
    args: ["--config", config, ...(options.args ?? [])],
    ...(postgres === undefined ? {} : { store: postgres.url(), keys: join(folder, "keys") }),
  };
  const server = stack.use(await startSetpoint(shared));
  const programs = [findTerraform() ?? "terraform"];
  const both = { terraform: { programs }, command: { programs: ["/bin/sh"] } };
  if (options.policy !== null) await allow(server, options.policy ?? both);
  const of = <R extends Reconciled>(kind: string, plural?: string): Resources<R> =>
    new Resources<R>(() => server, {
      apiVersion,
      kind,
      ...(plural === undefined ? {} : { plural }),
    });
  const owned = stack.move();
  return {
    server,
    stacks: of<Stack>("TerraformStack"),
    runFolder,
    cloud,
    of,
    list: async (kind, selector = "") => {
      const path = `/apis/${apiVersion}/namespaces/default/${kind}`;
      const query = selector === "" ? "" : `?labelSelector=${encodeURIComponent(selector)}`;
      const { body } = await server.ask(`${path}${query}`);
      return (JSON.parse(body.toString()) as { readonly items: readonly JsonObject[] }).items;
    },
    objects: () =>
      readdirSync(cloud)
        .map((name) => name.replace(/\..*$/, ""))
        .toSorted(),
    secondServer: () => shared,
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

async function allow(server: Setpoint, spec: JsonObject): Promise<void> {
  await server.ask(`/apis/${apiVersion}/executorpolicies`, {
    method: "POST",
    body: {
      apiVersion,
      kind: "ExecutorPolicy",
      metadata: { name: "tests" },
      spec: { allow: { namespaces: { names: ["default"] } }, ...spec },
    },
  });
}

export { applyToServer };

/** Objects one after the other; each takes `seconds` before it exists. */
export function chain(names: readonly string[], cloud: string, seconds: number): JsonObject {
  const blocks = names.map((name, at) => {
    const after = at === 0 ? "" : `depends_on = [terraform_data.${names[at - 1]}]`;
    return `
resource "terraform_data" "${name}" {
  input = "${cloud}"
  ${after}
  provisioner "local-exec" {
    command = "sleep ${seconds} && mkdir '\${self.input}/${name}.\${self.id}'"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "rmdir '\${self.input}/${name}.\${self.id}'"
  }
}`;
  });
  const outputs = `output "first" { value = terraform_data.${names[0]}.id }`;
  return { source: { files: { "main.tf": `${blocks.join("\n")}\n${outputs}\n` } } };
}

/**
 * Process ids of Terraform in the folders of runs. A child of Terraform looks like Terraform until
 * it becomes another program, so children do not count.
 */
export function terraformProcesses(runFolder: string): readonly number[] {
  const found = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (!program.endsWith("/terraform")) return [];
      if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(runFolder)) return [];
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent) }];
    } catch {
      // It has ended.
      return [];
    }
  });
  const pids = new Set(found.map(({ pid }) => pid));
  return found.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid);
}

export interface Watch extends Disposable {
  /** The most processes of Terraform that ran at the same time. */
  readonly most: () => number;
}

/** Looks for processes about a hundred times a second. */
export function watchProcesses(runFolder: string): Watch {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, terraformProcesses(runFolder).length);
  }, 10);
  return { most: () => most, [Symbol.dispose]: () => clearInterval(timer) };
}

/** All files below a folder that contain a text. */
export function filesWith(folder: string, text: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
