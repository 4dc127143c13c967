/** How far a secondary is behind: in revisions, and since when the next one waits. */
import type { Store } from "../../store/port.ts";
import type { ReplicatedStore, Standing } from "../../store/replication.ts";

export interface Lag {
  readonly primary: Standing;
  readonly revisions: number;
  /** How long ago the primary committed the first change that the secondary lacks. */
  readonly behindMs: number;
}

export async function readLag(
  primary: Pick<ReplicatedStore, "replication"> & Pick<Store, "changes">,
  { at: { revision } }: Standing,
  nowMs: number,
): Promise<Lag> {
  const standing = await primary.replication.standing();
  const revisions = Math.max(0, standing.at.revision - revision);
  if (revisions === 0) return { primary: standing, revisions, behindMs: 0 };
  const { changes } = await primary.changes(revision, 1);
  const behindMs = Math.max(0, nowMs - (changes[0]?.atMs ?? nowMs));
  return { primary: standing, revisions, behindMs };
}
