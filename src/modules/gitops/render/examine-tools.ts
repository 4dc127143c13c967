// Whether this machine can render kustomizations and charts, for `setpoint doctor`.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../../../contract/finding.ts";
import type { ExamineInput } from "../../../contract/module.ts";
import { gitopsConfiguration } from "../configuration.ts";

const subject = "gitops";
const limits = { timeoutMs: 30_000, maxOutputBytes: 65_536, graceMs: 500 };

export async function examineTools(given: ExamineInput): Promise<readonly Finding[]> {
  const { kubectl, helm } = gitopsConfiguration(given.configuration);
  const folder = await mkdtemp(join(tmpdir(), "setpoint-doctor-"));
  try {
    return [
      await toolFinding(given, folder, {
        what: "kustomizations",
        program: kubectl,
        args: ["version", "--client"],
      }),
      await toolFinding(given, folder, { what: "charts", program: helm, args: ["version"] }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Tool {
  readonly what: string;
  readonly program: string;
  readonly args: readonly string[];
}

async function toolFinding(
  { openSandbox }: ExamineInput,
  folder: string,
  { what, program, args }: Tool,
): Promise<Finding> {
  const sandbox = await openSandbox();
  const { signal } = new AbortController();
  const end = await sandbox.run({ program, args, folder, limits, signal });
  if (end.kind === "ended") {
    const { end: how } = end.result;
    if (how.kind === "exited" && how.code === 0) {
      return { level: "ok", subject, message: `${what}: ${program} runs in a sandbox` };
    }
    const message = `${what} are refused: ${program} does not run in a sandbox (${how.kind})`;
    return { level: "warn", subject, message, suggestion: `try ${program} ${args.join(" ")}` };
  }
  const key = what === "charts" ? "gitops.helm" : "gitops.kubectl";
  const suggestion =
    end.kind === "missing"
      ? `install ${program} in /usr/local/bin, or name it as ${key} in the configuration`
      : "allow user namespaces: sysctl user.max_user_namespaces, and the profile of a container";
  return { level: "warn", subject, message: `${what} are refused: ${end.message}`, suggestion };
}
