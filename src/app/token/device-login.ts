// The device grant (RFC 8628): a person opens a page on any device, enters a code and logs in,
// while this command polls. The issuer decides how often: `slow_down` adds five seconds, and after
// a failed connection the pause doubles. Polling ends with the code.
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Timers } from "../../kernel/timers.ts";
import { printable } from "./issuer-client.ts";
import type { Answer, Issuer, IssuerClient } from "./issuer-client.ts";
import { formOf, purposeOf, refusedBy, tokensOf } from "./token-grant.ts";
import type { TokenClient, Tokens } from "./token-grant.ts";

export interface DeviceLogin {
  readonly issuer: Issuer;
  readonly client: TokenClient;
  readonly requests: Pick<IssuerClient, "post">;
  readonly clock: Clock;
  readonly timers: Timers;
  /** One line for the person. */
  readonly show: (line: string) => void;
}

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const defaultIntervalSeconds = 5;
const slowDownMs = 5_000;
/** Whatever an issuer asks for, the person does not wait longer than this between two polls, */
const maxIntervalMs = 60_000;
/** and does not wait longer than this for the code to expire. */
const maxLoginMs = 3_600_000;

export async function deviceLogin(login: DeviceLogin): Promise<Tokens> {
  const { issuer, client, clock, timers, requests } = login;
  const code = await requestCode(login);
  let intervalMs = code.intervalMs;
  for (;;) {
    await timers.sleep(intervalMs);
    if (clock.nowMs() >= code.expiresAtMs) throw refusedBy(expired);
    const grant = { grant_type: grantType, device_code: code.deviceCode };
    const answer = await postPatiently(() =>
      requests.post(issuer.tokenEndpoint, formOf(issuer, client, grant)),
    );
    const next = nextInterval(answer, intervalMs);
    if (next === undefined) return tokensOf(answer as Answer, clock.nowMs());
    intervalMs = next;
  }
}

/** Undefined when polling ends: with tokens, or with a refusal that is final. */
export function nextInterval(
  answer: Answer | "unreachable",
  intervalMs: number,
): number | undefined {
  if (answer === "unreachable") return Math.min(intervalMs * 2, maxIntervalMs);
  if (answer.kind === "ok") return undefined;
  if (answer.error === "authorization_pending") return intervalMs;
  if (answer.error === "slow_down") return Math.min(intervalMs + slowDownMs, maxIntervalMs);
  return undefined;
}

const expired = { kind: "refused", error: "expired_token", description: "" } as const;

interface DeviceCode {
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly expiresAtMs: number;
}

async function requestCode({
  issuer,
  client,
  requests,
  clock,
  show,
}: DeviceLogin): Promise<DeviceCode> {
  if (issuer.deviceEndpoint === undefined) {
    throw new SetpointError("config.invalid", `${issuer.url} does not offer the device grant`, {
      suggestion: "enable the device grant in the issuer, or use --client-secret-file",
    });
  }
  const startedAtMs = clock.nowMs();
  const answer = await requests.post(
    issuer.deviceEndpoint,
    formOf(issuer, client, purposeOf(client)),
  );
  if (answer.kind === "refused") throw refusedBy(answer);
  const { document } = answer;
  const [deviceCode, userCode] = [textAt(document, "device_code"), textAt(document, "user_code")];
  const page = textAt(document, "verification_uri");
  if ([deviceCode, userCode, page].includes("")) {
    throw new SetpointError("server.unreachable", `${issuer.url} did not return a device code`);
  }
  show(`Open ${printable(page)} and enter the code ${printable(userCode)}`);
  const complete = textAt(document, "verification_uri_complete");
  if (complete !== "") show(`or open ${printable(complete)}`);
  return {
    deviceCode,
    intervalMs: Math.min(secondsAt(document, "interval", defaultIntervalSeconds), maxIntervalMs),
    expiresAtMs: startedAtMs + Math.min(secondsAt(document, "expires_in", 600), maxLoginMs),
  };
}

/** In milliseconds; what is absent or not positive is the default. */
function secondsAt(document: JsonObject, field: string, fallback: number): number {
  const seconds = numberAt(document, field) ?? fallback;
  return (seconds > 0 ? seconds : fallback) * 1_000;
}

/** A connection that fails once does not end a login that a person has begun. */
async function postPatiently(send: () => Promise<Answer>): Promise<Answer | "unreachable"> {
  try {
    return await send();
  } catch (error) {
    if (isSetpointError(error, "server.unreachable")) return "unreachable";
    throw error;
  }
}
