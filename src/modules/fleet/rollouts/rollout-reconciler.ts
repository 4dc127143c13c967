// Reconciles Rollouts. Each turn of the loop reads the instances, decides (decide.ts), performs one
// step and records it. A run may stop anywhere: what was done is in the instances themselves.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { Operator } from "../clusters/cluster.ts";
import { fleetLimits } from "../limits.ts";
import { rolloutEndedAnnotation, rolloutsKind } from "../names.ts";
import { changeInstance } from "./change-versions.ts";
import { decideRollout, isRollingBack } from "./decide.ts";
import type { Move, Rest } from "./decide.ts";
import { memberTest } from "./member.ts";
import type { Member } from "./member.ts";
import { hasEnded, movedRollout } from "./phases.ts";
import { readRollout } from "./rollout.ts";
import type { Rollout } from "./rollout.ts";
import { rolloutStatus } from "./rollout-status.ts";
import { survey } from "./survey.ts";
import type { Survey } from "./survey.ts";

export interface RolloutPorts {
  /** With policies: a policy may forbid changes, for example at certain times. */
  readonly intents: Intents;
  /** The instances of an Offering; undefined for an unknown Offering. */
  readonly membersOf: (offering: string) => Promise<readonly Member[]> | undefined;
  readonly operatorsOf: (cluster: string) => readonly Operator[] | undefined;
}

export function rolloutReconciler(ports: RolloutPorts): Reconciler {
  return {
    kind: rolloutsKind,
    reconcile: async (resource, context) => await runRollout({ ports, resource, context }),
  };
}

interface RolloutRun {
  readonly ports: RolloutPorts;
  readonly resource: Resource;
  readonly context: Context;
}

async function runRollout(run: RolloutRun): Promise<Outcome> {
  const { resource, context } = run;
  let rollout = readRollout(resource);
  if (hasEnded(rollout.progress.phase)) {
    await releaseScope(run);
    return done({ ready: "keep" });
  }
  let history = objectsAt(resource.status, "history");
  const refused = new Map<string, string>();
  for (let steps = 0; steps < fleetLimits.maxRolloutSteps; steps += 1) {
    const seen = await look(run, rollout, refused);
    if (seen === undefined) return offeringMissing(rollout);
    const step = decideRollout({ rollout, survey: seen, nowMs: context.clock.nowMs() });
    if (step.kind === "rest") return await rest(run, rollout, seen, { step, refused });
    if (step.kind === "move") {
      history = withEntry(history, step, context.clock.nowMs());
      rollout = await record(run, rollout, step, { ...statusOf(run, rollout, seen), history });
      continue;
    }
    await changeAll(run, rollout, step.members, refused);
  }
  return again(1, { reason: "Progressing", message: "more steps are to be done" });
}

/** Undefined when the Offering does not exist. */
async function look(
  { ports, context }: RolloutRun,
  rollout: Rollout,
  refused: ReadonlyMap<string, string>,
): Promise<Survey | undefined> {
  const all = await ports.membersOf(rollout.offering);
  if (all === undefined) return undefined;
  return survey({
    rollout,
    members: all.filter(memberTest(rollout)),
    isRollback: isRollingBack(rollout),
    operatorsOf: askedOnce(ports.operatorsOf),
    refusalOf: ({ key }) => refused.get(keyText(key)),
    nowMs: context.clock.nowMs(),
  });
}

/** Many instances are on the same cluster. */
function askedOnce(ask: RolloutPorts["operatorsOf"]): RolloutPorts["operatorsOf"] {
  const known = new Map<string, readonly Operator[] | undefined>();
  return (cluster) => {
    if (!known.has(cluster)) known.set(cluster, ask(cluster));
    return known.get(cluster);
  };
}

async function changeAll(
  { ports, context }: RolloutRun,
  rollout: Rollout,
  members: readonly Member[],
  refused: Map<string, string>,
): Promise<void> {
  const input = {
    rollout,
    isRollback: isRollingBack(rollout),
    operatorsOf: ports.operatorsOf,
    refusalOf: () => undefined,
    nowMs: context.clock.nowMs(),
  };
  // Commits that arrive together share one flush.
  const changes = members.map(async ({ key }) => {
    const refusal = await changeInstance(ports.intents, context, key, input);
    if (refusal === undefined) return;
    refused.set(keyText(key), shortText(`refused: ${refusal}`, 500));
    context.event("Warning", "ChangeRefused", shortText(`${key.name}: ${refusal}`, 500));
  });
  for (const change of await Promise.allSettled(changes)) {
    if (change.status === "rejected") throw change.reason;
  }
  const names = members.map(({ id }) => id);
  context.log.info({ rollout: rollout.name, instances: names }, "versions of instances changed");
}

