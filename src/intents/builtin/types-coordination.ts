// Leases, by which programs elect a leader.

import { int32, message, microTime, of, optional, string } from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.coordination.v1";

export const leaseSpec = message(`${prefix}.LeaseSpec`, "Who holds a lease and how long.", {
  holderIdentity: [1, optional(string), "Who holds the lease."],
  leaseDurationSeconds: [2, optional(int32), "How long others must wait after the last renewal."],
  acquireTime: [3, optional(microTime), "When the lease was taken."],
  renewTime: [4, optional(microTime), "When the holder last renewed it."],
  leaseTransitions: [5, optional(int32), "How often the holder changed."],
  strategy: [6, optional(string), "How the holder is chosen."],
  preferredHolder: [7, optional(string), "Whom the holder should hand the lease to."],
});

export const lease = message(
  `${prefix}.Lease`,
  "A claim that one of several may hold for a time.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(leaseSpec), "Who holds the lease."],
  },
);
