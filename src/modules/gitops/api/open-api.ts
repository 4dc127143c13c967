/** The routes of the module. A diff needs the parts that a sync needs. */
import type { GitOpsPart } from "../part.ts";
import type { SyncInput } from "../sync/sync-input.ts";

export function openApi(_input: SyncInput): GitOpsPart {
  return {};
}
