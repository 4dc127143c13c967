// The memory for a stored document that a request changes. A small request can concern a large
// document, and its copies are in memory from the moment at which it is read. So memory for it is
// taken before, in proportion to its size, and a request that has to wait reads it again later.

import { limits } from "../../kernel/limits.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { Caller } from "../request.ts";

/** Undefined if the memory is held. Throws, or rejects with, request.overloaded. */
export function documentMemory(
  caller: Pick<Caller, "reserveDocument">,
  { body }: Pick<StoredRecord, "body">,
): Promise<void> | undefined {
  if (body.length < limits.minSlicedBytes) return undefined;
  return caller.reserveDocument?.(body.length);
}
