// The commands of Terraform within one execution. A command that fails, is cancelled or takes too
// long throws a ReconcileFailure with the diagnostics of Terraform, without secrets.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { outputFile } from "../../../adapters/supervisor/port.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Hide } from "../../../kernel/hider.ts";
import { executorLimits } from "../limits.ts";
import type { CancelRequest } from "../runs/cancel-request.ts";
import type { Execution, ProgramResult } from "../runs/execution.ts";
import { readEvent } from "./events.ts";
import type { ChangeCounts, TerraformEvent } from "./events.ts";
import { planFile } from "./work-folder.ts";

export interface TerraformInput {
  readonly execution: Execution;
  /** The absolute path. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly hide: Hide;
}

export interface PlanResult {
  readonly hasChanges: boolean;
  readonly counts: ChangeCounts;
  readonly planned: readonly { readonly address: string; readonly action: string }[];
  readonly drifted: readonly { readonly address: string; readonly action: string }[];
}

export interface ApplyInput {
  /** Of the plan, for progress. */
  readonly planned: number;
  readonly onProgress: (done: number, message: string) => void;
  /** Called often; stores a new state. */
  readonly onLook: () => Promise<void>;
}

/** Cancelled by a request: the outcome of the run is known, and nothing is tried again. */
export class TerraformCancelled extends ReconcileFailure {
  readonly request: CancelRequest;

  constructor(request: CancelRequest) {
    const message = `the run was cancelled by the request ${request.value}`;
    super(failed("Cancelled", message, { retry: "never" }));
    this.request = request;
  }
}

export class TerraformCommands {
  readonly #input: TerraformInput;
  #version = "";
  #count = 0;

  constructor(input: TerraformInput) {
    this.#input = input;
  }

  /** Of Terraform; empty before the first command. */
  get version(): string {
    return this.#version;
  }

  async init(): Promise<void> {
    await this.#run("InitFailed", ["init", "-input=false", "-no-color", "-json"]);
  }

  async plan(options: readonly string[]): Promise<PlanResult> {
    const planned: PlanResult["planned"][number][] = [];
    const drifted: PlanResult["planned"][number][] = [];
    let counts: ChangeCounts = { add: 0, change: 0, remove: 0, import: 0 };
    const onEvent = (event: TerraformEvent): void => {
      if (event.kind === "planned" && event.action !== "noop") planned.push(event);
      if (event.kind === "drifted") drifted.push(event);
      if (event.kind === "summary") ({ counts } = event);
    };
    const args = ["plan", "-input=false", "-json", "-detailed-exitcode", `-out=${planFile}`];
    const { code } = await this.#run("PlanFailed", [...args, ...options], {
      onEvent,
      isOk: [0, 2],
    });
    return { hasChanges: code === 2, counts, planned, drifted };
  }

  /** Never an old plan: the plan is that of this execution. */
  async apply({ planned, onProgress, onLook }: ApplyInput): Promise<void> {
    let done = 0;
    const onEvent = (event: TerraformEvent): void => {
      if (event.kind !== "applied") return;
      done += 1;
      onProgress(Math.min(done, planned), event.address);
    };
    const args = ["apply", "-input=false", "-json", planFile];
    await this.#run("ApplyFailed", args, { onEvent, onLook, isEffect: true });
  }

  /** The plan as a document. It contains sensitive values: never log it. */
  async showPlan(): Promise<JsonObject> {
    const id = await this.#quiet(["show", "-json", planFile]);
    const { control } = this.#input.execution.folder;
    const text = await readFile(join(control, outputFile(id, "stdout")), "utf8");
    return parseExact(text) as JsonObject;
  }

  async #quiet(args: readonly string[]): Promise<string> {
    const { execution, program, env, timeoutMs } = this.#input;
    const id = this.#nextId(args);
    const onLine = (): void => undefined;
    const result = await execution.run({
      id,
      program,
      args,
      env,
      timeoutMs,
      isEffect: false,
      onLine,
    });
    this.#check("ShowFailed", result, [0], []);
    return id;
  }

  async #run(
    reason: string,
    args: readonly string[],
    more: {
      readonly onEvent?: (event: TerraformEvent) => void;
      readonly onLook?: () => Promise<void>;
      readonly isOk?: readonly number[];
      readonly isEffect?: boolean;
    } = {},
  ): Promise<ProgramResult> {
    const { execution, program, env, timeoutMs } = this.#input;
    const { onEvent, onLook, isOk = [0], isEffect = false } = more;
    const errors: string[] = [];
    const onLine = (line: string): void => {
      const { event, text } = readEvent(line);
      if (text !== "") execution.record.line(text);
      if (event.kind === "version" && event.version !== "") this.#version = event.version;
      if (event.kind === "diagnostic" && event.severity === "error") errors.push(event.text);
      onEvent?.(event);
    };
    const id = this.#nextId(args);
    const command = { id, program, args, env, timeoutMs, isEffect, onLine };
    const result = await execution.run({ ...command, ...(onLook === undefined ? {} : { onLook }) });
    this.#check(reason, result, isOk, errors);
    return result;
  }

  #nextId(args: readonly string[]): string {
    this.#count += 1;
    return `${this.#count}-${args[0] ?? ""}`;
  }

  #check(
    reason: string,
    result: ProgramResult,
    isOk: readonly number[],
    errors: readonly string[],
  ): void {
    const { code, cancel, reason: why } = result;
    if (cancel !== undefined && why === "cancelled") throw new TerraformCancelled(cancel);
    if (why === "exited" && code !== null && isOk.includes(code)) return;
    if (why === "exited") {
      const text = this.#input.hide(errors.join("; ")) || `Terraform ended with the code ${code}`;
      const message = text.slice(0, executorLimits.maxDiagnosticChars);
      throw new ReconcileFailure(failed(reason, message, { retry: "slow" }));
    }
    throw new ReconcileFailure(failed(...interruption(why, this.#input.timeoutMs)));
  }
}

function interruption(
  why: ProgramResult["reason"],
  timeoutMs: number,
): readonly [string, string, { readonly retry: "soon" | "slow" }] {
  switch (why) {
    case "timedOut":
      return ["TimedOut", `Terraform took longer than ${timeoutMs / 1_000} s`, { retry: "slow" }];
    case "outputLimit":
      return ["OutputLimit", "Terraform wrote too much output", { retry: "slow" }];
    case "notStarted":
      return ["NotStarted", "the operating system did not start Terraform", { retry: "slow" }];
    default:
      return [
        "Interrupted",
        "Terraform was interrupted; the next run plans again",
        { retry: "soon" },
      ];
  }
}
