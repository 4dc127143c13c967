// Revisions as text. A revision is one number for the whole store, strictly increasing; clients
// see it as a decimal text without sign or leading zero, so that one revision has one text. It
// stays a safe integer: at a million writes per second that lasts for 285 years.

import { assert } from "./assert.ts";
import { SetpointError } from "./errors.ts";

export function parseRevision(text: string): number {
  const revision = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(revision)) return revision;
  throw new SetpointError("request.invalid", "a resource version is not an integer", {
    details: { resourceVersion: text.slice(0, 100) },
    suggestion: "use a resourceVersion exactly as it was returned",
  });
}

export function formatRevision(revision: number): string {
  assert(Number.isSafeInteger(revision) && revision >= 0, "a revision is a safe integer");
  return String(revision);
}
