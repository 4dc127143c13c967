// Which build of Setpoint this is. The published package contains the facts of its build. In a
// clone nothing is built: the commit that is checked out takes the place of the build.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Build } from "../surfaces/rest/self-routes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const gitTimeoutMs = 2_000;

/** Asks git once, when the answer is first needed. */
export function readBuild(): () => Promise<Build> {
  let asked: Promise<Build> | undefined;
  return () => (asked ??= findBuild());
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    readonly version: string;
  };
  return version;
}

/** Written by tools/package/build.ts beside the emitted files; there is none beside the sources. */
function packagedFacts(): Omit<Build, "version"> | undefined {
  const path = fileURLToPath(new URL("../build.json", import.meta.url));
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, "utf8")) as Omit<Build, "version">;
}

async function findBuild(): Promise<Build> {
  const version = packageVersion();
  const packaged = packagedFacts();
  if (packaged !== undefined) return { version, ...packaged };
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
