// The user of the operating system that runs a program. A server that runs as root uses another
// user; any other server can only use its own.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { OsUser } from "./run-folder.ts";

/** A user without rights on most systems. */
const leastUser: OsUser = { uid: 65_534, gid: 65_534 };

/** Undefined: the user of the server. */
export function userFor(
  wanted: OsUser | undefined,
  ownUid = process.geteuid?.() ?? -1,
): OsUser | undefined {
  if (ownUid === 0) return wanted ?? leastUser;
  if (wanted === undefined || wanted.uid === ownUid) return undefined;
  const message =
    `the ExecutorPolicy asks for the user ${wanted.uid}, which only a server that runs as root ` +
    "can use: leave out spec.runAs, or run the server as root";
  throw new ReconcileFailure(failed("UserUnavailable", message, { retry: "slow" }));
}
