// Whether an administrator has taken this server out of service. A server in maintenance is not
// ready, so that a load balancer sends it no more requests; it still answers those that arrive. The
// flag belongs to the process: a restart ends the maintenance.

import type { HealthCheck } from "../../contract/module.ts";

export interface Maintenance {
  readonly isDown: boolean;
  set(isDown: boolean): void;
  readonly check: HealthCheck;
}

export function createMaintenance(): Maintenance {
  let isDown = false;
  return {
    get isDown() {
      return isDown;
    },
    set: (wanted) => {
      isDown = wanted;
    },
    check: {
      name: "maintenance",
      isRequired: true,
      check: () => Promise.resolve(isDown ? "an administrator took the server down" : undefined),
    },
  };
}
