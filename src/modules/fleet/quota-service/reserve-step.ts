// The step of an accepted instance that reserves its quota, before it is placed. The result is in
// status.quota, which a request that waits for it reads.

import { CallRefused } from "../../../engine/external/call-refused.ts";
import { ServiceFailed } from "../../../engine/external/call-service.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import { spanText } from "../../../kernel/span-text.ts";
import type { InstanceRun } from "../lifecycle/instance-run.ts";
import { quotaError } from "./choose-type.ts";
import { releaseQuota, reserveQuota } from "./instance-quota.ts";
import type { InstanceQuota, InstanceQuotaInput } from "./instance-quota.ts";

/** Undefined: the step is done, and the next one follows. */
export async function performReserve(run: InstanceRun): Promise<Outcome | undefined> {
  const quota = await reservedInTime(run);
  const at = timeText(run.nowMs);
  switch (quota.kind) {
    case "notNeeded":
      await run.record({ quota: { state: "notNeeded", at } });
      return undefined;
    case "reserved": {
      const { subscription } = quota;
      const known = subscription === "" ? {} : { subscription };
      await run.record({ quota: { state: "reserved", at, ...known } });
      return undefined;
    }
    case "refused": {
      const { code, message } = quota;
      await run.record({ quota: { state: "refused", at, code, message } });
      await run.fail(quotaError(quota).message);
      return undefined;
    }
    case "unavailable":
      await run.record({ quota: { state: "unavailable", at } });
      await run.fail(quota.message);
      return undefined;
    default:
      return quota satisfies never;
  }
}

/** Before the instance is removed. Throws the outcome of the run until it is done. */
export async function performRelease(run: InstanceRun): Promise<void> {
  await releaseQuota(inputOf(run));
}

type Tried = InstanceQuota | { readonly kind: "unavailable"; readonly message: string };

/** Fails after the time that the Offering gives to external systems. */
async function reservedInTime(run: InstanceRun): Promise<Tried> {
  try {
    return await reserveQuota(inputOf(run));
  } catch (error) {
    const isOutage = error instanceof ServiceFailed || error instanceof CallRefused;
    const limitMs = run.offering.timeouts.preparation;
    if (!isOutage || run.nowMs < run.instance.createdAtMs + limitMs) throw error;
    const message = `the quota service could not be asked for ${spanText(limitMs)}`;
    return { kind: "unavailable", message };
  }
}

function inputOf({ ports, offering, resource, context }: InstanceRun): InstanceQuotaInput {
  return { callJson: ports.callJson, offering, instance: resource, context };
}
