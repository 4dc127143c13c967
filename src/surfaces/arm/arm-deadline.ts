// Every request is answered within a minute, as the Resource Manager wants it, whatever the code of
// a face or the store is doing. What is still under way then goes on: whether a write took effect
// is not known, which is what the answer says.

import type { Timers } from "../../kernel/timers.ts";
import { armRefusal } from "./arm-error.ts";

/** The Resource Manager gives up after 60 s; the answer has to travel, too. */
export const answerWithinMs = 55_000;

/** What is thrown after the time is over is handed to `late`, since nobody waits for it then. */
export async function withinDeadline<T>(
  timers: Timers,
  work: Promise<T>,
  late: (error: unknown) => void,
): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const cancel = timers.after(answerWithinMs, () => {
    isOver = true;
    reject(tooLate());
  });
  work.catch((error: unknown) => {
    if (isOver) late(error);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
}

function tooLate(): Error {
  const message =
    `The request was not answered within ${answerWithinMs / 1_000} seconds. ` +
    "Whether it took effect is not known: ask for the resource.";
  return armRefusal(504, { code: "GatewayTimeout", message });
}
