/**
 * What a process does besides answering: which modules it loads, whether it runs reconcilers, and
 * how many at a time. Checked with the rest of the configuration, before anything is opened.
 */
import { resolve } from "node:path";
import { SetpointError } from "../kernel/errors.ts";
import type { ConfigFile } from "./config-file.ts";
import type { IsolationConfig } from "./isolation/isolation.ts";
import { isolationLimits } from "./isolation/limits.ts";

export const allRoles = ["api", "worker"] as const;
export type Role = (typeof allRoles)[number];

export interface EngineOptions {
  /** Files of modules. */
  readonly module?: readonly string[];
  /** With commas between them. */
  readonly roles?: string;
  readonly slots?: string;
  /** Whether each module runs in a thread of its own. */
  readonly isolate?: boolean;
}

export interface EngineConfig {
  readonly modules: readonly string[];
  /** Whether reconcilers run in this process. Kinds of modules are installed in any case. */
  readonly isWorker: boolean;
  /** Undefined: as the engine has it. */
  readonly slots: number | undefined;
  readonly perNamespace: number | undefined;
  readonly leaseMs: number | undefined;
  readonly graceMs: number;
  /** Undefined: modules run on the main thread. */
  readonly isolation?: IsolationConfig | undefined;
  /** Reconciles failed and waiting resources when the server starts: for `setpoint dev`. */
  readonly startsFresh?: boolean;
  /** Reads modules again when their files change: for `setpoint dev`. */
  readonly reloadsModules?: boolean;
}

const defaultGraceMs = 10_000;

export function engineConfig(options: EngineOptions, file: ConfigFile): EngineConfig {
  const { module: given = [], roles, slots } = options;
  const modules = given.length > 0 ? given : (file.modules ?? []);
  const named = roles === undefined || roles === "" ? file.roles : roles.split(/[\s,]+/);
  const { engine = {} } = file;
  const asked = slots === undefined || slots === "" ? engine.slots : slots;
  return {
    modules: modules.map((path) => resolve(path)),
    isWorker: rolesOf(named ?? allRoles).has("worker"),
    slots: asked === undefined ? undefined : count("slots", asked),
    perNamespace:
      engine.perNamespace === undefined
        ? undefined
        : count("engine.perNamespace", engine.perNamespace),
    leaseMs:
      engine.lease === undefined ? undefined : spanMs("engine.lease", engine.lease, leaseBounds),
    graceMs:
      engine.grace === undefined
        ? defaultGraceMs
        : spanMs("engine.grace", engine.grace, graceBounds),
    ...((options.isolate ?? engine.isolate ?? false) ? { isolation: isolationOf(engine) } : {}),
  };
}

function isolationOf({ moduleBlocked: given }: NonNullable<ConfigFile["engine"]>): IsolationConfig {
  if (given === undefined) return { blockedMs: isolationLimits.blockedMs };
  return { blockedMs: spanMs("engine.moduleBlocked", given, blockedBounds) };
}

function rolesOf(names: readonly string[]): ReadonlySet<Role> {
  const roles = names.filter((name) => name !== "");
  const wrongOne = roles.find((name) => !allRoles.some((role) => role === name));
  if (wrongOne !== undefined) {
    throw wrong("roles", wrongOne, "is not a role", "write api, worker, or api,worker");
  }
  if (roles.length === 0) throw wrong("roles", "", "names no role", "write api,worker");
  return new Set(roles as readonly Role[]);
}

const maxCount = 10_000;

function count(option: string, given: number | string): number {
  const value = Number(given);
  if (Number.isSafeInteger(value) && value >= 1 && value <= maxCount) return value;
  const what = `is not an integer from 1 to ${maxCount}`;
  throw wrong(option, String(given), what, "write for example 64");
}

interface Bounds {
  readonly leastMs: number;
  readonly mostMs: number;
  readonly words: string;
}

/** A shorter lease is lost by a pause of the process, a longer one holds up those who take over. */
const leaseBounds: Bounds = { leastMs: 3_000, mostMs: 600_000, words: "from 3s to 10m" };
const blockedBounds: Bounds = { leastMs: 1_000, mostMs: 600_000, words: "from 1s to 10m" };
const graceBounds: Bounds = { leastMs: 0, mostMs: 600_000, words: "from 0s to 10m" };

function spanMs(option: string, text: string, { leastMs, mostMs, words }: Bounds): number {
  const [, digits = "", unit] = /^(\d{1,4})([sm])$/.exec(text) ?? [];
  const ms = Number(digits) * (unit === "m" ? 60_000 : 1_000);
  if (digits !== "" && ms >= leastMs && ms <= mostMs) return ms;
  const what = `is not a duration ${words}`;
  throw wrong(option, text, what, "write for example 30s or 1m");
}

function wrong(option: string, value: string, what: string, suggestion: string): SetpointError {
  return new SetpointError("config.invalid", `${shownOption(option)} ${value} ${what}`, {
    details: { option, value },
    suggestion,
  });
}

/** What has a dot is in the file alone. */
function shownOption(option: string): string {
  return option.includes(".") ? `configuration file: ${option}` : `--${option}`;
}
