// A fleet for property tests of Rollouts: instances as documents, an agent that answers after a
// while, and a reconciler that may stop after any step. Only what is stored survives a stop.

import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { changedInstance } from "./change-versions.ts";
import { decideRollout, isRollingBack } from "./decide.ts";
import type { Move, RolloutStep } from "./decide.ts";
import { memberTest, readMember } from "./member.ts";
import type { Member } from "./member.ts";
import { movedRollout } from "./phases.ts";
import { readRollout } from "./rollout.ts";
import type { Rollout } from "./rollout.ts";
import {
  sampleInstance,
  sampleInstanceKind,
  sampleOperators,
  sampleRollout,
} from "./sample-rollout.ts";
import { survey } from "./survey.ts";
import type { Survey } from "./survey.ts";

export interface Behaviour {
  /** How long the agent needs for a change of versions. */
  readonly updateMs: number;
  /** What the new versions lead to. */
  readonly result: "works" | "fails" | "hangs";
  readonly isReadyFrom: number;
}

export interface SimulatedFleet {
  rollout(): Rollout;
  survey(): Survey;
  instances(): readonly Resource[];
  /** Decides and performs one step; with `stop` the process ends before it is stored or in it. */
  step(stop?: { readonly after: number }): RolloutStep;
  /** A change of the spec of the Rollout. */
  change(spec: JsonObject): void;
  pass(ms: number): void;
}

export function simulatedFleet(spec: JsonObject, behaviours: readonly Behaviour[]): SimulatedFleet {
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  let document = sampleRollout(spec);
  let instances = behaviours.map((_, at) => sampleInstance(`i${at}`));
  const read = (): Rollout => readRollout(document);
  const inputOf = (rollout: Rollout): Parameters<typeof changedInstance>[2] => ({
    rollout,
    isRollback: isRollingBack(rollout),
    operatorsOf: () => sampleOperators,
    refusalOf: () => undefined,
    nowMs,
  });
  const look = (): Survey => {
    const rollout = read();
    const members = instances.map((instance) => readMember(sampleInstanceKind, instance));
    return survey({ ...inputOf(rollout), members: members.filter(memberTest(rollout)) });
  };
  const write = (members: readonly Member[]): void => {
    const keys = new Set(members.map(({ key }) => key.name));
    const input = inputOf(read());
    instances = instances.map((instance) =>
      keys.has(instance.metadata.name)
        ? changedInstance(sampleInstanceKind, instance, input)
        : instance,
    );
  };
  return {
    rollout: read,
    survey: look,
    instances: () => instances,
    step: (stop) => {
      const rollout = read();
      const step = decideRollout({ rollout, survey: look(), nowMs });
      if (step.kind === "update" || step.kind === "revert") {
        write(step.members.slice(0, stop?.after ?? step.members.length));
      }
      if (step.kind === "move" && stop === undefined) document = movedDocument(document, step);
      return step;
    },
    change: (part) => {
      const generation = document.metadata.generation + 1;
      const metadata = { ...document.metadata, generation };
      document = { ...document, metadata, spec: { ...objectAt(document, "spec"), ...part } };
    },
    pass: (ms) => {
      nowMs += ms;
      instances = instances.map((instance, at) => reported(instance, behaviours[at], nowMs));
    },
  };
}

function movedDocument(document: Resource, move: Move): Resource {
  const { phase: from } = readRollout(document).progress;
  const { wave, waveDoneAtMs, pausedGeneration } = move;
  const status = {
    phase: movedRollout(from, move.phase),
    wave,
    waveDoneAt: waveDoneAtMs === undefined ? null : new Date(waveDoneAtMs).toISOString(),
    pausedGeneration: pausedGeneration ?? null,
  };
  return { ...document, status };
}

/** What the life cycle makes of the reports of the agent. Version 1 always works. */
function reported(instance: Resource, behaviour: Behaviour | undefined, nowMs: number): Resource {
  const { spec } = instance;
  const status = objectAt(instance, "status");
  if (behaviour === undefined) return instance;
  const sinceMs = Date.parse(textAt(spec, "rollout", "at"));
  const phase = nowMs < behaviour.isReadyFrom ? "provisioning" : "ready";
  const desired = { ...objectAt(status, "desiredVersions"), ...objectAt(spec, "versions") };
  const isNew = desired["product"] !== "1.0.0";
  if (isNew && behaviour.result === "hangs") return instance;
  if (!Number.isNaN(sinceMs) && nowMs < sinceMs + behaviour.updateMs) return instance;
  const isBroken = isNew && behaviour.result === "fails";
  const next = isBroken ? { phase: "failed" } : { phase, actualVersions: desired };
  return { ...instance, status: { ...status, ...next } };
}
