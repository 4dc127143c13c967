// Which build of Setpoint this is. In a clone nothing is built: the commit that is checked out
// takes the place of the build.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Build } from "../surfaces/rest/self-routes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const gitTimeoutMs = 2_000;

/** Asks git once, when the answer is first needed. */
export function readBuild(): () => Promise<Build> {
  let asked: Promise<Build> | undefined;
  return () => (asked ??= checkedOut());
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    readonly version: string;
  };
  return version;
}

async function checkedOut(): Promise<Build> {
  const version = packageVersion();
  const args = ["-C", root, "show", "--no-patch", "--format=%H %cI", "HEAD"];
  const line = await new Promise<string>((resolve) => {
    execFile("git", args, { timeout: gitTimeoutMs }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ""),
    );
  });
  const [revision = "", builtAt = ""] = line.split(" ");
  if (revision === "" || builtAt === "") return { version };
  return { version, revision, builtAt: new Date(builtAt).toISOString() };
}
