// Leases, by which programs elect a leader.

import { int32, message, microTime, of, optional, string } from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.coordination.v1";

export const leaseSpec = message(`${prefix}.LeaseSpec`, "Holder and duration of a lease.", {
  holderIdentity: [1, optional(string), "Identity of the holder."],
  leaseDurationSeconds: [
    2,
    optional(int32),
    "Seconds after the last renewal until others can take the lease.",
  ],
  acquireTime: [3, optional(microTime), "When the holder acquired the lease."],
  renewTime: [4, optional(microTime), "When the holder last renewed it."],
  leaseTransitions: [5, optional(int32), "Number of changes of the holder."],
  strategy: [6, optional(string), "How the holder is chosen."],
  preferredHolder: [7, optional(string), "Holder that should take over the lease."],
});

export const lease = message(
  `${prefix}.Lease`,
  "A lock that one of several holders has for a limited time.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(leaseSpec), "Holder and duration of the lease."],
  },
);
