/**
 * Structured logs: one JSON object per line on standard error, with a constant message and the
 * variables as fields. An error is logged once, at the edge, with its whole chain of causes.
 */
import type { Clock } from "../kernel/clock.ts";
import { isSetpointError } from "../kernel/errors.ts";

export type Level = "debug" | "info" | "warn" | "error";
export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  /** A person may look. */
  warn(fields: Fields, message: string): void;
  /** A person must look. */
  error(fields: Fields, message: string): void;
}

const order: readonly Level[] = ["debug", "info", "warn", "error"];
const maxCauses = 8;

export function logger(write: (line: string) => void, clock: Clock, least: Level = "info"): Logger {
  const at = (level: Level) => (fields: Fields, message: string) => {
    if (order.indexOf(level) < order.indexOf(least)) return;
    const time = new Date(clock.nowMs()).toISOString();
    const shown = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, loggable(value)]),
    );
    write(`${JSON.stringify({ time, level, message, ...shown })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function loggable(value: unknown): unknown {
  return value instanceof Error ? errorChain(value) : value;
}

/** Outermost first. */
export function errorChain(error: Error): readonly object[] {
  const chain: object[] = [];
  let current: unknown = error;
  while (current instanceof Error && chain.length < maxCauses) {
    const code = isSetpointError(current) ? current.code : (current as { code?: unknown }).code;
    chain.push({
      ...(code === undefined ? {} : { code }),
      message: current.message,
      ...(isSetpointError(current) ? { details: current.details } : {}),
      ...(current.cause === undefined && !isSetpointError(current) ? { stack: current.stack } : {}),
    });
    current = current.cause;
  }
  return chain;
}
