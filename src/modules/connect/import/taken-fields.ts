// Which fields a request takes, as the topmost pointers below which it takes everything. A request
// that takes all that may be written needs no list. Lists and maps are taken whole: what is in them
// cannot be sent apart.

import type { Field, Side } from "../fields/field-table.ts";
import { sides } from "../fields/field-table.ts";
import type { Described, Write } from "./describe.ts";

/** Undefined when it takes all. */
export function takenFields(write: Write, described: Described): readonly string[] | undefined {
  const { classified, listed } = described;
  const side = sideOf(write, described);
  const children = new Map<string, Field[]>();
  for (const field of classified.table.values()) {
    if (!isWritable(field, described)) continue;
    const above = field.parent?.path ?? "";
    const known = children.get(above);
    if (known === undefined) children.set(above, [field]);
    else known.push(field);
  }
  const isListed = (field: Field): boolean =>
    side !== "replace" ||
    listed === undefined ||
    field.level > 0 ||
    listed.has(field.path.slice(1));
  const taken: string[] = [];
  /** True when everything below was taken. */
  const visit = (field: Field): boolean => {
    if (field.at[side] === undefined || !isListed(field)) return false;
    const start = taken.length;
    const below = children.get(field.path) ?? [];
    const isFree = below.some(({ path }) => path === `${field.path}/*`);
    const whole = isFree || below.map(visit).every((isTaken) => isTaken);
    if (whole) taken.length = start;
    if (whole) taken.push(field.path);
    return whole;
  };
  const top = children.get("") ?? [];
  const isAll = top.map(visit).every((isTaken) => isTaken);
  return isAll ? undefined : taken;
}

function sideOf(write: Write, { create, replace, patch }: Described): Side {
  if (write === patch) return "patch";
  if (write === replace) return "replace";
  return write === create ? "create" : "replace";
}

function isWritable(field: Field, { classified }: Described): boolean {
  const isWritten = sides.some((side) => side !== "read" && field.at[side] !== undefined);
  return isWritten && classified.judgements.get(field.path)?.class !== "read-only";
}
