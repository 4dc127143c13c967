/** The git repository of the demo, created with the git of this machine. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { examplesFolder } from "./demo-plan.ts";
import type { DemoRepository } from "./demo-plan.ts";

const run = promisify(execFile);
const timeoutMs = 20_000;
/** Users may have no name in their configuration, hooks, or keys for signatures. */
const own = [
  ["user.name", "Setpoint demo"],
  ["user.email", "demo@setpoint.example"],
  ["commit.gpgSign", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.autocrlf", "false"],
] as const;

export async function hasGit(): Promise<boolean> {
  return await run("git", ["--version"], { timeout: timeoutMs }).then(
    () => true,
    () => false,
  );
}

/** Creates it below the folder, complete or not at all. */
export async function createRepository(plan: DemoRepository, folder: string): Promise<void> {
  const path = join(folder, plan.name);
  if (existsSync(path)) return;
  const building = `${path}.new`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  const git = async (...args: readonly string[]): Promise<void> => {
    // Another repository, in which this process may have been started, is not meant.
    const none = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };
    const env = { ...process.env, ...none };
    await run("git", ["-C", building, ...args], { timeout: timeoutMs, env });
  };
  await git("init", "--quiet");
  for (const [name, value] of own) await git("config", name, value);
  const main = plan.branches[0]?.name ?? "main";
  await git("symbolic-ref", "HEAD", `refs/heads/${main}`);
  for (const { name, message } of plan.branches) {
    if (name !== main) await git("checkout", "--quiet", "-b", name, main);
    cpSync(join(examplesFolder, plan.files, name), building, { recursive: true });
    await git("add", "--all");
    await git("commit", "--quiet", "--message", message);
  }
  await git("checkout", "--quiet", main);
  renameSync(building, path);
}
