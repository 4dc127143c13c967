/** A module of a user that cannot be used, and the errors that say why. */
import { dirname } from "node:path";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { errorChain } from "../telemetry/log.ts";

export interface BrokenModule {
  readonly file: string;
  /** Absent when the file could not be read so far. */
  readonly name?: string;
  readonly error: SetpointError;
}

export function brokenModule(file: string, error: unknown, name?: string): BrokenModule {
  const known = isSetpointError(error) ? error : unusableModule(file, "cannot be loaded", error);
  return { file, error: known, ...(name === undefined ? {} : { name }) };
}

export function unusableModule(file: string, problem: string, cause?: unknown): SetpointError {
  return invalidModule(`the module ${file} ${problem}`, file, { cause });
}

export interface InvalidModuleOptions {
  readonly cause?: unknown;
  readonly suggestion?: string | undefined;
  /** Of the file that has the mistake, which may be one that the module imports. */
  readonly line?: number | undefined;
}

export function invalidModule(
  message: string,
  file: string,
  { cause, suggestion, line }: InvalidModuleOptions = {},
): SetpointError {
  return new SetpointError("config.invalid", message, {
    cause,
    details: { option: "module", file, ...(line === undefined ? {} : { line }) },
    suggestion: suggestion ?? "see docs/authoring-a-kind.md and docs/reference/engine.md",
  });
}

/** All reasons in one line, without the folder: for callers that are not operators. */
export function brokenModuleText({ file, error }: BrokenModule): string {
  const reasons = errorChain(error).map((each) => (each as { message: string }).message);
  return reasons.join(": ").replaceAll(`${dirname(file)}/`, "");
}
