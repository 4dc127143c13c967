// The section `gitops` of the configuration file.

import type { ConfigurationField, ConfigurationSection } from "../../contract/configuration.ts";
import { gitopsLimits } from "./limits.ts";

export interface GitOpsConfiguration {
  /** Undefined: a folder of the operating system for temporary files. */
  readonly cacheFolder?: string;
  /** Undefined: status shows the path of a webhook without a host. */
  readonly publicUrl?: string;
  /** Names that are searched for in PATH, or absolute paths. */
  readonly git: string;
  readonly kubectl: string;
  readonly helm: string;
  readonly pollSeconds: number;
  readonly maxGitPrograms: number;
  readonly seedGroup: boolean;
  /** Undefined: local://… is refused. */
  readonly localRepositories?: string;
}

const defaults: GitOpsConfiguration = {
  git: "git",
  kubectl: "kubectl",
  helm: "helm",
  pollSeconds: gitopsLimits.pollSeconds,
  maxGitPrograms: gitopsLimits.maxGitPrograms,
  seedGroup: false,
};

export const gitopsSection: ConfigurationSection = {
  key: "gitops",
  fields: {
    cacheFolder: {
      type: "path",
      summary: "a folder for copies of repositories; not in the data folder",
    },
    publicUrl: {
      type: "text",
      summary: "the URL at which git hosts reach this server, for webhooks",
      problem: (value) => urlProblem(value),
      suggestion: "write for example https://setpoint.example:7443",
    },
    git: program("git", defaults.git),
    kubectl: program("kubectl, which renders kustomizations", defaults.kubectl),
    helm: program("helm, which renders charts", defaults.helm),
    pollSeconds: {
      type: "number",
      summary: "seconds between two comparisons with a repository",
      default: defaults.pollSeconds,
      problem: (value) =>
        rangeProblem(value, gitopsLimits.minPollSeconds, gitopsLimits.maxPollSeconds),
    },
    maxGitPrograms: {
      type: "number",
      summary: "programs of git that run at a time in one server",
      default: defaults.maxGitPrograms,
      problem: (value) => rangeProblem(value, 1, 64),
    },
    localRepositories: {
      type: "path",
      summary: "a folder whose git repositories deployments name by local://PATH; default: none",
      option: "--gitops-local-repositories <folder>",
      variable: "SETPOINT_GITOPS_LOCAL_REPOSITORIES",
    },
    seedGroup: {
      type: "flag",
      summary: "whether the kinds are also served as managed-gitops.redhat.com/v1alpha1",
      default: defaults.seedGroup,
    },
  },
};

export function gitopsConfiguration(section: unknown): GitOpsConfiguration {
  return { ...defaults, ...(section as Partial<GitOpsConfiguration> | undefined) };
}

function program(what: string, name: string): ConfigurationField {
  return {
    type: "text",
    summary: `the program ${what}: a name in PATH or an absolute path`,
    default: name,
    problem: (value) =>
      typeof value === "string" && /^(?:\/[^\0]+|[\w.+-]+)$/.test(value)
        ? undefined
        : "must be a name or an absolute path",
  };
}

function rangeProblem(value: unknown, least: number, most: number): string | undefined {
  const number = Number(value);
  const isValid = Number.isSafeInteger(value) && number >= least && number <= most;
  return isValid ? undefined : `must be an integer from ${least} to ${most}`;
}

function urlProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return "is not a URL";
  const { protocol, username, password, search, hash } = new URL(value);
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https://";
  if (username !== "" || password !== "") return "must not contain credentials";
  return search === "" && hash === "" ? undefined : "must not have a query or a fragment";
}