function statusOf({ resource, context }: RolloutRun, rollout: Rollout, seen: Survey): JsonObject {
  const startedAt = textAt(resource.status, "startedAt") || timeText(context.clock.nowMs());
  return { ...rolloutStatus(rollout, seen), startedAt };
}

/** Stores what a move changes, and returns the Rollout as it is now. */
async function record(
  { context }: RolloutRun,
  rollout: Rollout,
  move: Move,
  status: JsonObject,
): Promise<Rollout> {
  const phase = movedRollout(rollout.progress.phase, move.phase);
  const { wave, waveDoneAtMs, pausedGeneration, event, message } = move;
  await context.status.patch({
    ...status,
    phase,
    wave,
    waveDoneAt: waveDoneAtMs === undefined ? null : timeText(waveDoneAtMs),
    pausedGeneration: pausedGeneration ?? null,
    ...(hasEnded(phase) ? { endedAt: timeText(context.clock.nowMs()) } : {}),
  });
  const type = warnings.has(event) ? "Warning" : "Normal";
  context.event(type, event, message);
  context.log.info({ rollout: rollout.name, phase, wave, event }, "Rollout moved");
  return { ...rollout, progress: { phase, wave, waveDoneAtMs, pausedGeneration } };
}

const warnings: ReadonlySet<string> = new Set(["GateFailed", "RollbackStarted"]);

function withEntry(
  history: readonly JsonObject[],
  { event, message }: Move,
  nowMs: number,
): readonly JsonObject[] {
  const entry = { at: timeText(nowMs), event, message: shortText(message, 1_024) };
  return [...history, entry].slice(-fleetLimits.maxRolloutHistory);
}

interface Resting {
  readonly step: Rest;
  readonly refused: ReadonlyMap<string, string>;
}

async function rest(
  run: RolloutRun,
  rollout: Rollout,
  seen: Survey,
  { step, refused }: Resting,
): Promise<Outcome> {
  const { reason, message, againMs = fleetLimits.rolloutResyncMs } = step;
  const status = statusOf(run, rollout, seen);
  const { phase } = rollout.progress;
  if (!hasEnded(phase)) {
    const retryMs = refused.size > 0 ? fleetLimits.rolloutRetryMs : Infinity;
    const afterMs = Math.min(againMs, retryMs, fleetLimits.rolloutResyncMs);
    return again(afterMs, { reason, message, status });
  }
  await releaseScope(run);
  const ready: Readiness = { status: phase === "completed" ? "True" : "False", reason, message };
  return done({ status, ready });
}

/** Another Rollout may change the same instances from now on: see rollout-guard.ts. */
async function releaseScope({ ports, resource, context }: RolloutRun): Promise<void> {
  if (resource.metadata.annotations?.[rolloutEndedAnnotation] !== undefined) return;
  const { intents } = ports;
  const served = intents.kinds.byId(rolloutsKind);
  if (served === undefined) throw new Error("Rollouts are always served");
  const { name } = resource.metadata;
  const at = timeText(context.clock.nowMs());
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace: "", name, subresource: "" },
      options: { ...systemOptions, claim },
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: withEnd(old, at) }),
      allowsBlind: true,
    });
  });
}

function withEnd(old: Resource, at: string): Resource {
  const { annotations = {} } = old.metadata;
  if (annotations[rolloutEndedAnnotation] !== undefined) return old;
  const metadata = {
    ...old.metadata,
    annotations: { ...annotations, [rolloutEndedAnnotation]: at },
  };
  return { ...old, metadata };
}

function offeringMissing({ offering }: Rollout): Outcome {
  const message = `spec.offering: the Offering ${offering} does not exist: create it`;
  return failed("OfferingNotFound", message, { retry: "slow" });
}
