// One execution below a supervisor: its folder, its record, and its programs one after the other.
// A program that changes another system is never left to chance: it ends before the next one of the
// same owner begins, in whatever process that is (see recover-run.ts).

import { join } from "node:path";
import type { SupervisedEnd, Supervisor, Supervisors } from "../../../adapters/supervisor/port.ts";
import { outputFile } from "../../../adapters/supervisor/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Hide } from "../../../kernel/hider.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { cancelRequestOf } from "./cancel-request.ts";
import type { CancelRequest } from "./cancel-request.ts";
import { HandedOver } from "./handed-over.ts";
import { giveToUser } from "./os-user.ts";
import type { WantedUser } from "./os-user.ts";
import { makeRunFolder, removeRunFolder } from "./run-folder.ts";
import type { OsUser, RunFolder } from "./run-folder.ts";
import { beginRun } from "./run-record.ts";
import type { RunEnd, RunPorts, RunRecord } from "./run-record.ts";
import type { RunPhase } from "./run-kinds.ts";
import { tailFile } from "./tail-file.ts";

export interface ExecutionPorts extends RunPorts {
  readonly supervisors: () => Promise<Supervisors>;
  /** Where folders of runs are created. */
  readonly root: string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The newest state of the owner, to see requests to cancel. */
  readonly newest: (owner: Resource) => Promise<Resource | undefined>;
}

export interface ExecutionInput {
  readonly executor: string;
  readonly action: string;
  readonly hide: Hide;
  readonly user: WantedUser;
  readonly graceMs: number;
}

export interface ProgramInput {
  readonly id: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** It changes another system: it is handed over when the server stops, and not ended. */
  readonly isEffect: boolean;
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** Called about ten times a second, and after the end. */
  readonly onLook?: () => Promise<void>;
}

export interface ProgramResult extends SupervisedEnd {
  /** The request that ended it. */
  readonly cancel: CancelRequest | undefined;
}

export class Execution {
  readonly folder: RunFolder;
  readonly record: RunRecord;
  /** Undefined: the user of the server. */
  readonly user: OsUser | undefined;
  readonly #ports: ExecutionPorts;
  readonly #context: Context;
  readonly #owner: Resource;
  readonly #input: ExecutionInput;
  readonly #supervisor: Supervisor;
  readonly #host: string;

  private constructor(
    made: Pick<Execution, "folder" | "record" | "user"> & { readonly host: string },
    given: {
      readonly ports: ExecutionPorts;
      readonly context: Context;
      readonly owner: Resource;
      readonly input: ExecutionInput;
      readonly supervisor: Supervisor;
    },
  ) {
    this.folder = made.folder;
    this.record = made.record;
    this.user = made.user;
    this.#host = made.host;
    this.#ports = given.ports;
    this.#context = given.context;
    this.#owner = given.owner;
    this.#input = given.input;
    this.#supervisor = given.supervisor;
  }

  /** The run is in the status of its owner before this returns, and no program has begun. */
  static async begin(
    ports: ExecutionPorts,
    context: Context,
    owner: Resource,
    input: ExecutionInput,
  ): Promise<Execution> {
    const supervisors = await ports.supervisors();
    const record = await beginRun(ports, context, owner, input);
    const folder = await makeRunFolder(ports.root, record.name, input.user);
    const user = await giveToUser(folder.work, record.name, input.user);
    const supervisor = await supervisors.start(folder.control);
    const { host } = supervisors;
    const made = { folder, record, user, host };
    const execution = new Execution(made, { ports, context, owner, input, supervisor });
    try {
      await execution.#note("Running", undefined);
      return execution;
    } catch (error) {
      await supervisor.close();
      await removeRunFolder(folder);
      throw error;
    }
  }

