// The section `arm` of the configuration file. Its presence alone turns the surface on.

import type { ConfigurationSection } from "../../contract/configuration.ts";
import { providerLimits } from "./limits.ts";

/** The section, as it is after the checks. */
export interface ArmConfiguration {
  /** Common names of client certificates that act as the Azure Resource Manager. */
  readonly clients: readonly string[];
  /** The pause between two polls of an operation that clients are asked to make, in seconds. */
  readonly retryAfter: number;
}

const defaults: ArmConfiguration = { clients: [], retryAfter: 10 };

export const armSection: ConfigurationSection = {
  key: "arm",
  fields: {
    clients: {
      type: "texts",
      summary: "common names of client certificates that act as the Azure Resource Manager",
      default: defaults.clients,
    },
    retryAfter: {
      type: "number",
      summary: "seconds that clients wait between two polls of an operation",
      default: defaults.retryAfter,
      suggestion: `leave it out for the default of ${defaults.retryAfter} seconds`,
      problem: (value) => {
        const most = providerLimits.retryAfterSeconds;
        const isValid = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
        return isValid ? undefined : `must be an integer from 0 to ${most} (seconds)`;
      },
    },
  },
};

/** The defaults, where a face alone turns the surface on. */
export function armConfiguration(section: unknown): ArmConfiguration {
  return { ...defaults, ...(section as Partial<ArmConfiguration> | undefined) };
}
