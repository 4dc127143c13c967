// The order of groups in discovery. Clients that find a short name in several groups take the
// first, so the order of the groups that Kubernetes itself has is kept; all others follow by name.

const priorities: Readonly<Record<string, number>> = {
  "": 18_000,
  "apiregistration.k8s.io": 17_900,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "admissionregistration.k8s.io": 16_700,
  "apiextensions.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
  "internal.apiserver.k8s.io": 16_000,
  "storagemigration.k8s.io": 15_800,
};
const otherPriority = 1_000;

export function compareGroups(a: string, b: string): number {
  const order = priorityOf(b) - priorityOf(a);
  if (order !== 0 || a === b) return order;
  return a < b ? -1 : 1;
}

function priorityOf(group: string): number {
  return Object.hasOwn(priorities, group) ? (priorities[group] ?? otherPriority) : otherPriority;
}
