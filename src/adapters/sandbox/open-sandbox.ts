/** The implementation of port.ts with unshare(1). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessRunner, ProgramResult } from "../process/port.ts";
import type { Sandbox, SandboxEnd, SandboxRequest } from "./port.ts";

const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const namespaces = [
  "--user",
  "--map-root-user",
  "--mount",
  "--pid",
  "--ipc",
  "--uts",
  "--fork",
  "--kill-child",
];

export function openSandbox(runner: Pick<ProcessRunner, "run">): Sandbox {
  const script = readFileSync(join(import.meta.dirname, "enter-sandbox.sh"), "utf8");
  return {
    run: async (request) => {
      const { hasNetwork = false, folder, limits, signal, given } = request;
      const result = await runner.run({
        program: "unshare",
        args: [
          ...namespaces,
          ...(hasNetwork ? [] : ["--net"]),
          "--",
          "/bin/sh",
          "-c",
          script,
          "enter-sandbox",
          ...settings(request),
          ...request.args,
        ],
        env: hasNetwork ? { ...environment, ...networkEnvironment } : environment,
        folder,
        ...(given === undefined ? {} : { stdin: given.text }),
        limits,
        signal,
      });
      return endOf(request.program, result);
    },
  };
}

const environment = { PATH: systemPath, HOME: "/tmp", TMPDIR: "/tmp", LC_ALL: "C" };
const networkEnvironment = {
  GIT_ALLOW_PROTOCOL: "https",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_NOSYSTEM: "1",
};

function settings({
  folder,
  program,
  given,
  hasNetwork = false,
}: SandboxRequest): readonly string[] {
  const size = hasNetwork ? "512m" : "16m";
  return [folder, program, given?.name ?? "", hasNetwork ? "network" : "", size];
}

const ready = "sandbox-ready\n";

function endOf(program: string, result: ProgramResult): SandboxEnd {
  const { end, stderr } = result;
  if (end.kind === "notFound") {
    const message =
      end.what === "program"
        ? "the server has no program unshare, which is in util-linux"
        : "the folder of the sandbox does not exist";
    return { kind: "unavailable", message };
  }
  const text = stderr.bytes.toString();
  const at = text.indexOf(ready);
  if (end.kind !== "exited") return { kind: "ended", result };
  if (at < 0) {
    if (text.includes("sandbox-missing\n")) {
      return { kind: "missing", message: `the server has no program ${program}` };
    }
    return { kind: "unavailable", message: whyUnavailable(text) };
  }
  const of = text.slice(at + ready.length);
  if (of.startsWith("unshare: failed to execute ")) {
    const message = `the program ${program} needs other files: use one without libraries`;
    return { kind: "missing", message };
  }
  if (/^(?:unshare|setpriv): /.test(of)) {
    return { kind: "unavailable", message: whyUnavailable(of) };
  }
  const bytes = stderr.bytes.subarray(Buffer.byteLength(text.slice(0, at)) + ready.length);
  return { kind: "ended", result: { ...result, stderr: { ...stderr, bytes } } };
}

function whyUnavailable(text: string): string {
  const [first = ""] = text.split("\n");
  const line = first.slice(0, 200);
  return `the server cannot create a sandbox (user namespaces)${line === "" ? "" : `: ${line}`}`;
}
