// Broken invariants end the operation loudly: they are bugs, not operational errors, so they are
// AssertionErrors and never SetpointErrors. One function, so that the message is always given.

import { AssertionError } from "node:assert";

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError({ message, stackStartFn: assert });
}
