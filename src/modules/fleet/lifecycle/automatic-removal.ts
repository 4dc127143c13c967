// Removes an instance without a request: its lifespan or time of grace has ended. A mistake in a
// list of denied users must not remove a fleet, so the removals of an hour are bounded. The record
// of the deletion is written first and holds a unit of a counter for an hour. A commit that would
// exceed the bound of the Offering is refused, on any number of servers. An instance that an
// administrator has protected from deletion is not removed either.

import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor } from "../../../intents/bootstrap.ts";
import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { timeText } from "../../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { isTrueAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { fleetMetric } from "../metrics.ts";
import { deletedInstancesKind, removalsCounter } from "../names.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { recordDeletion } from "./deleted-instance.ts";
import type { InstanceRun } from "./instance-run.ts";

/** How long an automatic removal counts. */
export const removalWindowMs = 3_600_000;
/** Until a held removal is tried again. */
export const heldRetryMs = 300_000;

/** Undefined: the removal is held, and the other steps of the instance continue. */
export async function requestRemoval(
  run: InstanceRun,
  reason: string,
  isBounded: boolean,
): Promise<Outcome | undefined> {
  const { context, ports, offering, instance } = run;
  const protection = run.resource.metadata.annotations?.[annotations.protected] ?? "false";
  if (protection !== "false") {
    await hold(run, "Protected", `${reason}; the annotation ${annotations.protected} forbids it`);
    return undefined;
  }
  try {
    const removalAt = timeText(run.nowMs);
    const record = { isAutomatic: isBounded, removalAt, reason };
    if (!(await recordDeletion(run, record))) {
      const message = `the namespace ${instance.namespace} is being deleted`;
      return again(heldRetryMs, { reason: "NamespaceDeleted", message });
    }
  } catch (error) {
    if (!isSetpointError(error, "fleet.removals_held")) throw error;
    await hold(run, "TooManyRemovals", `${reason}; ${error.message}`);
    return undefined;
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

async function hold(run: InstanceRun, reason: string, message: string): Promise<void> {
  run.isRemovalHeld = true;
  run.context.metrics.count(fleetMetric.removalsHeld, { offering: run.offering.name });
  run.context.event("Warning", heldCondition, message);
  await run.condition(heldCondition, { status: "True", reason, message });
}

/** For an instance that is not removed any more. */
export async function releaseHold(run: InstanceRun): Promise<void> {
  const conditions = objectsAt(run.resource, "status", "conditions");
  const isHeld = conditions.some(
    (each) => textAt(each, "type") === heldCondition && textAt(each, "status") === "True",
  );
  if (!isHeld || run.isRemovalHeld) return;
  const message = "the instance is not to be removed";
  await run.condition(heldCondition, { status: "False", reason: "NotNeeded", message });
}

/** The condition of an instance whose removal must wait. */
const heldCondition = "RemovalHeld";

/** The counter of automatic removals, which the Offering bounds: see offering-guard.ts. */
export const removalGuard: AdmissionPlugin = {
  name: "FleetRemovals",
  countsUpdates: true,
  uses: ({ target, object }) => {
    if (target.served.id !== deletedInstancesKind || object === undefined) return undefined;
    const counter = removalsCounter(textAt(object.spec, "offering"));
    return isTrueAt(object.spec, "isAutomatic") ? [{ counter, amount: 1 }] : [];
  },
  refusal: ({ target, object }, fault) => {
    if (target.served.id !== deletedInstancesKind || !("max" in fault)) return undefined;
    if (fault.counter !== removalsCounter(textAt(object?.spec, "offering"))) return undefined;
    const message = `${fault.max} instances were removed without a request within an hour`;
    return new SetpointError("fleet.removals_held", message, {
      suggestion: "check spec.access and the Organisations, or raise spec.suspension",
    });
  },
};
