// One run of kustomize or Helm in the sandbox, over the files of a commit.

import type { GitTree } from "../../../adapters/git/port.ts";
import type { ProgramResult } from "../../../adapters/process/port.ts";
import type { Sandbox, SandboxEnd, SandboxRequest } from "../../../adapters/sandbox/port.ts";
import type { TenantSlots } from "../../../kernel/tenant-slots.ts";
import { gitopsLimits } from "../limits.ts";
import type { SourceProblem } from "../source/source-trees.ts";
import { partsOf, Reading } from "./reading.ts";
import type { RenderPorts, Sized } from "./reading.ts";
import { refused } from "./refused.ts";
import type { RenderInput, RenderRefusal, RenderRefused, RenderResult } from "./renderer.ts";
import type { RenderTool } from "./renderer.ts";
import { printedFiles, toolError } from "./tool-output.ts";

export interface ToolPorts extends RenderPorts {
  readonly sandbox: () => Promise<Sandbox>;
  readonly slots: TenantSlots;
  readonly kubectl: string;
  readonly helm: string;
}

export interface ToolRun extends Pick<SandboxRequest, "program" | "args" | "given" | "hasNetwork"> {
  readonly tool: Exclude<RenderTool, "Directory">;
  /** Whether the tool needs files of the repository outside of the path. */
  readonly needsRoot: boolean;
  /** The file of a printed manifest, from the name of its template. */
  readonly place: (template: string | undefined) => string;
  /** From the errors of the tool. */
  readonly refusal: (stderr: string) => RenderRefused | undefined;
}

export async function runTool(
  ports: ToolPorts,
  input: RenderInput,
  run: ToolRun,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const nothing = (result: RenderRefused): Sized<RenderResult> => ({
    result,
    bytes: 0,
    usesRoot: run.needsRoot,
  });
  if (!(await ports.slots.take(input.tenant, signal))) {
    return nothing(refused("Busy", "too many paths of this namespace wait for their tool"));
  }
  try {
    const tree = run.needsRoot ? await input.tree.root(signal) : input.tree.tree;
    if (tree.kind === "problem") return nothing(ofSource(tree));
    const output = await toolOutput(ports, input, run, tree, signal);
    if (!Buffer.isBuffer(output)) return nothing(output);
    const read = await readOutput(ports, input, run, output, signal);
    return { ...read, usesRoot: run.needsRoot };
  } finally {
    ports.slots.release(input.tenant);
  }
}

async function toolOutput(
  ports: ToolPorts,
  { tree: source }: RenderInput,
  run: ToolRun,
  tree: GitTree,
  signal: AbortSignal,
): Promise<Buffer | RenderRefused> {
  const checkout = await source.checkout(tree, signal);
  if (checkout.kind === "problem") return ofSource(checkout);
  await using files = checkout;
  const { program, args, given, hasNetwork = false } = run;
  const sandbox = await ports.sandbox();
  const end = await sandbox.run({
    program,
    args,
    folder: files.folder,
    ...(given === undefined ? {} : { given }),
    hasNetwork,
    limits: {
      timeoutMs: gitopsLimits.renderTimeoutMs,
      maxOutputBytes: gitopsLimits.maxRenderedBytes,
      maxMemoryBytes: gitopsLimits.maxRenderMemoryBytes,
      graceMs: 500,
    },
    signal,
  });
  signal.throwIfAborted();
  return outputOf(run, end);
}

function outputOf(run: ToolRun, end: SandboxEnd): Buffer | RenderRefused {
  if (end.kind === "missing") return refused("RendererMissing", end.message);
  if (end.kind === "unavailable") return refused("SandboxMissing", end.message);
  const { result } = end;
  const why = whyEnded(run, result);
  return why ?? result.stdout.bytes;
}

function whyEnded({ tool, refusal }: ToolRun, result: ProgramResult): RenderRefused | undefined {
  const { end, stderr } = result;
  const name = tool === "Helm" ? "helm" : "kustomize";
  switch (end.kind) {
    case "exited": {
      if (end.code === 0) return undefined;
      const text = stderr.bytes.toString();
      if (/out of memory|cannot allocate memory/.test(text)) return tooMuchMemory(name);
      const known = refusal(text);
      if (known !== undefined) return known;
      const message = toolError(text) || `${name} ended with the exit code ${end.code}`;
      return refused("ToolFailed", message);
    }
    case "timedOut":
      return refused("TimedOut", `${name} did not end within ${end.timeoutMs / 1_000} seconds`);
    case "outputLimit":
      return refused("TooLarge", `${name} printed more than is read`);
    case "memoryLimit":
      return tooMuchMemory(name);
    case "signalled":
    case "aborted":
    case "notFound":
    case "notStarted":
    case "busy":
      return refused("Busy", `${name} could not run now (${end.kind})`);
    default:
      return end satisfies never;
  }
}

function tooMuchMemory(name: string): RenderRefused {
  return refused("TooLarge", `${name} needed too much memory`);
}

function ofSource({ reason, message }: SourceProblem): RenderRefused {
  const kept: ReadonlySet<string> = new Set<RenderRefusal>(["UnsafeTree", "TooLarge"]);
  const where = `the whole repository is needed: ${message}`;
  return kept.has(reason) ? refused(reason as RenderRefusal, where) : refused("Busy", where);
}

async function readOutput(
  ports: ToolPorts,
  { tenant }: RenderInput,
  { tool, place }: ToolRun,
  output: Buffer,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const reading = new Reading(ports, tenant, tool);
  const printed = printedFiles(output, place, gitopsLimits.renderPartBytes);
  const contents = new Map(printed.map((each) => [each.file, each.contents]));
  for (const part of partsOf([...contents.keys()])) {
    signal.throwIfAborted();
    const texts = part.map((file) => contents.get(file) ?? Buffer.alloc(0));
    // oxlint-disable-next-line no-await-in-loop -- the parts of one tenant take turns
    const refusal = await reading.part(part, texts);
    if (refusal !== undefined) return { result: refusal, bytes: 0 };
  }
  return reading.result();
}
