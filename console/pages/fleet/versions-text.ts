import type { Versions } from "../../api/fleet.ts";

/** "product 1.2.0, operator op-1" */
export function versionsText(versions: Versions | undefined): string {
  return Object.entries(versions ?? {})
    .map(([component, version]) => `${component} ${version}`)
    .join(", ");
}
