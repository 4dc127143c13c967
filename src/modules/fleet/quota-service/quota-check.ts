// Asks a quota service during a request. A request must not wait long, so the service has two
// seconds. After several failures it is not asked for a while, and counts as unavailable.

import type { CallJson } from "../../../adapters/http/port.ts";
import { admitCall, newBreaker, reportCall } from "../../../engine/external/breaker.ts";
import type { Breaker, BreakerPolicy } from "../../../engine/external/breaker.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { Random } from "../../../kernel/random.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import type { Store } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import type { QuotaChecked } from "./choose-type.ts";
import { checkCall, readCheck } from "./protocol.ts";
import type { QuotaQuestion, QuotaSubject } from "./protocol.ts";
import { sendQuotaCall } from "./send.ts";
import { quotaServiceOf } from "./settings.ts";
import type { QuotaServiceSettings } from "./settings.ts";

export interface QuotaCheckPorts {
  readonly callJson: CallJson;
  readonly store: Pick<Store, "get">;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** Never throws for what the service does. */
export type CheckQuota = (
  offering: Offering,
  subject: Omit<QuotaSubject, "offering">,
) => Promise<QuotaChecked>;

/** Shorter than that of runs: a request is waiting. */
const policy: BreakerPolicy = {
  consecutiveFailures: 5,
  failureRate: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openFirstMs: 1_000,
  openMostMs: 30_000,
};

const unavailable: QuotaChecked = { kind: "unavailable" };

/** One for each process: it remembers which services fail. */
export function quotaChecks(ports: QuotaCheckPorts): CheckQuota {
  const { clock, random } = ports;
  /** By URL. */
  const breakers = new Map<string, Breaker>();
  return async (offering, subject) => {
    const service = quotaServiceOf(offering);
    const types = offering.types.filter(
      ({ quota, isEnabled }) => isEnabled && quota === "required",
    );
    if (types.length === 0) return { kind: "answered", types: new Map() };
    if (service === undefined) return unavailable;
    const breaker = breakers.get(service.url) ?? newBreaker(clock.nowMs());
    const admitted = admitCall(breaker, policy, clock.nowMs());
    if (admitted.kind === "refused") return unavailable;
    breakers.set(service.url, admitted.breaker);
    const question = { ...subject, offering: offering.name, types };
    const checked = await ask(ports, service, question);
    const now = breakers.get(service.url) ?? admitted.breaker;
    const report = {
      era: admitted.era,
      result: checked.kind === "unavailable" ? ("failure" as const) : ("success" as const),
      nowMs: clock.nowMs(),
      chance: random.next(),
    };
    breakers.set(service.url, reportCall(now, policy, report));
    return checked;
  };
}

async function ask(
  ports: QuotaCheckPorts,
  service: QuotaServiceSettings,
  question: QuotaQuestion,
): Promise<QuotaChecked> {
  const token = await tokenOf(ports, service);
  if (service.token !== undefined && token === undefined) return unavailable;
  const timeoutMs = Math.min(service.timeoutMs, fleetLimits.quotaAnswerMs);
  const answer = await sendQuotaCall(ports.callJson, checkCall(question), {
    service: { ...service, timeoutMs },
    token,
    signal: ports.stopping,
  });
  if (answer.kind === "failure") return unavailable;
  const types = readCheck(answer, question);
  return types === undefined ? unavailable : { kind: "answered", types };
}

async function tokenOf(
  { store }: QuotaCheckPorts,
  { token }: QuotaServiceSettings,
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const { namespace, name, key } = token;
  const record = await store.get({ kind: "secrets", namespace, name });
  const data = record && secretData(decodeDocument(record.body, record.revision));
  return data !== undefined && Object.hasOwn(data, key) ? data[key]?.trim() : undefined;
}
