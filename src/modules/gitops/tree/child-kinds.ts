// The kinds of objects that controllers create below the objects of a kind, for servers that have
// no index of owners to ask.

import type { ObjectType } from "../../../acting/object-api.ts";
import type { ObjectReference } from "../object-reference.ts";

interface ChildKind extends ObjectType {
  /** As GROUP/KIND. The controller of a custom resource may create each of these kinds. */
  readonly owners: readonly string[];
}

/** Owners come before what they own. */
const childKinds: readonly ChildKind[] = [
  { apiVersion: "apps/v1", kind: "Deployment", owners: [] },
  { apiVersion: "apps/v1", kind: "StatefulSet", owners: [] },
  { apiVersion: "apps/v1", kind: "DaemonSet", owners: [] },
  { apiVersion: "v1", kind: "Service", owners: [] },
  { apiVersion: "batch/v1", kind: "Job", owners: ["batch/CronJob"] },
  { apiVersion: "apps/v1", kind: "ReplicaSet", owners: ["apps/Deployment"] },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", owners: ["/Service"] },
  {
    apiVersion: "v1",
    kind: "Pod",
    owners: ["apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "batch/Job"],
  },
];

/** Those that may be below objects of these kinds, in the order in which to read them. */
export function childKindsOf(
  owners: readonly Pick<ObjectReference, "group" | "kind">[],
): readonly ObjectType[] {
  if (owners.some(({ group }) => isCustom(group))) return childKinds;
  const known = new Set(owners.map(({ group, kind }) => `${group}/${kind}`));
  return childKinds.filter(({ apiVersion, kind, owners: named }) => {
    if (!named.some((owner) => known.has(owner))) return false;
    known.add(`${apiVersion.includes("/") ? apiVersion.split("/", 1)[0] : ""}/${kind}`);
    return true;
  });
}

/** The groups of Kubernetes have no dot, or end with k8s.io. */
function isCustom(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}
