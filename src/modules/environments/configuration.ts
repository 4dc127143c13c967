// The section `environments` of the configuration file.

import type { ConfigurationField, ConfigurationSection } from "../../contract/configuration.ts";
import { environmentLimits } from "./limits.ts";

export interface EnvironmentsConfiguration {
  /** Of environments whose templates state none; 0: none. */
  readonly defaultLifetimeSeconds: number;
  readonly maximumLifetimeSeconds: number;
  readonly retentionSeconds: number;
  readonly overdueGraceSeconds: number;
  readonly overduePerMinute: number;
  readonly allowPrivateAddresses: boolean;
}

const defaults: EnvironmentsConfiguration = {
  defaultLifetimeSeconds: 0,
  maximumLifetimeSeconds: 0,
  retentionSeconds: environmentLimits.retentionSeconds,
  overdueGraceSeconds: environmentLimits.overdueGraceSeconds,
  overduePerMinute: environmentLimits.overduePerMinute,
  allowPrivateAddresses: false,
};

export const environmentsSection: ConfigurationSection = {
  key: "environments",
  fields: {
    defaultLifetimeSeconds: seconds(
      "seconds from the creation of an Environment to its planned destruction; 0: none",
      defaults.defaultLifetimeSeconds,
    ),
    maximumLifetimeSeconds: seconds(
      "the largest lifetime of an Environment, in seconds; 0: no maximum",
      defaults.maximumLifetimeSeconds,
    ),
    retentionSeconds: seconds(
      "how long the record of a deleted Environment is kept, in seconds",
      defaults.retentionSeconds,
    ),
    overdueGraceSeconds: seconds(
      "seconds between the announcement of an overdue destruction and its start",
      defaults.overdueGraceSeconds,
    ),
    overduePerMinute: {
      ...seconds("overdue destructions that start within one minute", defaults.overduePerMinute),
      problem: (value) => rangeProblem(value, 1, 10_000),
    },
    allowPrivateAddresses: {
      type: "flag",
      summary: "whether status endpoints may have private and loopback addresses",
      default: defaults.allowPrivateAddresses,
    },
  },
};

export function environmentsConfiguration(section: unknown): EnvironmentsConfiguration {
  return { ...defaults, ...(section as Partial<EnvironmentsConfiguration> | undefined) };
}

function seconds(summary: string, value: number): ConfigurationField {
  return {
    type: "number",
    summary,
    default: value,
    problem: (given) => rangeProblem(given, 0, environmentLimits.maxLifetimeSeconds),
  };
}

function rangeProblem(value: unknown, least: number, most: number): string | undefined {
  const number = Number(value);
  const isValid = Number.isSafeInteger(value) && number >= least && number <= most;
  return isValid ? undefined : `must be an integer from ${least} to ${most}`;
}
