/**
 * Values between the main thread and the thread of a module. Data is copied by structured clone.
 * What cannot be copied is replaced: functions and abort signals by a reference, errors by a form
 * that keeps their class and identity. Replacements are listed next to the data with their paths,
 * so no content of a document can be taken for one.
 */
import { systemClock } from "../../kernel/clock.ts";
import { setOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";
import { isolationLimits } from "./limits.ts";

export type FunctionId = number | string;
export type Path = readonly (string | number)[];

export interface Packed {
  readonly data: unknown;
  /** Undefined where there are none, as in most messages. */
  readonly slots?: readonly Slot[] | undefined;
}

export interface Slot {
  readonly path: Path;
  readonly is: Replaced;
}

export type Replaced =
  | { readonly kind: "function"; readonly id: FunctionId }
  | { readonly kind: "signal"; readonly id: number; readonly aborted?: Packed | undefined }
  | { readonly kind: "error"; readonly error: PackedError }
  | { readonly kind: "context"; readonly head: ContextHead; readonly signal: Replaced }
  | { readonly kind: "clock" }
  /** The object was an instance of a class; its methods are among its fields. */
  | { readonly kind: "instance" };

/** What a run's context has when the run begins; the rest is asked for. */
export interface ContextHead {
  readonly token: number;
  readonly attempt: number;
  readonly externalId: string | undefined;
}

export interface PackedError {
  /** Of the side that sent it first; `isOwn` on the way back. */
  readonly id: number;
  readonly isOwn: boolean;
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly fields: Packed;
}

/** What a side of the link replaces, and how it restores what the other side replaced. */
export interface Replacer {
  function(value: Callable, path: Path): FunctionId;
  signal(value: AbortSignal): Replaced;
  error(value: Error): PackedError;
  /** Undefined for an object that is not the context of a run. */
  context(value: object): Replaced | undefined;
}

export interface Restorer {
  function(id: FunctionId): Callable;
  signal(id: number, aborted: Packed | undefined): AbortSignal;
  error(error: PackedError): Error;
  context(head: ContextHead, signal: AbortSignal): object;
}

export type Callable = (...given: unknown[]) => unknown;

export function pack(value: unknown, replacer: Replacer): Packed {
  const packer = new Packer(replacer);
  const data = packer.walk(value);
  return packer.slots.length === 0 ? { data } : { data, slots: packer.slots };
}

/** Plain data is sent as it is; only what contains a replacement is copied. */
class Packer {
  readonly slots: Slot[] = [];
  readonly #replacer: Replacer;
  readonly #path: (string | number)[] = [];

  constructor(replacer: Replacer) {
    this.#replacer = replacer;
  }

  walk(at: unknown): unknown {
    if (typeof at === "function") {
      const id = this.#replacer.function(at as Callable, [...this.#path]);
      return this.#replace({ kind: "function", id });
    }
    if (typeof at === "symbol") return String(at);
    if (typeof at !== "object" || at === null) return at;
    if (this.#path.length > isolationLimits.maxDepth) {
      throw new RangeError("the value is nested too deep");
    }
    if (Array.isArray(at)) return this.#list(at);
    if (isPlain(at)) return this.#fields(at, Object.entries(at), at);
    const replaced = this.#special(at);
    if (replaced !== undefined) return this.#replace(replaced);
    if (isOpaque(at)) return at;
    const copy = this.#fields(at, membersOf(at), undefined);
    this.#replace({ kind: "instance" });
    return copy;
  }

  #replace(is: Replaced): null {
    this.slots.push({ path: [...this.#path], is });
    return null;
  }

  #special(at: object): Replaced | undefined {
    if (at instanceof Error) return { kind: "error", error: this.#replacer.error(at) };
    if (at instanceof AbortSignal) return this.#replacer.signal(at);
    return this.#replacer.context(at);
  }

  #list(at: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, each] of at.entries()) {
      const packed = this.#inner(index, each);
      if (packed !== each) copy ??= [...at];
      if (copy !== undefined) copy[index] = packed;
    }
    return copy ?? at;
  }

  /** `same` is what to send if no field is replaced; undefined: a copy in any case. */
  #fields(
    at: object,
    fields: Iterable<readonly [string, unknown]>,
    same: object | undefined,
  ): unknown {
    if (at === systemClock) return this.#replace({ kind: "clock" });
    let copy: Record<string, unknown> | undefined = same === undefined ? {} : undefined;
    for (const [name, field] of fields) {
      const packed = this.#inner(name, field);
      if (packed !== field) copy ??= { ...at };
      if (copy !== undefined) setOwn(copy as MutableJsonObject, name, packed as Json);
    }
    return copy ?? same;
  }

  #inner(name: string | number, field: unknown): unknown {
    this.#path.push(name);
    const packed = this.walk(field);
    this.#path.pop();
    return packed;
  }
}

export function unpack({ data, slots = [] }: Packed, restorer: Restorer): unknown {
  const box = { data };
  for (const { path, is } of slots) {
    const whole: Path = ["data", ...path];
    let at = box as unknown as Record<string | number, unknown>;
    for (const step of whole.slice(0, -1)) at = at[step] as typeof at;
    const last = whole.at(-1) ?? "data";
    at[last] = restored(is, restorer, at[last]);
  }
  return box.data;
}

function restored(is: Replaced, restorer: Restorer, data: unknown): unknown {
  switch (is.kind) {
    case "function":
      return restorer.function(is.id);
    case "signal":
      return restorer.signal(is.id, is.aborted);
    case "error":
      return restorer.error(is.error);
    case "context":
      return restorer.context(is.head, restored(is.signal, restorer, null) as AbortSignal);
    case "clock":
      return systemClock;
    case "instance":
      return Object.assign(Object.create(instance) as object, data);
    default:
      return is satisfies never;
  }
}

/** Not a plain object: its fields are not checked against the known ones. */
const instance: object = {};

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === Object.prototype || prototype === null;
}

/** Copied by structured clone as they are. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Date ||
    value instanceof RegExp ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  );
}

/** The fields of an instance of a class, and the methods and getters of its class. */
function* membersOf(value: object): Generator<readonly [string, unknown]> {
  const seen = new Set(Object.keys(value));
  for (const name of seen) yield [name, memberOf(value, name)];
  let at = Object.getPrototypeOf(value) as object | null;
  for (; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (seen.has(name) || name === "constructor") continue;
      seen.add(name);
      yield [name, memberOf(value, name)];
    }
  }
}

function memberOf(value: object, name: string): unknown {
  const field: unknown = Reflect.get(value, name);
  return typeof field === "function" ? (field as Callable).bind(value) : field;
}
