// Writes the working folder of a run: the configuration, the state, the variables, and files that
// make Terraform use a local state, whatever backend the configuration has.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { give } from "../runs/run-folder.ts";
import type { OsUser } from "../runs/run-folder.ts";
import { ownPrefix } from "./source-files.ts";
import type { SourceFiles } from "./source-files.ts";

export const stateFile = "terraform.tfstate";
export const planFile = `${ownPrefix}plan.tfplan`;
const cliConfigFile = `${ownPrefix}cli.tfrc`;

export interface WorkInput {
  readonly folder: string;
  readonly user: OsUser | undefined;
  readonly files: SourceFiles;
  readonly spec: JsonObject;
  /** The text of the state; undefined for a new stack. */
  readonly state: string | undefined;
  readonly providerMirror: string | undefined;
}

export async function writeWork(input: WorkInput): Promise<void> {
  const { folder, user, state } = input;
  const all = new Map([...input.files, ...ownFiles(input)]);
  if (state !== undefined) all.set(stateFile, state);
  const made = new Set<string>([folder]);
  for (const [path, text] of all) {
    await makeFolders(folder, dirname(path), made, user);
    const file = join(folder, path);
    await writeFile(file, text, { mode: 0o600 });
    await give(file, user);
  }
}

async function makeFolders(
  root: string,
  path: string,
  made: Set<string>,
  user: OsUser | undefined,
): Promise<void> {
  if (path === ".") return;
  let folder = root;
  for (const part of path.split("/")) {
    folder = join(folder, part);
    if (made.has(folder)) continue;
    made.add(folder);
    await mkdir(folder, { mode: 0o700 });
    await give(folder, user);
  }
}

function ownFiles({ spec, providerMirror }: WorkInput): ReadonlyMap<string, string> {
  const backend = { backend: { local: { path: stateFile } } };
  const version = textAt(spec, "version");
  const settings = version === "" ? backend : { ...backend, required_version: version };
  const files = new Map([
    [`${ownPrefix}settings_override.tf.json`, JSON.stringify({ terraform: settings })],
    [`${ownPrefix}variables.auto.tfvars.json`, JSON.stringify(objectAt(spec, "variables"))],
    [cliConfigFile, cliConfig(providerMirror)],
  ]);
  const imports = objectsAt(spec, "imports");
  if (imports.length > 0) {
    files.set(`${ownPrefix}imports.tf.json`, JSON.stringify({ import: imports }));
  }
  return files;
}

function cliConfig(mirror: string | undefined): string {
  const lines = ["disable_checkpoint = true"];
  if (mirror !== undefined) {
    const path = JSON.stringify(mirror);
    lines.push(`provider_installation { filesystem_mirror { path = ${path} } }`);
  }
  return `${lines.join("\n")}\n`;
}

export interface EnvironmentInput {
  readonly folder: string;
  readonly spec: JsonObject;
  /** Of the policy. */
  readonly env: Readonly<Record<string, string>>;
  readonly traceparent: string | undefined;
  readonly idempotencyKey: string;
}

/** Secret variables are in the environment, so that they are in no file that this server writes. */
export function environmentOf(input: EnvironmentInput): Readonly<Record<string, string>> {
  const { folder, spec, env, traceparent, idempotencyKey } = input;
  const secrets = objectAt(spec, "secretVariables");
  const variables = Object.keys(secrets).map((name) => [`TF_VAR_${name}`, textAt(secrets, name)]);
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: folder,
    ...env,
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    TF_CLI_CONFIG_FILE: join(folder, cliConfigFile),
    SETPOINT_IDEMPOTENCY_KEY: idempotencyKey,
    ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }),
    ...(Object.fromEntries(variables) as Record<string, string>),
  };
}
