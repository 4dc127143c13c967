// What can be done with a rollout of versions.

import { fleetApi, rolloutsKind } from "../api/fleet.ts";
import type { Rollout } from "../api/fleet.ts";
import type { KindInfo } from "../api/kinds.ts";
import { plural } from "../format/number.ts";
import { kubectlName } from "./action.ts";
import type { Action, Subject } from "./action.ts";
import { flagsOf } from "./subject-flags.ts";

export interface RolloutSubject extends Subject {
  readonly rollout: Rollout;
}

const kinds = [rolloutsKind];
const needs = { verb: "update" } as const;
const ended = new Set(["completed", "rolledBack", "aborted"]);

export function subjectOfRollout(kind: KindInfo, rollout: Rollout): RolloutSubject {
  return { kind, ...flagsOf(rollout.metadata), rollout };
}

function rolloutOf(subject: Subject | undefined): Rollout | undefined {
  return (subject as Partial<RolloutSubject> | undefined)?.rollout;
}

const isKnown = (subject: Subject): boolean => rolloutOf(subject) !== undefined;
const phaseOf = (subject: Subject): string => rolloutOf(subject)?.status?.phase ?? "progressing";
const actionOf = (subject: Subject): string => rolloutOf(subject)?.spec.action ?? "run";
/** A gate failed, and the rollout waits for a decision. */
const isHeld = (subject: Subject): boolean => isKnown(subject) && phaseOf(subject) === "paused";
const isPaused = (subject: Subject): boolean => !isHeld(subject) && actionOf(subject) === "pause";

function endedOff(subject: Subject): string | undefined {
  const phase = phaseOf(subject);
  if (phase === "completed") return "The rollout is completed.";
  if (phase === "rolledBack") return "The rollout is rolled back.";
  return phase === "aborted" ? "The rollout is aborted." : undefined;
}

async function act(subject: Subject, action: string): Promise<void> {
  await fleetApi.patch(subject.kind, subject, { action });
}

function command(action: string): (subject: Subject) => string {
  const patch = JSON.stringify({ spec: { action } });
  return (subject) => `kubectl patch ${kubectlName(subject)} --type merge -p '${patch}'`;
}

export const rolloutActions: readonly Action[] = [
  {
    id: "rollout-pause",
    label: "Pause the rollout",
    kinds,
    needs,
    fits: (subject) => isKnown(subject) && !isHeld(subject) && !isPaused(subject),
    off: (subject) =>
      endedOff(subject) ??
      (phaseOf(subject) === "rollingBack" ? "It returns to the earlier versions." : undefined),
    perform: async (subject) => {
      await act(subject, "pause");
      return `${subject.name} updates no further instances.`;
    },
    command: command("pause"),
  },
  {
    id: "rollout-resume",
    label: "Resume the rollout",
    kinds,
    isMain: true,
    needs,
    fits: isPaused,
    off: endedOff,
    perform: async (subject) => {
      await act(subject, "run");
      return `${subject.name} continues with wave ${rolloutOf(subject)?.status?.wave ?? 1}.`;
    },
    command: command("run"),
  },
  {
    id: "rollout-retry",
    label: "Check the gates again",
    kinds,
    isMain: true,
    needs,
    fits: isHeld,
    off: endedOff,
    perform: async (subject) => {
      // Only a change of the spec continues a rollout whose gate failed.
      await act(subject, "pause");
      await act(subject, "run");
      return `${subject.name} continues if its gates hold.`;
    },
    command: command("run"),
  },
  {
    id: "rollout-allow",
    label: "Allow more failures",
    kinds,
    needs,
    fits: isHeld,
    off: endedOff,
    confirm: ([subject]) => {
      const failed = rolloutOf(subject)?.status?.failed ?? 0;
      return {
        title: `How many instances of ${subject?.name ?? ""} may fail?`,
        consequences: [`${plural(failed, "updated instance")} failed so far.`],
        fields: [{ id: "most", label: "Failed instances", value: String(failed + 1) }],
      };
    },
    perform: async (subject, { most = "" }) => {
      if (!/^\d{1,7}$/.test(most.trim())) throw new Error("Enter a number, such as 2.");
      await fleetApi.patch(subject.kind, subject, {
        gates: { maxFailed: Number(most), maxFailedPercent: null },
        action: "run",
      });
      return `${subject.name} continues with at most ${plural(Number(most), "failure")}.`;
    },
    command: (subject) =>
      `kubectl patch ${kubectlName(subject)} --type merge -p '{"spec":{"gates":{"maxFailed":2}}}'`,
  },
  {
    id: "rollout-rollback",
    label: "Roll back",
    kinds,
    isDanger: true,
    needs,
    fits: (subject) => isKnown(subject) && phaseOf(subject) !== "rollingBack",
    off: endedOff,
    confirm: ([subject]) => ({
      title: `Roll ${subject?.name ?? ""} back?`,
      consequences: [
        `This returns ${plural(updatedBy(subject), "updated instance")} to the earlier versions.`,
        "Instances that do not work return at once, the others within the limit of the wave.",
      ],
    }),
    perform: async (subject) => {
      await act(subject, "rollback");
      return `${subject.name} returns to the earlier versions.`;
    },
    command: command("rollback"),
  },
  {
    id: "rollout-abort",
    label: "Abort",
    kinds,
    isDanger: true,
    needs,
    fits: isKnown,
    off: endedOff,
    confirm: ([subject]) => ({
      title: `Abort ${subject?.name ?? ""}?`,
      consequences: [
        "The rollout ends and cannot be continued.",
        "Every instance keeps the versions that it has now.",
      ],
      typed: subject?.name ?? "",
    }),
    perform: async (subject) => {
      await act(subject, "abort");
      return `${subject.name} is aborted.`;
    },
    command: command("abort"),
  },
];

function updatedBy(subject: Subject | undefined): number {
  return rolloutOf(subject)?.status?.updated ?? 0;
}

export function hasEnded({ status }: Rollout): boolean {
  return ended.has(status?.phase ?? "");
}