  /**
   * Throws HandedOver when the server stops, and the reason of the signal when the claim is lost.
   */
  async run(given: ProgramInput): Promise<ProgramResult> {
    const { id, program, args, env, stdin, timeoutMs } = given;
    const untilMs = this.#context.clock.nowMs() + timeoutMs;
    const running = this.#supervisor.run({
      id,
      program,
      args,
      env,
      folder: this.folder.work,
      ...(stdin === undefined ? {} : { stdin }),
      user: this.user,
      timeoutMs,
      graceMs: this.#input.graceMs,
      maxOutputBytes: executorLimits.maxProgramOutputBytes,
    });
    return await this.#follow(given, running, untilMs);
  }

  async finish(phase: Exclude<RunPhase, "Running" | "Detached">, end: RunEnd = {}): Promise<void> {
    await this.#supervisor.close();
    await removeRunFolder(this.folder);
    await this.record.end(phase, end);
    await this.#context.status.patch({ run: null });
  }

  /** After a fault or a lost claim: the program ends, and the next server finds what is left. */
  async abandon(): Promise<void> {
    await this.#supervisor.close();
  }

  async #follow(
    given: ProgramInput,
    running: Promise<SupervisedEnd>,
    untilMs: number,
  ): Promise<ProgramResult> {
    const { id, onLine, onLook } = given;
    const { timers, stopping } = this.#ports;
    const { signal, clock } = this.#context;
    const streams = (["stdout", "stderr"] as const).map((stream) => {
      return { stream, tail: tailFile(join(this.folder.control, outputFile(id, stream))) };
    });
    const look = async (isLast: boolean): Promise<void> => {
      for (const { stream, tail } of streams) {
        for (;;) {
          const lines = await tail.lines(isLast);
          for (const line of lines) onLine(line, stream);
          if (lines.length === 0) break;
        }
      }
      await onLook?.();
    };
    let cancel: CancelRequest | undefined;
    let nextCancelMs = 0;
    let stopMs: number | undefined;
    for (;;) {
      if (signal.aborted) await this.#endNow(signal.reason);
      if (clock.nowMs() >= nextCancelMs) {
        nextCancelMs = clock.nowMs() + executorLimits.cancelPollMs;
        cancel = (await this.#cancelAsked(cancel)) ?? cancel;
      }
      if (stopping.aborted) {
        stopMs ??= clock.nowMs() + executorLimits.stopWaitMs;
        if (clock.nowMs() >= stopMs) await this.#leave(given, untilMs);
      }
      await look(false);
      const end = await Promise.race([running, timers.sleep(executorLimits.outputPollMs)]);
      if (end === undefined) continue;
      await look(true);
      return { ...end, cancel };
    }
  }

  async #cancelAsked(before: CancelRequest | undefined): Promise<CancelRequest | undefined> {
    const newest = await this.#ports.newest(this.#owner);
    const request = newest === undefined ? undefined : cancelRequestOf(newest);
    if (request === undefined || request.how === before?.how) return undefined;
    this.record.line(`cancel requested (${request.how})`);
    this.#supervisor.cancel(request.how);
    return request;
  }

  /** The claim is lost: the supervisor ends the program, and nothing is written. */
  async #endNow(reason: unknown): Promise<never> {
    this.#supervisor.cancel("graceful");
    await this.#supervisor.close();
    throw reason;
  }

  /** First the store, then the supervisor: a program that runs on is always known as detached. */
  async #leave({ isEffect }: ProgramInput, untilMs: number): Promise<never> {
    if (isEffect) {
      await this.#note("Detached", untilMs);
      await this.#supervisor.detach(untilMs);
      await this.record.update({ phase: "Detached" });
    } else {
      await this.#supervisor.close();
      await this.finish("Interrupted", { reason: "ServerStopped" });
    }
    throw new HandedOver();
  }

  async #note(phase: "Running" | "Detached", untilMs: number | undefined): Promise<void> {
    const { action } = this.#input;
    const run = { name: this.record.name, action, phase, host: this.#host };
    const until = untilMs === undefined ? {} : { untilMs };
    await this.#context.status.patch({ run: { ...run, folder: this.folder.path, ...until } });
  }
}
