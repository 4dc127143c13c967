// Sends the request that verifies an instance of a Probe.

import type { HttpClient, OpenHttp } from "../../../adapters/http/port.ts";
import { fleetLimits } from "../limits.ts";
import type { Verdict, Verification } from "./probe.ts";

export interface VerifyInput {
  readonly verify: Verification;
  readonly host: string;
  readonly signal: AbortSignal;
}

/** Never throws for what the instance does. */
export async function verifyInstance(openHttp: OpenHttp, input: VerifyInput): Promise<Verdict> {
  const { verify, host, signal } = input;
  const url = URL.parse(verify.url.replaceAll("${host}", host));
  if (url === null) return failure("the URL of the verification is not valid for the host");
  const tls = verify.ca === undefined ? {} : { tls: { ca: verify.ca, isPublicTrusted: true } };
  // The instance is new with each run, so that no connection to it is worth keeping.
  using client: HttpClient = openHttp(tls);
  const answer = await client.send({
    place: { kind: "origin", origin: url.origin },
    method: "GET",
    target: `${url.pathname}${url.search}`,
    headers: { "user-agent": "setpoint-probe" },
    timeouts: { totalMs: verify.timeoutMs },
    maxBytes: fleetLimits.maxProbeAnswerBytes,
    signal,
  });
  if (answer.kind === "failure") return failure(`GET ${url.href}: ${answer.message}`);
  if (answer.status === verify.status) return { result: "success", reason: "" };
  return failure(`GET ${url.href}: status ${answer.status}, and ${verify.status} was expected`);
}

function failure(reason: string): Verdict {
  return { result: "failure", reason };
}
