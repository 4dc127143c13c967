// Which types fit which, when some of them still have holes. A hole is a type parameter that an
// overload brings, or that the empty list has for its items; it is filled by the first type it
// meets, and widened to dyn when that is the more general one. An attempt that fails is undone; a
// copy for each attempt would make the time of a long expression quadratic.

import { dynType, formatType, isDyn, sameType } from "./types.ts";
import type { CelType } from "./types.ts";

/** What the holes were filled with, by the name of the parameter. */
export type Fillings = ReadonlyMap<string, CelType>;

/** Takes `from` for `to`, one by one. The fillings stay as they were when one does not fit. */
export function unify(
  fillings: Map<string, CelType>,
  from: readonly CelType[],
  to: readonly CelType[],
): boolean {
  const before: [hole: string, filled: CelType | undefined][] = [];
  if (assignAll({ fillings, before }, from, to)) return true;
  for (const [hole, filled] of before.toReversed()) {
    if (filled === undefined) fillings.delete(hole);
    else fillings.set(hole, filled);
  }
  return false;
}

/** Puts the fillings in; what is still open becomes dyn, or stays open. */
export function fill(fillings: Fillings, type: CelType, openToDyn: boolean): CelType {
  if (type.kind === "param") {
    const filled = fillings.get(type.name);
    if (filled !== undefined) return fill(fillings, filled, openToDyn);
    return openToDyn ? dynType : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => fill(fillings, param, openToDyn)) };
}

/** The more general one of two types that fit each other. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  return isAsGeneral(a, b) ? a : b;
}

interface Attempt {
  readonly fillings: Map<string, CelType>;
  /** What the holes held that were filled, in the order of time. */
  readonly before: [hole: string, filled: CelType | undefined][];
}

function put({ fillings, before }: Attempt, hole: string, type: CelType): void {
  before.push([hole, fillings.get(hole)]);
  fillings.set(hole, type);
}

function assignAll(attempt: Attempt, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  return from.every((type, index) => {
    const target = to[index];
    return target !== undefined && assign(attempt, type, target);
  });
}

function assign(attempt: Attempt, from: CelType, to: CelType): boolean {
  if (to.kind === "param") {
    const result = substitute(attempt, from, to);
    if (result === "fits") return true;
    if (result === "taken") return false;
  }
  if (from.kind === "param") return substitute(attempt, to, from) === "fits";
  if (isWild(from) || isWild(to)) return true;
  if (from.kind === "null") return isNullable(to);
  if (to.kind === "null") return isNullable(from);
  if (from.kind !== to.kind) return false;
  if (from.kind === "type") return true;
  if (from.name !== to.name) return false;
  return assignAll(attempt, from.params, to.params);
}

/** "fits": the hole takes the type. "taken": it holds another. "cyclic": it would hold itself. */
function substitute(attempt: Attempt, type: CelType, hole: CelType): "fits" | "taken" | "cyclic" {
  if (sameType(type, hole)) return "fits";
  const filled = attempt.fillings.get(hole.name);
  if (filled !== undefined) {
    if (sameType(type, filled)) return "fits";
    if (!assign(attempt, type, filled)) return "taken";
    const wider = moreGeneral(type, filled);
    if (!mentions(attempt, wider, hole)) put(attempt, hole.name, wider);
    return "fits";
  }
  if (mentions(attempt, type, hole)) return "cyclic";
  put(attempt, hole.name, type);
  return "fits";
}

function mentions(attempt: Attempt, type: CelType, hole: CelType): boolean {
  if (sameType(type, hole)) return true;
  if (type.kind === "param") {
    const filled = attempt.fillings.get(type.name);
    return filled !== undefined && mentions(attempt, filled, hole);
  }
  return type.params.some((param) => mentions(attempt, param, hole));
}

function isWild(type: CelType): boolean {
  return type.kind === "error" || isDyn(type);
}

/** Null counts as a value of what may be absent, which is how messages came to CEL. */
function isNullable({ kind }: CelType): boolean {
  return (
    kind === "null" ||
    kind === "opaque" ||
    kind === "struct" ||
    kind === "duration" ||
    kind === "timestamp"
  );
}

function isAsGeneral(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind !== "list" && a.kind !== "map" && a.kind !== "opaque") {
    return formatType(a) === formatType(b);
  }
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isAsGeneral(param, b.params[index] ?? dynType))
  );
}
