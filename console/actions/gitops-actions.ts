// What can be done with a GitOpsDeployment.

import { deploymentsKind, gitopsApi, syncRunsKind } from "../api/gitops.ts";
import type { Deployment, HeldPrune, HistoryEntry, ObjectAt, Place } from "../api/gitops.ts";
import { kindNamed } from "../api/kinds.ts";
import type { KindInfo } from "../api/kinds.ts";
import { kube } from "../api/kube.ts";
import { mayOn } from "../api/rights.ts";
import { plural } from "../format/number.ts";
import { shortCommit } from "../format/commit.ts";
import type { Action, Impact, Subject } from "./action.ts";
import { askAndPerform } from "./question.ts";

export interface DeploymentSubject extends Subject {
  readonly deployment: Deployment;
}

const kinds = [deploymentsKind];
const needs = { verb: "update" } as const;

export function subjectOfDeployment(kind: KindInfo, deployment: Deployment): DeploymentSubject {
  const { name, namespace = "", uid, annotations = {}, deletionTimestamp } = deployment.metadata;
  return {
    kind,
    namespace,
    name,
    uid,
    isPaused: annotations["setpoint.dev/paused"] === "true",
    isProtected: annotations["setpoint.dev/deletion-protection"] === "true",
    isDeleting: deletionTimestamp !== undefined,
    deployment,
  };
}

function deploymentOf(subject: Subject | undefined): Deployment | undefined {
  return (subject as Partial<DeploymentSubject> | undefined)?.deployment;
}

const isKnown = (subject: Subject): boolean => deploymentOf(subject) !== undefined;

/** While a rollback is in force. */
export function pinOf(deployment: Deployment | undefined): string | undefined {
  const pin = deployment?.spec.pin;
  if (pin === undefined || deployment?.status?.pin?.endedAt !== undefined) return undefined;
  return pin.revision;
}

export const gitopsActions: readonly Action[] = [
  {
    id: "gitops-sync",
    label: "Sync now",
    key: "S",
    kinds,
    isMain: true,
    needs,
    fits: isKnown,
    off: (subject) => syncOff(subject),
    perform: async (subject) => {
      if (deploymentOf(subject)?.spec.type === "manual") {
        await gitopsApi.run(syncRuns(), subject);
        return `A sync of ${subject.name} is requested.`;
      }
      const { revision = "" } = await gitopsApi.refresh(subject);
      return `The repository was read. ${subject.name} is compared with ${shortCommit(revision)}.`;
    },
    command: command("sync"),
  },
  {
    id: "gitops-unpin",
    label: "End the pin",
    kinds,
    needs,
    fits: (subject) => pinOf(deploymentOf(subject)) !== undefined,
    perform: async (subject) => {
      await gitopsApi.patch(subject.kind, subject, { pin: null });
      return `${subject.name} follows its repository again.`;
    },
    command: (subject) => `${command("rollback")(subject)} --end`,
  },
  {
    id: "gitops-prune",
    label: "Confirm the deletions",
    kinds,
    isDanger: true,
    needs,
    fits: (subject) => deploymentOf(subject)?.status?.prune !== undefined,
    off: (subject) => {
      const { status, spec } = deploymentOf(subject) ?? { status: undefined, spec: {} };
      const isConfirmed = status?.prune?.hash === spec.syncPolicy?.confirmPrune;
      return isConfirmed ? "They are confirmed already." : undefined;
    },
    confirm: ([subject]) => pruneImpact(subject),
    perform: async (subject) => {
      const hash = deploymentOf(subject)?.status?.prune?.hash ?? "";
      await gitopsApi.patch(subject.kind, subject, { syncPolicy: { confirmPrune: hash } });
      return "Exactly these objects are deleted by the next sync.";
    },
    command: (subject) => {
      const hash = deploymentOf(subject)?.status?.prune?.hash ?? "";
      const patch = JSON.stringify({ spec: { syncPolicy: { confirmPrune: hash } } });
      const { name, namespace } = subject;
      return `kubectl patch gitopsdepl ${name} -n ${namespace} --type merge -p '${patch}'`;
    },
  },
  {
    id: "gitops-delete",
    label: "Delete the deployment",
    kinds,
    isDanger: true,
    needs: { verb: "delete" },
    fits: isKnown,
    off: ({ isProtected, isDeleting }) => {
      if (isProtected === true) return "Protected from deletion. Allow deletion first.";
      return isDeleting === true ? "It is being deleted." : undefined;
    },
    confirm: ([subject]) => deletionOf(subject),
    perform: async (subject) => {
      await kube.delete(subject.kind, subject, subject.uid);
      return `${subject.name} is being deleted.`;
    },
    command: ({ name, namespace }) => `kubectl delete gitopsdepl ${name} -n ${namespace}`,
  },
];

