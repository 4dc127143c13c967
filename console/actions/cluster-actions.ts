// What can be done with a cluster of a fleet.

import { clustersKind, fleetApi } from "../api/fleet.ts";
import type { Cluster } from "../api/fleet.ts";
import type { KindInfo } from "../api/kinds.ts";
import { kube } from "../api/kube.ts";
import type { JsonRecord } from "../api/types.ts";
import { plural } from "../format/number.ts";
import { kubectlName } from "./action.ts";
import type { Action, Subject } from "./action.ts";
import { flagsOf } from "./subject-flags.ts";

export interface ClusterSubject extends Subject {
  readonly cluster: Cluster;
}

const kinds = [clustersKind];
const needs = { verb: "update" } as const;

export function subjectOfCluster(kind: KindInfo, cluster: Cluster): ClusterSubject {
  return { kind, ...flagsOf(cluster.metadata), cluster };
}

function clusterOf(subject: Subject | undefined): Cluster | undefined {
  return (subject as Partial<ClusterSubject> | undefined)?.cluster;
}

const isKnown = (subject: Subject): boolean => clusterOf(subject) !== undefined;
const isSchedulable = (subject: Subject): boolean =>
  clusterOf(subject)?.spec.isSchedulable !== false;
const isDraining = (subject: Subject): boolean => clusterOf(subject)?.spec.isDraining === true;
const leavingOff = ({ isDeleting }: Subject): string | undefined =>
  isDeleting === true ? "It is being removed." : undefined;

export const clusterActions: readonly Action[] = [
  {
    id: "cluster-close",
    label: "Stop scheduling",
    kinds,
    needs,
    fits: (subject) => isKnown(subject) && isSchedulable(subject),
    off: leavingOff,
    perform: async (subject) => {
      await fleetApi.patch(subject.kind, subject, { isSchedulable: false });
      return `${subject.name} takes no new instances. Those that are on it stay.`;
    },
    command: merge({ isSchedulable: false }),
  },
  {
    id: "cluster-open",
    label: "Allow scheduling",
    kinds,
    isMain: true,
    needs,
    fits: (subject) => isKnown(subject) && !isSchedulable(subject),
    off: leavingOff,
    perform: async (subject) => {
      await fleetApi.patch(subject.kind, subject, { isSchedulable: true });
      return `${subject.name} takes instances again.`;
    },
    command: merge({ isSchedulable: true }),
  },
  {
    id: "cluster-drain",
    label: "Drain",
    kinds,
    needs,
    fits: (subject) => isKnown(subject) && !isDraining(subject),
    off: leavingOff,
    confirm: ([subject]) => ({
      title: `Drain ${subject?.name ?? ""}?`,
      consequences: [
        `This moves ${usedText(subject)} to other clusters of ${regionOf(subject)}.`,
        "Instances without room elsewhere stay until there is room.",
      ],
    }),
    perform: async (subject) => {
      await fleetApi.patch(subject.kind, subject, { isDraining: true });
      return `${subject.name} is being drained.`;
    },
    command: merge({ isDraining: true }),
  },
  {
    id: "cluster-keep",
    label: "Stop draining",
    kinds,
    needs,
    fits: isDraining,
    off: leavingOff,
    perform: async (subject) => {
      await fleetApi.patch(subject.kind, subject, { isDraining: false });
      return `${subject.name} is not drained any more.`;
    },
    command: merge({ isDraining: false }),
  },
  {
    id: "cluster-delete",
    label: "Remove the cluster",
    kinds,
    isDanger: true,
    needs: { verb: "delete" },
    fits: isKnown,
    off: (subject) => {
      if (subject.isProtected === true) return "Protected from deletion. Allow deletion first.";
      if (subject.isDeleting === true) return "It is being removed.";
      const used = clusterOf(subject)?.status?.used ?? 0;
      return used > 0 && !isDraining(subject) ? "Instances are on it. Drain it first." : undefined;
    },
    confirm: ([subject]) => ({
      title: `Remove ${subject?.name ?? ""}?`,
      consequences: [
        "Its agent and its credential are removed. No instance is deleted.",
        ...((clusterOf(subject)?.status?.used ?? 0) > 0 ? ["It is removed when it is empty."] : []),
      ],
      typed: subject?.name ?? "",
    }),
    perform: async (subject) => {
      await kube.delete(subject.kind, subject, subject.uid);
      return `${subject.name} is being removed.`;
    },
    command: (subject) => `kubectl delete ${kubectlName(subject)}`,
  },
];

function usedText(subject: Subject | undefined): string {
  const used = clusterOf(subject)?.status?.used ?? 0;
  return used === 0 ? "nothing that is placed now" : `instances of ${plural(used, "unit")}`;
}

function regionOf(subject: Subject | undefined): string {
  return clusterOf(subject)?.spec.region ?? "its region";
}

function merge(spec: JsonRecord): (subject: Subject) => string {
  return (subject) =>
    `kubectl patch ${kubectlName(subject)} --type merge -p '${JSON.stringify({ spec })}'`;
}
