// Sends one request to a quota service.

import type { CallJson, HttpFailure, JsonAnswer } from "../../../adapters/http/port.ts";
import { fleetLimits } from "../limits.ts";
import type { QuotaCall } from "./protocol.ts";
import type { QuotaServiceSettings } from "./settings.ts";

export interface SendInput {
  readonly service: Pick<QuotaServiceSettings, "url" | "timeoutMs">;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

export async function sendQuotaCall(
  callJson: CallJson,
  { method, path, body }: QuotaCall,
  { service, token, signal }: SendInput,
): Promise<JsonAnswer | HttpFailure> {
  return await callJson({
    method,
    url: new URL(`${service.url}${path}`),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
    timeoutMs: service.timeoutMs,
    maxBytes: fleetLimits.maxQuotaAnswerBytes,
    signal,
  });
}