function command(verb: string): (subject: Subject) => string {
  return ({ namespace, name }) => `setpoint gitops ${verb} ${name} -n ${namespace}`;
}

function syncRuns(): KindInfo {
  const kind = kindNamed(syncRunsKind);
  if (kind === undefined) throw new Error("This server serves no GitOpsDeploymentSyncRun.");
  return kind;
}

function syncOff(subject: Subject): string | undefined {
  const deployment = deploymentOf(subject);
  if (subject.isDeleting === true) return "It is being deleted.";
  if (subject.isPaused === true) return "Paused. Resume first.";
  const pin = pinOf(deployment);
  if (pin !== undefined) {
    return `Pinned to ${shortCommit(pin)} by a rollback. End the pin first.`;
  }
  if (deployment?.spec.type !== "manual") return undefined;
  return runOff(subject);
}

function runOff({ namespace }: Subject): string | undefined {
  const kind = kindNamed(syncRunsKind);
  if (kind === undefined) return "This server serves no GitOpsDeploymentSyncRun.";
  const isAllowed = mayOn(kind, { namespace, verb: "create" }) !== false;
  return isAllowed ? undefined : `You may not create ${kind.plural} in ${namespace}.`;
}

function pruneImpact(subject: Subject | undefined): Impact {
  const held = deploymentOf(subject)?.status?.prune;
  return {
    title: `Delete ${plural(held?.objects ?? 0, "object")} of ${subject?.name ?? ""}?`,
    consequences: [...pruneReason(held), ...named(held?.named ?? [], held?.objects ?? 0)],
    typed: subject?.name ?? "",
  };
}

export function pruneReason(held: HeldPrune | undefined): readonly string[] {
  const reasons: Readonly<Record<string, string>> = {
    All: "These are all objects of the deployment.",
    Many: "These are more than half of the objects of the deployment.",
    Protected: "Some of them are of kinds whose deletion destroys more than the object.",
  };
  const reason = reasons[held?.reason ?? ""];
  return reason === undefined ? [] : [reason];
}

const mostNamed = 10;

function named(objects: readonly ObjectAt[], total: number): readonly string[] {
  if (objects.length === 0) return [];
  const shown = objects.slice(0, mostNamed).map(({ kind, name }) => `${kind}/${name}`);
  const rest = total - shown.length;
  return [`This deletes ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`];
}

function deletionOf(subject: Subject | undefined): Impact {
  const { spec, status } = deploymentOf(subject) ?? { spec: {}, status: undefined };
  const total = status?.summary?.objects ?? 0;
  const stays = spec.syncPolicy?.deletion === "Orphan";
  return {
    title: `Delete ${subject?.kind.kind ?? ""}/${subject?.name ?? ""}?`,
    consequences: [
      stays
        ? `Its ${plural(total, "object")} stay in the target: syncPolicy.deletion is Orphan.`
        : `This also deletes its ${plural(total, "object")} in the target.`,
    ],
    typed: subject?.name ?? "",
  };
}

/** Why the deployment cannot return to an earlier revision. */
export function rollbackOff(subject: Subject, deployment: Deployment): string | undefined {
  const { kind, namespace, name } = subject;
  if (subject.isDeleting === true) return "It is being deleted.";
  if (deployment.spec.type === "manual") return runOff(subject);
  const isAllowed = mayOn(kind, { namespace, name, verb: "update" }) !== false;
  return isAllowed ? undefined : `You may not update ${kind.plural} in ${namespace}.`;
}

/** Not about the selected resource alone, so it is not in the table. */
export async function rollBackDeployment(
  { kind, namespace, name }: Subject,
  deployment: Deployment,
  { revision }: HistoryEntry,
): Promise<void> {
  const place: Place = { namespace, name };
  const isManual = deployment.spec.type === "manual";
  await askAndPerform({
    label: "Roll back",
    impact: {
      title: `Roll ${name} back to ${shortCommit(revision)}?`,
      consequences: [
        "The objects of this commit are applied.",
        "Objects that it does not have are deleted as the sync policy states.",
        ...(isManual
          ? []
          : ["The deployment keeps the commit until its repository has a newer one."]),
      ],
      ...(isManual
        ? {}
        : { fields: [{ id: "reason", label: "Reason", isOptional: true }] as const }),
    },
    perform: async ({ reason = "" }) => {
      if (isManual) {
        await gitopsApi.run(syncRuns(), place, revision);
        return `A sync of ${name} to ${shortCommit(revision)} is requested.`;
      }
      const { commit, head } = await gitopsApi.revision(place, revision);
      const because = reason.trim() === "" ? null : reason.trim();
      await gitopsApi.patch(kind, place, { pin: { revision: commit, head, reason: because } });
      return `${name} returns to ${shortCommit(commit)}.`;
    },
  });
}
