// The priority of the threads for heavy work.

import { constants, platform, setPriority } from "node:os";

/**
 * The event loop goes first where processors are scarce. On Linux a thread has a priority of its
 * own; elsewhere the call would change that of the whole process. A thread calls this before it
 * loads its code, which takes a tenth of a second of processor time.
 */
export function yieldProcessor(): void {
  if (platform() === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
