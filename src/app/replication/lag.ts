/** How far a secondary is behind: in revisions, and since when the next one waits. */
import type { Standing } from "../../store/replication.ts";
import type { PrimaryStore } from "./http-primary.ts";

export interface Lag {
  readonly primary: Standing;
  readonly revisions: number;
  /** How long ago the primary committed the first change that the secondary lacks; by its clock. */
  readonly behindMs: number;
}

export async function readLag(
  { replication }: Pick<PrimaryStore, "replication">,
  { at }: Standing,
): Promise<Lag> {
  const primary = await replication.standing();
  const revisions = Math.max(0, primary.at.revision - at.revision);
  if (revisions === 0) return { primary, revisions, behindMs: 0 };
  const { rows, atMs } = await replication.ship(at);
  const first = rows.find((row) => row.row === "change");
  return { primary, revisions, behindMs: Math.max(0, atMs - (first?.atMs ?? atMs)) };
}
