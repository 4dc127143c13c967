// The one error class for everything that may go wrong in operation; broken invariants are
// `assert` failures instead. The message and details are safe to show to the caller, the cause
// is for the log only and never enters toJSON. The brand is a registered symbol and errors have
// a plain serialised form, because structured clone between threads strips classes and fields.

import { catalogue } from "./error-catalogue.ts";
import type { CatalogueEntry, ErrorCode, Retry } from "./error-catalogue.ts";
import type { JsonObject } from "./json.ts";

export { catalogue };
export type { ErrorCode, Retry };

type Entries = Readonly<Record<string, CatalogueEntry>>;

const entries = new Map<string, CatalogueEntry>(Object.entries<CatalogueEntry>(catalogue));

/** Makes the codes of a module known. A code belongs to one table. */
export function defineErrors<T extends Entries>(added: T): T {
  for (const [code, entry] of Object.entries<CatalogueEntry>(added)) {
    if (entries.has(code)) throw new Error(`the error code ${code} is defined twice`);
    entries.set(code, entry);
  }
  return added;
}

export function entryOf(code: ErrorCode): CatalogueEntry {
  return entries.get(code) ?? catalogue.internal;
}

const brand = Symbol.for("setpoint.error");
const maxCauses = 8;

export interface ErrorOptions {
  /** What went wrong underneath; logged, never shown. */
  readonly cause?: unknown;
  /** Safe for the caller to see. */
  readonly details?: JsonObject | undefined;
  /** What the caller could do next, when the catalogue's action can be made more exact. */
  readonly suggestion?: string | undefined;
}

export class SetpointError extends Error {
  override readonly name = "SetpointError";
  readonly code: ErrorCode;
  readonly details: JsonObject;
  readonly suggestion: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.suggestion = options.suggestion;
    Object.defineProperty(this, brand, { value: true });
  }

  get status(): number {
    return entryOf(this.code).status;
  }

  get retry(): Retry {
    return entryOf(this.code).retry;
  }

  toJSON(): JsonObject {
    return {
      code: this.code,
      message: this.message,
      details: this.details,
      ...(this.suggestion === undefined ? {} : { suggestion: this.suggestion }),
    };
  }
}

/** Asks for the brand instead of the class, so that two copies of the kernel agree. */
export function isSetpointError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is SetpointError & { readonly code: C } {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}

/** A plain copy that survives structured clone. `code` is null for foreign errors. */
export interface SerialisedError {
  readonly kind: "error";
  readonly code: ErrorCode | null;
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  readonly details: JsonObject;
  readonly suggestion: string | null;
  readonly cause: SerialisedError | null;
}

export function serialiseError(error: unknown): SerialisedError {
  return serialise(error, maxCauses);
}

export function deserialiseError(serialised: SerialisedError): Error {
  const { code, name, message, stack, details, suggestion } = serialised;
  const cause = serialised.cause === null ? undefined : deserialiseError(serialised.cause);
  const error =
    code === null
      ? new Error(message, cause === undefined ? undefined : { cause })
      : new SetpointError(code, message, { cause, details, suggestion: suggestion ?? undefined });
  if (code === null) Object.defineProperty(error, "name", { value: name, configurable: true });
  if (stack !== null) error.stack = stack;
  return error;
}

function serialise(error: unknown, causesLeft: number): SerialisedError {
  if (!(error instanceof Error)) return foreign("Error", String(error), null, null);
  const hasCause = error.cause !== undefined && causesLeft > 0;
  const cause = hasCause ? serialise(error.cause, causesLeft - 1) : null;
  const plain = foreign(error.name, error.message, error.stack ?? null, cause);
  if (!isSetpointError(error)) return plain;
  const { code, details, suggestion } = error;
  return { ...plain, code, details, suggestion: suggestion ?? null };
}

function foreign(
  name: string,
  message: string,
  stack: string | null,
  cause: SerialisedError | null,
): SerialisedError {
  const nothing = { code: null, details: {}, suggestion: null };
  return { kind: "error", ...nothing, name, message, stack, cause };
}
