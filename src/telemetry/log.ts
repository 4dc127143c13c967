/**
 * Structured logs on standard error, with a constant message and the variables as fields; how they
 * are written is in log-form.ts. An error is logged once, at the edge, with its whole chain of
 * causes.
 */
import type { Clock } from "../kernel/clock.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import { withoutReloadMarks } from "../kernel/reload-mark.ts";
import { shortText } from "../kernel/short-text.ts";
import { formed } from "./log-form.ts";
import type { LogForm } from "./log-form.ts";

export const levels = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof levels)[number];
export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  /** A person may look. */
  warn(fields: Fields, message: string): void;
  /** A person must look. */
  error(fields: Fields, message: string): void;
  /**
   * What reconcilers log by their context, and what a person at the terminal of `dev` should see:
   * with a level of its own; the same when left out.
   */
  readonly runs?: Logger;
}

const maxCauses = 8;
const { maxLoggedTextChars } = limits;
/** A stack helps most at its start, which names the error and where it was thrown. */
const maxStackChars = 2 * maxLoggedTextChars;
const unshowable = "(cannot be printed)";

export function logger(
  write: (lines: string, level: Level) => void,
  clock: Clock,
  least: Level = "info",
  form: LogForm = "json",
): Logger {
  const at = (level: Level) => (fields: Fields, message: string) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return;
    const time = new Date(clock.nowMs()).toISOString();
    const shown: Record<string, unknown> = {};
    for (const name of Object.keys(fields)) shown[name] = loggable(fields[name]);
    write(formed(form, { time, level, message, fields: shown }), level);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Total: what is logged is often what went wrong, and may be anything that can be thrown. */
function loggable(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (typeof value === "bigint" || typeof value === "symbol") return cut(String(value));
  if (typeof value !== "object" || value === null) return value;
  try {
    return value instanceof Error ? errorChain(value) : shortJson(value, maxCauses);
  } catch {
    return unshowable;
  }
}

/** Outermost first. Total: an error may have getters that throw, or be none at all. */
export function errorChain(error: unknown): readonly object[] {
  const chain: object[] = [];
  try {
    let current: unknown = error;
    while (current instanceof Error && chain.length < maxCauses) {
      chain.push(shownError(current));
      current = current.cause;
    }
  } catch {
    chain.push({ message: unshowable });
  }
  return chain;
}

function shownError(error: Error): object {
  const isOurs = isSetpointError(error);
  const [code, message, stack] = [
    part(error, "code"),
    part(error, "message"),
    part(error, "stack"),
  ];
  const isLast = part(error, "cause") === undefined && !isOurs;
  return {
    ...(typeof code === "string" ? { code: cut(code) } : {}),
    ...(typeof code === "number" ? { code } : {}),
    message: typeof message === "string" ? cut(message) : unshowable,
    ...(isOurs ? { details: shortJson(error.details) } : {}),
    ...(isLast && typeof stack === "string" ? { stack: shownStack(stack) } : {}),
  };
}

function shownStack(stack: string): string {
  return shortText(withoutReloadMarks(stack), maxStackChars);
}

/** The stack, for one, cannot be read when the name of the error is a symbol. */
function part(error: Error, name: string): unknown {
  try {
    return Reflect.get(error, name);
  } catch {
    return unshowable;
  }
}

function shortJson(value: object, times = 1): unknown {
  const text = JSON.stringify(value);
  return text !== undefined && text.length > maxLoggedTextChars * times ? cut(text) : value;
}

function cut(text: string): string {
  return shortText(text, maxLoggedTextChars);
}
