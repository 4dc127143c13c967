// Reconciles the records of deleted instances: an automatic removal stops counting after an hour,
// and a record is deleted when the Offering does not keep it any longer.

import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import { updateResource } from "../../../intents/write/update.ts";
import type { Intents } from "../../../intents/request.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetState } from "../fleet-state.ts";
import { deletedInstancesKind } from "../names.ts";
import { removalWindowMs } from "./automatic-removal.ts";
import { deletedTarget, forgetDeletion } from "./deleted-instance.ts";

export interface RetentionPorts {
  readonly intents: Intents;
  readonly state: Pick<FleetState, "offerings">;
}

/** Where the Offering does not exist any more. */
const defaultRetentionMs = 7 * 86_400_000;

export function retentionReconciler(ports: RetentionPorts): Reconciler {
  return {
    kind: deletedInstancesKind,
    ownsStatus: true,
    reconcile: async (resource, context) => await keep(ports, resource, context),
  };
}

async function keep(ports: RetentionPorts, resource: Resource, context: Context): Promise<Outcome> {
  const { spec, metadata } = resource;
  if (metadata.deletionTimestamp !== undefined) return done();
  const nowMs = context.clock.nowMs();
  const countsUntilMs = Date.parse(textAt(spec, "removalAt")) + removalWindowMs;
  const isCounted = isTrueAt(spec, "isAutomatic") && countsUntilMs > nowMs;
  if (isTrueAt(spec, "isAutomatic") && !isCounted) await stopCounting(ports, resource, context);
  const offering = ports.state.offerings.byName(textAt(spec, "offering"));
  const deletedAtMs = Date.parse(textAt(spec, "deletedAt"));
  const untilMs = deletedAtMs + (offering?.retentionMs ?? defaultRetentionMs);
  if (untilMs <= nowMs) {
    await forgetDeletion(ports.intents, context, resource);
    return done();
  }
  const times = [untilMs, isCounted ? countsUntilMs : Number.NaN].filter((at) => !Number.isNaN(at));
  // A record without a time is completed when its instance is removed, which wakes it.
  if (times.length === 0) return done();
  return again(Math.max(0, Math.min(...times) - nowMs));
}

async function stopCounting(
  { intents }: RetentionPorts,
  { metadata }: Resource,
  context: Context,
): Promise<void> {
  const { namespace = "", name } = metadata;
  await fencedWrite(context, async ({ claim, cause }) => {
    return await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: deletedTarget(intents, namespace, name),
      options: { ...systemOptions, claim },
      optionsKind: "PatchOptions",
      change: (old) => ({
        wanted: { ...old, spec: { ...objectAt(old, "spec"), isAutomatic: false } },
      }),
      allowsBlind: true,
    });
  });
}
