// Removes an instance whose deletion was requested: first what agents have, then its preparations,
// then its quota, then the record of the deletion. Each dependency is released once, and the
// instance stays visible until all of them are.

import { again, done, waiting } from "../../../engine/outcome.ts";
import type { Blocker, Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isTrueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { forceDeleteAnnotation, managedInstanceKey } from "../names.ts";
import { performRelease } from "../quota-service/reserve-step.ts";
import { askHook, delayed } from "./ask-hook.ts";
import { recordDeletion } from "./deleted-instance.ts";
import type { InstanceRun } from "./instance-run.ts";
import { belongsTo, deleteManaged } from "./managed.ts";
import { isEnding } from "./phases.ts";
import { unprepare } from "./prepare.ts";
import { preparationKinds } from "./prepared-children.ts";

/** Until the deletion of preparations is looked at again, should no change wake the instance. */
const lookAgainMs = 5_000;

export async function removeInstance(run: InstanceRun): Promise<Outcome> {
  if (!isEnding(run.instance.phase)) await run.move("deprovision");
  const held = await removeFromClusters(run);
  if (held.length > 0) {
    const clusters = held.join(", ");
    const blockers = held.map((cluster): Blocker => {
      const { kind, namespace, name } = managedInstanceKey(cluster, run.instance.id);
      return { kind, namespace, name, isThere: true };
    });
    const message = `the agent of cluster ${clusters} has not reported the instance as deleted`;
    return waiting(blockers, { message });
  }
  if (run.instance.phase !== "deleting") await run.move("deleting");
  const left = await unprepare(run.context, preparationKinds(run));
  // A forced deletion does not wait: the deletion of the preparations continues by itself.
  if (left.length > 0 && !run.instance.isForced) return stillPrepared(left);
  const answer = await askHook(run, "remove");
  const isHeld = answer?.kind === "wait" || answer?.kind === "broken";
  if (isHeld && !run.instance.isForced) return delayed(answer);
  await performRelease(run);
  // An instance of a probe is not restored and not reported, and there are many of them.
  if (!isTrueAt(run.resource.spec, "isInternal")) {
    await recordDeletion(run, { deletedAt: timeText(run.nowMs) });
  }
  return done();
}

/** The clusters on which the instance still exists. */
async function removeFromClusters(run: InstanceRun): Promise<readonly string[]> {
  const { instance, context, ports, resource } = run;
  const { placement, leaving, id } = instance;
  const clusters = new Set([...(placement === undefined ? [] : [placement.cluster]), ...leaving]);
  const force = resource.metadata.annotations?.[forceDeleteAnnotation] || undefined;
  const held: string[] = [];
  for (const cluster of clusters) {
    const key = managedInstanceKey(cluster, id);
    const managed = await context.references.get(key);
    if (managed === undefined || !belongsTo(managed, instance)) continue;
    const isRequested = managed.metadata.deletionTimestamp !== undefined;
    if (!isRequested || force !== undefined) {
      await deleteManaged(ports, context, { cluster, id, force });
    }
    const left = await context.references.get(key);
    if (left !== undefined && belongsTo(left, instance)) held.push(cluster);
  }
  return held;
}

function stillPrepared(left: readonly Resource[]): Outcome {
  const names = left.slice(0, 5).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const message = `waiting for the deletion of ${names.join(", ")}`;
  return again(lookAgainMs, { reason: "ReleasingDependencies", message });
}
