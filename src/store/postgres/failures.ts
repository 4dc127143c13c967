/**
 * What an error of the driver or the server means for the work that met it. `lost` is the one kind
 * after which nobody knows whether the statement was applied: the connection ended before its
 * answer. A server that shuts down may say so (57P01) after it has committed: that is `lost` too.
 */
import { isSetpointError, SetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { notPrimary } from "../shipment.ts";

export type Failure =
  /** The answer was lost: the statement may have been applied. */
  | { readonly kind: "lost"; readonly cause: unknown }
  /** Not applied; the same may succeed in a moment. */
  | { readonly kind: "busy"; readonly cause: unknown }
  /** Not applied, and trying again at once is pointless. */
  | { readonly kind: "refused"; readonly error: SetpointError };

const lostStates = new Set(["57P01", "57P02", "57P05"]);

/** Serialisation, deadlock, lock timeout, cancelled, too many connections, starting up. */
const busyStates = new Set([
  "40001",
  "40P01",
  "55P03",
  "57014",
  "53300",
  "57P03",
  "25P03",
  "55006",
]);

const refusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  "53100": ["store.full", "the disk under the database is full"],
  "25006": ["store.read_only", "the database refuses writes"],
  XX001: ["store.corrupt", "the database reports damaged data"],
  XX002: ["store.corrupt", "the database reports a damaged index"],
};

export function failureOf(error: unknown): Failure {
  if (isSetpointError(error)) return { kind: "refused", error };
  const state = sqlState(error);
  if (state === undefined || state.startsWith("08") || lostStates.has(state)) {
    return { kind: "lost", cause: error };
  }
  if (busyStates.has(state)) return { kind: "busy", cause: error };
  // Raised by admit_writer_v1, which names the primary.
  if (state === "SP003") return { kind: "refused", error: notPrimary(detailOf(error)) };
  const [code, message] = refusals[state] ?? refusalOfClass(state);
  return { kind: "refused", error: new SetpointError(code, message, { cause: error }) };
}

export function unavailable(cause: unknown): SetpointError {
  return new SetpointError("store.unavailable", "the database does not respond", { cause });
}

/**
 * The settings were right when the process started: a password or a rule that was changed since is
 * an absence of the database, which may end, and no mistake of whoever asks.
 */
export function refusedLater(error: unknown): unknown {
  const failure = failureOf(error);
  if (failure.kind !== "refused" || failure.error.code !== "config.invalid") return error;
  return new SetpointError("store.unavailable", failure.error.message, {
    cause: error,
    suggestion:
      "allow the user in the database again, or restart with the new address in --store " +
      "or SETPOINT_STORE",
  });
}

/** Whether nothing was to be had from the database, whatever was asked for. */
export function isAway(error: unknown): boolean {
  return isSetpointError(error, "store.unavailable") && !isTooExpensive(error.cause);
}

/** Whether values were at fault (out of range, not text, too large for an index), or their key. */
export function isFaultOfOne({ code, cause }: SetpointError): boolean {
  return code === "secret.key_retired" || /^(22|54)/.test(sqlState(cause) ?? "");
}

/** A read that the server ended by its time limit would take as long again. */
export function isTooExpensive(error: unknown): boolean {
  return sqlState(error) === "57014";
}

export function tooExpensive(cause: unknown): SetpointError {
  const message = "the query took too long";
  const suggestion = "narrow the query: select a namespace or labels, or use a smaller page";
  return new SetpointError("store.unavailable", message, { cause, suggestion });
}

/** For work that is not repeated: a lost connection is, unless said otherwise, no database. */
export function typedFailure(
  error: unknown,
  whenLost: "store.unavailable" | "store.outcome_unknown" = "store.unavailable",
): SetpointError {
  const failure = failureOf(error);
  if (failure.kind === "refused") return failure.error;
  if (failure.kind === "lost" && whenLost === "store.outcome_unknown") {
    const message = "lost the connection to the database during the commit";
    return new SetpointError(whenLost, message, { cause: error });
  }
  return unavailable(failure.cause);
}

/** An SQLSTATE has five characters; the codes of sockets (ECONNRESET) have more. */
function sqlState(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && code !== "EPIPE"
    ? code
    : undefined;
}

function detailOf(error: unknown): string {
  const detail = (error as { readonly detail?: unknown } | null)?.detail;
  return typeof detail === "string" ? detail : "";
}

function refusalOfClass(state: string): readonly [ErrorCode, string] {
  if (state.startsWith("28") || state.startsWith("3D")) {
    return ["config.invalid", "the database refuses this user, password or database name"];
  }
  if (state === "42501") {
    return ["config.invalid", "this user may not create or use the schema in the database"];
  }
  return ["internal", "the database refused a statement"];
}
