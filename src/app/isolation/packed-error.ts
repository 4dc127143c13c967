/**
 * Errors between two threads. An error that comes back to the side that threw it first is the same
 * object again, so an author catches what the own code threw, and the engine recognizes its own
 * errors. On the other side it has the same class where both sides know the class.
 */
import * as authored from "../../authoring/setpoint.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isolationLimits } from "./limits.ts";
import { pack, unpack } from "./packed.ts";
import type { PackedError, Replacer, Restorer } from "./packed.ts";

type ErrorClass = abstract new (...given: never[]) => Error;

/** The classes that authors import from "setpoint". */
const classes: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries(authored).filter((entry): entry is [string, never] => isErrorClass(entry[1])),
);

function isErrorClass(value: unknown): boolean {
  return typeof value === "function" && value.prototype instanceof Error;
}

export class ErrorBook {
  readonly #own = new Map<number, Error>();
  readonly #ids = new WeakMap<Error, { readonly id: number; readonly isOwn: boolean }>();
  #last = 0;

  pack(error: Error, replacer: Replacer): PackedError {
    const { id, isOwn } = this.#idOf(error);
    const name = [...classes].find(([, type]) => error instanceof type)?.[0];
    const type = isSetpointError(error) ? "SetpointError" : (name ?? typeName(error));
    return {
      id,
      isOwn,
      type,
      name: textAt(error, "name"),
      message: textAt(error, "message"),
      stack: textAt(error, "stack"),
      fields: packedFields(error, replacer),
    };
  }

  unpack(packed: PackedError, restorer: Restorer): Error {
    const own = packed.isOwn ? undefined : this.#own.get(packed.id);
    if (own !== undefined) return own;
    const fields = unpack(packed.fields, restorer) as Readonly<Record<string, unknown>>;
    const error = remade(packed, fields);
    this.#ids.set(error, { id: packed.id, isOwn: false });
    return error;
  }

  #idOf(error: Error): { readonly id: number; readonly isOwn: boolean } {
    const known = this.#ids.get(error);
    if (known !== undefined) return known;
    this.#last += 1;
    const entry = { id: this.#last, isOwn: true };
    this.#ids.set(error, entry);
    this.#own.set(entry.id, error);
    const [oldest] = this.#own.keys();
    if (this.#own.size > isolationLimits.keptErrors && oldest !== undefined) {
      this.#own.delete(oldest);
    }
    return entry;
  }
}

function remade(packed: PackedError, fields: Readonly<Record<string, unknown>>): Error {
  const { type, name, message, stack } = packed;
  if (type === "SetpointError") {
    const { code, details, suggestion, cause } = fields;
    return withStack(
      new SetpointError(code as ErrorCode, message, {
        cause,
        details: details as JsonObject,
        suggestion: suggestion as string | undefined,
      }),
      stack,
    );
  }
  if (type === "DOMException") return withStack(new DOMException(message, name), stack);
  const found = classes.get(type);
  const error =
    found === undefined ? new Error(message) : (Object.create(found.prototype as Error) as Error);
  const set = (field: string, value: unknown): void => {
    Object.defineProperty(error, field, { value, writable: true, configurable: true });
  };
  set("message", message);
  set("name", name);
  for (const [field, value] of Object.entries(fields)) set(field, value);
  return withStack(error, stack);
}

function withStack<E extends Error>(error: E, stack: string): E {
  Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true });
  return error;
}

function typeName(error: Error): string {
  return error instanceof DOMException ? "DOMException" : "Error";
}

/** The stack, for one, cannot be read when the name of the error is a symbol. */
function textAt(error: Error, field: string): string {
  try {
    const value: unknown = Reflect.get(error, field);
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}

/** What clients put on their errors, such as `status`, `code` and `response.status`. */
function packedFields(error: Error, replacer: Replacer): ReturnType<typeof pack> {
  const fields: Record<string, unknown> = {};
  const names = new Set([...Object.getOwnPropertyNames(error), "cause", "code"]);
  for (const name of ["name", "message", "stack"]) names.delete(name);
  for (const name of names) {
    try {
      const value: unknown = Reflect.get(error, name);
      if (value === undefined || typeof value === "function") continue;
      const isData = value instanceof Error || isCloneable(value);
      fields[name] = isData ? value : shallow(value as object);
    } catch {
      fields[name] = "(cannot be read)";
    }
  }
  return pack(fields, replacer);
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function shallow(value: object): object {
  const fields = value as Readonly<Record<string, unknown>>;
  const parts = ["status", "statusCode", "code"].map((name) => [name, fields[name]] as const);
  return Object.fromEntries(parts.filter(([, part]) => typeof part !== "object"));
}
