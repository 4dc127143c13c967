// Removes an instance without a request: its lifespan or time of grace has ended. A mistake in a
// list of denied users must not remove a fleet, so the removals of an hour are bounded. The record
// of the deletion is written first and holds a unit of a counter for an hour. A commit that would
// exceed the bound of the Offering is refused, on any number of servers.

import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor } from "../../../intents/bootstrap.ts";
import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { timeText } from "../../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import { deletedInstancesKind, removalsCounter } from "../names.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { recordDeletion } from "./deleted-instance.ts";
import type { InstanceRun } from "./instance-run.ts";

/** How long an automatic removal counts. */
export const removalWindowMs = 3_600_000;
/** Until a held removal is tried again. */
const heldRetryMs = 300_000;

export async function requestRemoval(run: InstanceRun, reason: string): Promise<Outcome> {
  const { context, ports, offering, instance } = run;
  try {
    await recordDeletion(run, { isAutomatic: true, removalAt: timeText(run.nowMs), reason });
  } catch (error) {
    if (!isSetpointError(error, "fleet.removals_held")) throw error;
    context.metrics.count("fleet_manager_removals_held_total", { offering: offering.name });
    const message = `${reason}; ${error.message}`;
    context.event("Warning", "RemovalHeld", message);
    return again(heldRetryMs, { reason: "RemovalHeld", message, ready: "keep" });
  }
  context.event("Normal", "RemovalRequested", reason);
  const { namespace, name, uid } = instance;
  const served = ports.intents.kinds.byId(instanceKindId(offering));
  if (served === undefined) throw new Error("the kind of a run is served");
  await fencedWrite(context, async ({ claim, cause }) => {
    return await deleteResource(ports.intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { isDryRun: false, propagation: undefined, preconditions: { uid }, raw: {}, claim },
    });
  });
  context.log.info({ instance: instance.id, reason }, "instance removed without a request");
  return again(0, { reason: "RemovalRequested", message: reason });
}

/** The counter of automatic removals, which the Offering bounds: see offering-guard.ts. */
export const removalGuard: AdmissionPlugin = {
  name: "FleetRemovals",
  countsUpdates: true,
  uses: ({ target, object }) => {
    if (target.served.id !== deletedInstancesKind || object === undefined) return undefined;
    const counter = removalsCounter(textAt(object.spec, "offering"));
    return isTrueAt(object.spec, "isAutomatic") ? [{ counter, amount: 1 }] : [];
  },
  refusal: ({ target }, fault) => {
    if (target.served.id !== deletedInstancesKind || !("max" in fault)) return undefined;
    const message = `${fault.max} instances were removed without a request within an hour`;
    return new SetpointError("fleet.removals_held", message, {
      suggestion: "check spec.access and the Organisations, or raise spec.suspension",
    });
  },
};
