// What can be done with an environment.

import { environmentsApi } from "../api/environments.ts";
import type { Environment, Place } from "../api/environments.ts";
import type { KindInfo } from "../api/kinds.ts";
import { plural } from "../format/number.ts";
import type { Action, Subject } from "./action.ts";
import { askAndPerform } from "./question.ts";

interface EnvironmentSubject extends Subject {
  readonly environment: Environment;
}

const kinds = ["environments.environments.setpoint.dev"];
const extendSeconds = 3_600;

export function subjectOfEnvironment(kind: KindInfo, environment: Environment): EnvironmentSubject {
  const { namespace, id: name, uid, spec } = environment;
  const isProtected = spec.protected === true;
  return { kind, namespace, name, uid, isProtected, isPaused: false, environment };
}

function environmentOf(subject: Subject): Environment | undefined {
  return (subject as Partial<EnvironmentSubject>).environment;
}

function phaseOf(subject: Subject): string {
  return environmentOf(subject)?.status?.phase ?? "";
}

function placeOf({ namespace, name }: Subject): Place {
  return { namespace, id: name };
}

function command(verb: string): (subject: Subject) => string {
  return ({ namespace, name }) => `setpoint env ${verb} ${name} -n ${namespace}`;
}

const needs = { verb: "update" } as const;
const isKnown = (subject: Subject): boolean => environmentOf(subject) !== undefined;
const isDestroyed = (subject: Subject): boolean => phaseOf(subject) === "Destroyed";

export const environmentActions: readonly Action[] = [
  {
    id: "env-extend",
    label: "Extend by 1 h",
    kinds,
    needs,
    fits: (subject) => isKnown(subject) && !isDestroyed(subject),
    off: (subject) => {
      if (environmentOf(subject)?.status?.plannedDestructionAt === undefined) {
        return "It has no planned destruction.";
      }
      return phaseOf(subject) === "Destroying" ? "It is being destroyed." : undefined;
    },
    perform: async (subject) => {
      await environmentsApi.extend(placeOf(subject), extendSeconds);
      return `The destruction of ${subject.name} is an hour later.`;
    },
    command: ({ namespace, name }) => `setpoint env extend ${name} 1h -n ${namespace}`,
  },
  {
    id: "env-retry",
    label: "Retry",
    kinds,
    isMain: true,
    needs,
    fits: (subject) => phaseOf(subject) === "DeployedFail",
    perform: async (subject) => {
      await environmentsApi.retry(placeOf(subject));
      return `The unfinished resources of ${subject.name} run again.`;
    },
    command: command("retry"),
  },
  {
    id: "env-cancel",
    label: "Cancel the operation",
    kinds,
    needs,
    fits: (subject) => phaseOf(subject) === "Deploying",
    perform: async (subject) => {
      await environmentsApi.cancel(placeOf(subject));
      return "The operation starts nothing more, and asks running resources to stop.";
    },
    command: command("cancel"),
  },
  {
    id: "env-drift",
    label: "Check drift",
    kinds,
    needs,
    fits: (subject) => isKnown(subject) && !isDestroyed(subject),
    perform: async (subject) => {
      await environmentsApi.checkDrift(placeOf(subject));
      return `${subject.name} is compared with the external systems.`;
    },
    command: command("drift"),
  },
  {
    id: "env-repair",
    label: "Repair drift",
    kinds,
    needs,
    fits: (subject) => environmentOf(subject)?.status?.drift?.state === "Drifted",
    perform: async (subject) => {
      await environmentsApi.reconcileDrift(placeOf(subject));
      return `The drift of ${subject.name} is repaired.`;
    },
    command: (subject) => `${command("drift")(subject)} --reconcile`,
  },
  {
    id: "env-deploy",
    label: "Deploy again",
    kinds,
    isMain: true,
    needs,
    fits: isDestroyed,
    perform: async (subject) => {
      await environmentsApi.deploy(placeOf(subject));
      return `${subject.name} is being deployed.`;
    },
    command: command("deploy"),
  },
  {
    id: "env-destroy",
    label: "Destroy",
    kinds,
    isDanger: true,
    needs,
    fits: (subject) => isKnown(subject) && !isDestroyed(subject),
    off: (subject) => {
      if (subject.isProtected === true) return "Protected: set spec.protected to false first.";
      return phaseOf(subject) === "Destroying" ? "It is being destroyed." : undefined;
    },
    confirm: ([subject]) => {
      const total = subject === undefined ? 0 : (countOf(subject)["total"] ?? 0);
      return {
        title: `Destroy ${subject?.name ?? ""}?`,
        consequences: [
          `This destroys ${plural(total, "resource")}, dependants first.`,
          "The record of the environment stays, and it can be deployed again.",
        ],
        typed: subject?.name ?? "",
      };
    },
    perform: async (subject) => {
      await environmentsApi.destroy(placeOf(subject));
      return `${subject.name} is being destroyed.`;
    },
    command: command("destroy"),
  },
];

function countOf(subject: Subject): Readonly<Record<string, number>> {
  return environmentOf(subject)?.status?.resources ?? {};
}

/** Not about the selected resource, so it is not in the table. */
export async function approvePlan(plan: Place, summary: string): Promise<void> {
  await askAndPerform({
    label: "Approve",
    impact: { title: `Approve ${plan.id}?`, consequences: [`${summary}. It begins at once.`] },
    perform: async () => {
      await environmentsApi.approve(plan);
      return `${plan.id} is approved and is carried out.`;
    },
  });
}

export async function rollBackEnvironment(place: Place, operation: string): Promise<void> {
  await askAndPerform({
    label: "Roll back",
    impact: {
      title: `Roll ${place.id} back?`,
      consequences: [`The templates and parameters of ${operation} are deployed again.`],
    },
    perform: async () => {
      await environmentsApi.rollback(place, operation);
      return `${place.id} returns to ${operation}.`;
    },
  });
}
