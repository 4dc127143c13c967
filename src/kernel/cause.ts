// Why a change happened: who wrote it, through which surface, and as part of which trace. Every
// change of the log records its cause, so that an audit record of a write is derived from the
// commit itself and cannot be missing. Changes of releases before this one have none.

import { textFault } from "./storable-text.ts";
import { isTraceId } from "./trace-context.ts";

export interface Cause {
  /** The user name of the caller, such as `jane` or `system:setpoint:engine`. */
  readonly actor: string;
  /** Where the write came in: `kube`, `arm`, `rest`, `engine`, `system`, ... */
  readonly surface: string;
  /** The user who was authenticated, where `actor` is impersonated. */
  readonly impersonator?: string;
  /** 32 hexadecimal digits, as in W3C Trace Context. */
  readonly traceId?: string;
  /** The caller's own name for the request: Audit-ID, x-ms-correlation-request-id, ... */
  readonly correlationId?: string;
}

/** Of what the server writes for itself, without a request. */
export const systemCause: Cause = { actor: "system:setpoint", surface: "system" };

/** In UTF-8 bytes. */
export const causeLimits = { actorBytes: 512, surfaceBytes: 64, correlationBytes: 128 } as const;

/** Which part of a cause is not valid, and why; undefined when all are. */
export function causeFault(cause: Cause): readonly [part: keyof Cause, why: string] | undefined {
  const { actor, surface, impersonator, traceId, correlationId } = cause;
  const ofActor = textFault(actor, causeLimits.actorBytes);
  if (ofActor !== undefined) return ["actor", ofActor];
  const ofSurface = textFault(surface, causeLimits.surfaceBytes);
  if (ofSurface !== undefined) return ["surface", ofSurface];
  if (traceId !== undefined && !isTraceId(traceId)) {
    return ["traceId", "must be 32 lower-case hexadecimal digits, not all zero"];
  }
  if (correlationId !== undefined) {
    const why = textFault(correlationId, causeLimits.correlationBytes);
    if (why !== undefined) return ["correlationId", why];
  }
  if (impersonator === undefined) return undefined;
  const why = textFault(impersonator, causeLimits.actorBytes);
  return why === undefined ? undefined : ["impersonator", why];
}
