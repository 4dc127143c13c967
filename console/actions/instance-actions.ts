// What can be done with an instance of a fleet. Each is a change of its spec, which the life cycle
// follows.

import { fleetApi } from "../api/fleet.ts";
import type { Cluster, Instance } from "../api/fleet.ts";
import type { KindInfo } from "../api/kinds.ts";
import type { JsonRecord } from "../api/types.ts";
import type { Action, Answers, Choice, Impact, Subject } from "./action.ts";
import { kubectlName } from "./action.ts";
import { administratorsOnly } from "./fleet-rights.ts";
import { flagsOf } from "./subject-flags.ts";

export interface InstanceSubject extends Subject {
  readonly instance: Instance;
}

const needs = { verb: "update" } as const;
/** The choice of the list that leaves the placement to the server. */
const anyCluster = "*";
const dayMs = 86_400_000;

export function subjectOfInstance(kind: KindInfo, instance: Instance): InstanceSubject {
  return { kind, ...flagsOf(instance.metadata), instance };
}

function instanceOf(subject: Subject | undefined): Instance | undefined {
  return (subject as Partial<InstanceSubject> | undefined)?.instance;
}

/** How often its secrets were rotated when the page read it. */
function rotationsOf(subject: Subject): number {
  return instanceOf(subject)?.spec.rotation ?? 0;
}

const isKnown = (subject: Subject): boolean => instanceOf(subject) !== undefined;

function endingOff(subject: Subject): string | undefined {
  const phase = instanceOf(subject)?.status?.phase;
  const isEnding = subject.isDeleting === true || phase === "deprovision" || phase === "deleting";
  return isEnding ? "It is being deleted." : undefined;
}

function changeOff(subject: Subject): string | undefined {
  return endingOff(subject) ?? administratorsOnly();
}

async function patch(subject: Subject, spec: JsonRecord): Promise<void> {
  await fleetApi.patch(subject.kind, subject, spec);
}

export const instanceActions: readonly Action[] = [
  {
    id: "instance-suspend",
    label: "Suspend",
    needs,
    fits: (subject) => isKnown(subject) && instanceOf(subject)?.spec.suspension === undefined,
    off: changeOff,
    confirm: ([subject]) => ({
      title: `Suspend ${subject?.name ?? ""}?`,
      consequences: ["Its agent stops it. It keeps its place, its data and its quota."],
      fields: [{ id: "reason", label: "Reason" }],
    }),
    perform: async (subject, { reason = "" }) => {
      await patch(subject, { suspension: { reason, at: new Date().toISOString() } });
      return `${subject.name} is being suspended.`;
    },
    command: merge({ suspension: { reason: "REASON" } }),
  },
  {
    id: "instance-resume",
    label: "Resume the instance",
    isMain: true,
    needs,
    fits: (subject) => instanceOf(subject)?.spec.suspension !== undefined,
    off: changeOff,
    perform: async (subject) => {
      await patch(subject, { suspension: null });
      return `${subject.name} is being resumed.`;
    },
    command: merge({ suspension: null }),
  },
  {
    id: "instance-move",
    label: "Move to a cluster",
    needs,
    fits: isKnown,
    off: changeOff,
    confirm: async ([subject]) => moveImpact(subject, (await fleetApi.clusters()).items),
    perform: async (subject, { cluster = anyCluster }) => {
      await patch(subject, { cluster: cluster === anyCluster ? null : cluster });
      if (cluster === anyCluster) return `The server chooses the cluster of ${subject.name}.`;
      return `${subject.name} moves to ${cluster}.`;
    },
    command: merge({ cluster: "CLUSTER" }),
  },
  {
    id: "instance-expire",
    label: "Set the expiry",
    needs,
    fits: isKnown,
    off: changeOff,
    confirm: ([subject]) => ({
      title: `When does ${subject?.name ?? ""} expire?`,
      consequences: ["It is suspended then, and removed after the time of grace of its Offering."],
      fields: [
        {
          id: "at",
          label: "Date and time",
          help: "In UTC, such as 2030-01-31T12:00:00Z.",
          value: instanceOf(subject)?.spec.expiresAt ?? inAWeek(),
        },
        { id: "reason", label: "Reason" },
      ],
    }),
    perform: async (subject, answers) => {
      const at = instantOf(answers);
      await patch(subject, { expiresAt: at, expiryReason: answers["reason"] ?? "" });
      return `${subject.name} expires at ${at}.`;
    },
    command: merge({ expiresAt: "TIME", expiryReason: "REASON" }),
  },
  {
    id: "instance-keep",
    label: "Clear the expiry",
    needs,
    fits: (subject) => instanceOf(subject)?.spec.expiresAt !== undefined,
    off: changeOff,
    perform: async (subject) => {
      await patch(subject, { expiresAt: null, expiryReason: null });
      return `${subject.name} does not expire.`;
    },
    command: merge({ expiresAt: null, expiryReason: null }),
  },
  {
    id: "instance-rotate",
    label: "Rotate the secrets",
    needs,
    fits: isKnown,
    off: changeOff,
    confirm: ([subject]) => ({
      title: `Rotate the secrets of ${subject?.name ?? ""}?`,
      consequences: ["Clients with the present secrets must read the new ones."],
    }),
    perform: async (subject) => {
      const times = rotationsOf(subject);
      await fleetApi.rotate(subject.kind, subject, times);
      return `Rotation ${times + 1} of ${subject.name} is requested.`;
    },
    command: (subject) => merge({ rotation: rotationsOf(subject) + 1 })(subject),
  },
];

function merge(spec: JsonRecord): (subject: Subject) => string {
  return (subject) =>
    `kubectl patch ${kubectlName(subject)} --type merge -p '${JSON.stringify({ spec })}'`;
}

function moveImpact(subject: Subject | undefined, clusters: readonly Cluster[]): Impact {
  const { spec, status } = instanceOf(subject) ?? { spec: {}, status: undefined };
  const present = status?.placement?.cluster;
  const near = clusters.filter(
    ({ spec: { provider, region } }) => provider === spec.cloudProvider && region === spec.region,
  );
  return {
    title: `Move ${subject?.name ?? ""}`,
    consequences: [
      "It is started on the chosen cluster, and then removed from the one that it leaves.",
    ],
    fields: [
      {
        id: "cluster",
        label: `Cluster in ${spec.region ?? "its region"}`,
        value: spec.cluster ?? anyCluster,
        choices: [
          { value: anyCluster, label: "The server chooses" },
          ...near.map((cluster) => clusterChoice(cluster, present)),
        ],
      },
    ],
  };
}

/** A cluster that is not schedulable takes no instance that is not on it. */
export function clusterChoice(
  { metadata: { name }, spec, status }: Cluster,
  present: string | null | undefined,
): Choice {
  const isHere = name === present;
  const here = isHere ? ", it is there" : "";
  if (spec.isSchedulable === false) {
    return { value: name, label: `${name} (not schedulable${here})`, isOff: !isHere };
  }
  const room = status?.remaining === undefined ? "" : `, room for ${status.remaining}`;
  const state = spec.isDraining === true ? "draining" : (status?.phase ?? "not seen yet");
  return { value: name, label: `${name} (${state}${room}${here})` };
}

function inAWeek(): string {
  return `${new Date(Date.now() + 7 * dayMs).toISOString().slice(0, 19)}Z`;
}

function instantOf({ at = "" }: Answers): string {
  const timeMs = Date.parse(at);
  if (Number.isNaN(timeMs)) {
    throw new Error("The date and time must look like 2030-01-31T12:00:00Z.");
  }
  return new Date(timeMs).toISOString();
}
