/**
 * Runs programs that change other systems, such as Terraform, each below a supervisor: a process of
 * its own that outlives the server by a bounded time. The contract, which
 * tests/adapters/supervisor.test.ts proves:
 *
 *  1. The program of a supervisor is ended in order when the server dies, stops sending beats
 *     (because it is suspended or blocked), or asks for it: SIGINT to the program alone, a second
 *     SIGINT after the grace period, and then SIGKILL to its process group.
 *  2. A supervisor that is detached lets its program finish without a server, until a deadline.
 *  3. Process ids and start times are in files before a program begins, so that the next server on
 *     the machine finds a program that still runs, and can wait for it or end it.
 *  4. Output, exit code and the reason of the end are files, so that no end is lost with a server.
 *
 *  5. A process that leaves the process group of its program is ended too where the program has a
 *     user of its own. Elsewhere, a program must not leave its process group.
 */

export interface Supervisors extends AsyncDisposable {
  /** Identifies the machine, its boot and its process namespace: elsewhere, process ids differ. */
  readonly host: string;
  /**
   * The absolute path of a program that may be executed. A name is searched for in the usual
   * folders, and not in PATH of the server.
   */
  find(program: string): Promise<string | undefined>;
  /** `folder` exists, belongs to the user of the server, and is used for one supervisor. */
  start(folder: string): Promise<Supervisor>;
  /** Whether the supervisor of the folder, or its program, still runs on this machine. */
  isRunning(folder: string): Promise<boolean>;
  /** Ends both in order, and resolves when no process of them is left. */
  end(folder: string, graceMs: number): Promise<void>;
  /** The result of a program that a supervisor ran there; undefined without a result. */
  endOf(folder: string, id: string): Promise<SupervisedEnd | undefined>;
}

export interface Supervisor {
  readonly pid: number;
  readonly start: string;
  /** One program at a time. */
  run(program: SupervisedProgram): Promise<SupervisedEnd>;
  /** Ends the program that runs; `how` "force" leaves out most of the grace period. */
  cancel(how: "graceful" | "force"): void;
  /** From now on the program may finish without this server, until `untilMs` of the clock. */
  detach(untilMs: number): Promise<void>;
  /** Ends the supervisor. A detached supervisor stays. */
  close(): Promise<void>;
}

export interface SupervisedProgram {
  /** Names the files of its output: see `outputFile`. */
  readonly id: string;
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The working folder, as an absolute path. */
  readonly folder: string;
  readonly stdin?: string;
  /** Another user to run as; only the superuser may do this. */
  readonly user?: ProgramUser | undefined;
  readonly timeoutMs: number;
  readonly graceMs: number;
  /** For stdout and stderr together. */
  readonly maxOutputBytes: number;
}

export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
  /** No other program has this user: all processes of the user end with the program. */
  readonly isOwn?: boolean;
}

export interface SupervisedEnd {
  /** Why the supervisor ended the program; "exited" if it ended by itself. */
  readonly reason: EndReason;
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * lost: the server died or sent no beats. notStarted: the system did not start it. vanished: the
 * supervisor itself was killed.
 */
export type EndReason =
  | "exited"
  | "cancelled"
  | "timedOut"
  | "outputLimit"
  | "lost"
  | "notStarted"
  | "vanished";

/** The name of a file in the folder of the supervisor. */
export function outputFile(id: string, stream: "stdout" | "stderr"): string {
  return `${id}.${stream}`;
}
