// The status codes of /v1/sys/health. Pure.

import type { Readiness } from "../../../engine/outcome.ts";

interface Meaning {
  readonly health: string;
  readonly isUsable: boolean;
  readonly message: string;
}

const meanings: Readonly<Record<number, Meaning>> = {
  200: { health: "Active", isUsable: true, message: "the server is initialized and active" },
  // A standby forwards requests to the active server.
  429: { health: "Standby", isUsable: true, message: "the server is a standby" },
  472: {
    health: "DrSecondary",
    isUsable: false,
    message: "the server is a secondary for recovery",
  },
  473: {
    health: "PerformanceStandby",
    isUsable: true,
    message: "the server is a standby for reads",
  },
  474: {
    health: "Unhealthy",
    isUsable: false,
    message: "the standby cannot reach the active server",
  },
  501: { health: "Uninitialized", isUsable: false, message: "the server is not initialized" },
  503: { health: "Sealed", isUsable: false, message: "the server is sealed: unseal it" },
  530: { health: "Removed", isUsable: false, message: "the server was removed from its cluster" },
};

export const healthWords: readonly string[] = [
  ...Object.values(meanings).map(({ health }) => health),
  "Unknown",
];

export function vaultReadiness(status: number): Readiness & { readonly health: string } {
  const { health, isUsable, message } = meanings[status] ?? {
    health: "Unknown",
    isUsable: false,
    message: `the server answered the health check with status ${status}`,
  };
  return { health, status: isUsable ? "True" : "False", reason: health, message };
}
