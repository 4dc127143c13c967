// The cause that a write records: its user, the surface it came through, and its trace.
// Names of users come from certificates and tokens and may be longer than a store keeps, so they
// are cut here: a long name must not make a write fail.

import { isStorable } from "../../kernel/storable-text.ts";
import { isTraceId } from "../../kernel/trace-context.ts";
import { causeLimits } from "../../kernel/cause.ts";
import type { Cause } from "../../kernel/cause.ts";
import type { Caller } from "../request.ts";
import { withoutTrailing } from "../../kernel/trailing.ts";

const ellipsis = "…";

export function causeOf(caller: Caller): Cause {
  const { user, actor = user.name, surface, impersonator, traceId, correlationId } = caller;
  return {
    actor: bounded(actor, causeLimits.actorBytes),
    surface,
    ...(impersonator !== undefined && {
      impersonator: bounded(impersonator, causeLimits.actorBytes),
    }),
    ...(traceId !== undefined && isTraceId(traceId) && { traceId }),
    ...(correlationId !== undefined && {
      correlationId: bounded(correlationId, causeLimits.correlationBytes),
    }),
  };
}

/** A text that a store keeps: not empty, well-formed, and cut where it is too long. */
function bounded(text: string, maxBytes: number): string {
  if (text === "") return "unknown";
  const whole = isStorable(text) ? text : text.toWellFormed().replaceAll("\u0000", "\ufffd");
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const room = maxBytes - Buffer.byteLength(ellipsis);
  // A character that is cut in half is left out.
  const cut = withoutTrailing(Buffer.from(whole).subarray(0, room).toString("utf8"), "\ufffd");
  return `${cut}${ellipsis}`;
}
