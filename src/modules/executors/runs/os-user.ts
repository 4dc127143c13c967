// The user of the operating system that runs a program. A server that runs as root gives each run a
// user of its own: programs of one run cannot read the environment, the memory or the files of
// another, and no process outlives its run. Any other server can only use its own user.

import { createHash } from "node:crypto";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { give } from "./run-folder.ts";
import type { OsUser } from "./run-folder.ts";

/** A user without rights on most systems, for containers that have no other users. */
const leastUser: OsUser = { uid: 65_534, gid: 65_534 };
/** Ids that distributions and container managers leave free. */
const firstOwnId = 1_879_048_192;
const ownIds = 268_000_000;

/** "own": a user of the run. Undefined: the user of the server. */
export type WantedUser = OsUser | "own" | undefined;

export function userFor(
  wanted: OsUser | undefined,
  ownUid = process.geteuid?.() ?? -1,
): WantedUser {
  if (ownUid === 0) return wanted ?? "own";
  if (wanted === undefined || wanted.uid === ownUid) return undefined;
  const message =
    `the ExecutorPolicy asks for the user ${wanted.uid}, which only a server that runs as root ` +
    "can use: leave out spec.runAs, or run the server as root";
  throw new ReconcileFailure(failed("UserUnavailable", message, { retry: "slow" }));
}

/** Names of runs are unique, and so are their users. */
export function ownUser(run: string): OsUser {
  const digest = createHash("sha256").update(run).digest();
  const id = firstOwnId + (digest.readUInt32BE(0) % ownIds);
  return { uid: id, gid: id, isOwn: true };
}

/** Gives the folder to the user of the run, and returns that user. */
export async function giveToUser(
  folder: string,
  run: string,
  wanted: WantedUser,
): Promise<OsUser | undefined> {
  const user = wanted === "own" ? ownUser(run) : wanted;
  try {
    await give(folder, user);
    return user;
  } catch (error) {
    // A user namespace maps few users.
    const isUnmapped = error instanceof Error && "code" in error && error.code === "EINVAL";
    if (wanted !== "own" || !isUnmapped) throw error;
    await give(folder, leastUser);
    return leastUser;
  }
}
