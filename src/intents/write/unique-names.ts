// The unique names of a write: those that the caller gives, and those of admission plugins.

import type { UniqueName } from "../../store/port.ts";
import type { WriteOptions } from "../request.ts";

/** Undefined leaves the names that the resource holds as they are. */
export function namesOf(
  { names: given }: Pick<WriteOptions, "names">,
  added: readonly UniqueName[] | undefined,
): readonly UniqueName[] | undefined {
  if (given === undefined || added === undefined) return given ?? added;
  return [...given, ...added];
}
