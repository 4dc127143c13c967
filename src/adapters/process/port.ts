/**
 * Runs programs of this machine: git, kustomize, Terraform. The contract, which contract/suite.ts
 * proves:
 *
 *  1. No shell reads the arguments, and the environment holds only what the request names.
 *  2. Every run has limits on time and output. How it ended is data and never an exception. `run`
 *     throws only for an invalid request, and when `onLine` throws, which also ends the program.
 *  3. A program runs in a process group of its own. When a run ends, for whatever reason, no
 *     process of the group is left. A descendant that creates its own session leaves the group and
 *     is not ended; programs that do so must not be run with this port.
 *  4. When the process that called `run` ends, even by SIGKILL, the group is terminated: SIGTERM,
 *     then SIGKILL after the grace period.
 *  5. At most `maxRunning` programs run at a time; further runs wait in order.
 *
 * On macOS all of this holds except memory limits, which the kernel does not enforce there.
 */

export interface ProgramRequest {
  /** An absolute path, or a name without a slash that is searched for in PATH of `env`. */
  readonly program: string;
  readonly args: readonly string[];
  /** Empty unless given. Names are letters, digits and underscores: `sh` passes no others. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working folder, as an absolute path. */
  readonly folder: string;
  /** Written to the standard input, which is then closed; without it the input is empty. */
  readonly stdin?: string | Uint8Array;
  readonly limits: ProgramLimits;
  /** Another user to run as; only the superuser may do this. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Called for each line of output, without its line break, as soon as the line is complete. */
  readonly onLine?: (line: ProgramLine) => void;
  /** Ends the program; the result is `aborted`. */
  readonly signal?: AbortSignal;
}

export interface ProgramLimits {
  /** From the start of the program; the time that a run waits for its turn does not count. */
  readonly timeoutMs: number;
  /** For each of stdout and stderr. */
  readonly maxOutputBytes: number;
  /** What happens beyond it: the program is ended, or further output is dropped. */
  readonly onOutputLimit?: "end" | "truncate";
  /**
   * Resident memory of the whole group, checked several times a second, and, on Linux, a limit of
   * the kernel on the data of each process, a quarter above it.
   */
  readonly maxMemoryBytes?: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}

export interface ProgramLine {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export interface ProgramResult {
  readonly end: ProgramEnd;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
}

export interface ProgramOutput {
  readonly bytes: Buffer;
  /** There was more than `maxOutputBytes`. */
  readonly isTruncated: boolean;
}

export type ProgramEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** A signal that this port did not send. */
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timedOut"; readonly timeoutMs: number }
  | { readonly kind: "outputLimit"; readonly stream: "stdout" | "stderr" }
  /**
   * The group used more memory than allowed. A program that the kernel refused memory before the
   * next check ends as it chooses, mostly with an exit code.
   */
  | { readonly kind: "memoryLimit"; readonly usedBytes: number }
  | { readonly kind: "aborted" }
  | { readonly kind: "notFound"; readonly what: "program" | "folder"; readonly path: string }
  /** The operating system did not start it; `code` is that of the system, such as EAGAIN. */
  | { readonly kind: "notStarted"; readonly code: string }
  /** Too many runs wait for their turn. */
  | { readonly kind: "busy" };

export interface ProcessRunner extends AsyncDisposable {
  run(request: ProgramRequest): Promise<ProgramResult>;
  /** Ends every program; resolves when the last one has ended. */
  [Symbol.asyncDispose](): Promise<void>;
}
