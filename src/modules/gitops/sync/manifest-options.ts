/**
 * What annotations of a manifest say about its sync: wave, hook, options. Those of Argo CD and of
 * Helm with the same meaning are read as well. What is not understood is a problem.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import {
  hookAnnotation,
  hookDeletionAnnotation,
  optionsAnnotation,
  waveAnnotation,
} from "../names.ts";
import type { PlannedHook, SyncPhase } from "./plan.ts";

export interface ManifestOptions {
  readonly wave: number;
  readonly hook: PlannedHook | undefined;
  /** A hook of a kind that does not run here, such as a test of Helm. */
  readonly isSkipped: boolean;
  readonly isReplaced: boolean;
  /** As in the annotation, for the inventory. */
  readonly pruneOptions: string;
  readonly problems: readonly string[];
}

const argo = "argocd.argoproj.io";
const helm = "helm.sh";
const mostWave = 1_000_000;

const ownPhases: Readonly<Record<string, SyncPhase>> = {
  PreSync: "PreSync",
  Sync: "Sync",
  PostSync: "PostSync",
  SyncFail: "SyncFail",
  PreDelete: "PreDelete",
  PostDelete: "PostDelete",
};
const helmPhases: Readonly<Record<string, SyncPhase>> = {
  "pre-install": "PreSync",
  "pre-upgrade": "PreSync",
  "post-install": "PostSync",
  "post-upgrade": "PostSync",
  "pre-delete": "PreDelete",
  "post-delete": "PostDelete",
};
/** Tests run on request only, and a rollback is a sync of an older commit. */
const helmSkipped: ReadonlySet<string> = new Set([
  "test",
  "test-success",
  "test-failure",
  "pre-rollback",
  "post-rollback",
]);

type Deletion = PlannedHook["deletion"][number];
const ownDeletions: Readonly<Record<string, Deletion>> = {
  HookSucceeded: "HookSucceeded",
  HookFailed: "HookFailed",
  BeforeHookCreation: "BeforeHookCreation",
};
const helmDeletions: Readonly<Record<string, Deletion>> = {
  "hook-succeeded": "HookSucceeded",
  "hook-failed": "HookFailed",
  "before-hook-creation": "BeforeHookCreation",
};

/** Options with an effect here, and those that are always on. */
const options: Readonly<Record<string, readonly string[]>> = {
  Prune: ["true", "false"],
  Delete: ["true", "false"],
  Replace: ["true", "false"],
  Force: ["true", "false"],
  PrunePropagationPolicy: ["background", "foreground"],
  ServerSideApply: ["true"],
  SkipDryRunOnMissingResource: ["true", "false"],
  RespectIgnoreDifferences: ["true"],
  FailOnSharedResource: ["true"],
  Validate: ["true"],
};

export function manifestOptions(object: JsonObject): ManifestOptions {
  const problems: string[] = [];
  const hook = hookOf(object, problems);
  const given = optionsOf(object, problems);
  return {
    wave: waveOf(object, problems),
    hook: hook === "skipped" ? undefined : hook,
    isSkipped: hook === "skipped",
    isReplaced: given.get("Replace") === "true" || given.get("Force") === "true",
    pruneOptions: pruneOptionsOf(given),
    problems,
  };
}

/** Whether an object that was removed from git stays. */
export function isKept(pruneOptions: string): boolean {
  return pruneOptions.split(",").includes("Prune=false");
}

/** Whether an object stays when its deployment is deleted. */
export function isKeptAtDeletion(pruneOptions: string): boolean {
  const given = pruneOptions.split(",");
  return given.includes("Delete=false") || given.includes("Prune=false");
}

export function propagationOf(pruneOptions: string): "Background" | "Foreground" {
  const isForeground = pruneOptions.split(",").includes("PrunePropagationPolicy=foreground");
  return isForeground ? "Foreground" : "Background";
}

function waveOf(object: JsonObject, problems: string[]): number {
  const names = [waveAnnotation, `${argo}/sync-wave`, `${helm}/hook-weight`];
  const { name, value } = firstOf(object, names);
  if (value === "") return 0;
  const wave = Number(value);
  const isValid = /^[+-]?\d+$/.test(value) && Math.abs(wave) <= mostWave;
  if (!isValid) problems.push(`${name}: ${JSON.stringify(value)} is not a whole number`);
  return isValid ? wave : 0;
}

function hookOf(object: JsonObject, problems: string[]): PlannedHook | "skipped" | undefined {
  const own = firstOf(object, [hookAnnotation, `${argo}/hook`]);
  if (own.value !== "") {
    if (own.value === "Skip") return "skipped";
    const phases = wordsOf(own, ownPhases, problems);
    const given = firstOf(object, [hookDeletionAnnotation, `${argo}/hook-delete-policy`]);
    return hookWith(phases, wordsOf(given, ownDeletions, problems));
  }
  const given = firstOf(object, [`${helm}/hook`]);
  if (given.value === "") return undefined;
  const kept = textsOf(given.value).filter((word) => !helmSkipped.has(word));
  if (kept.length === 0) return "skipped";
  const phases = wordsOf({ ...given, value: kept.join(",") }, helmPhases, problems);
  const deletion = firstOf(object, [`${helm}/hook-delete-policy`]);
  return hookWith(phases, wordsOf(deletion, helmDeletions, problems));
}

function hookWith(
  phases: readonly SyncPhase[],
  deletion: readonly Deletion[],
): PlannedHook | undefined {
  if (phases.length === 0) return undefined;
  return { phases, deletion: deletion.length === 0 ? ["BeforeHookCreation"] : deletion };
}

function optionsOf(object: JsonObject, problems: string[]): ReadonlyMap<string, string> {
  const found = firstOf(object, [optionsAnnotation, `${argo}/sync-options`]);
  const given = new Map<string, string>();
  for (const word of textsOf(found.value)) {
    const [name = "", value = ""] = word.split("=", 2);
    const values = options[name];
    if (values === undefined || !values.includes(value)) {
      const known = values === undefined ? Object.keys(options) : values;
      problems.push(`${found.name}: ${JSON.stringify(word)} is not one of ${known.join(", ")}`);
    } else given.set(name, value);
  }
  const helmPolicy = firstOf(object, [`${helm}/resource-policy`]);
  if (helmPolicy.value === "keep") given.set("Prune", "false");
  return given;
}

function pruneOptionsOf(given: ReadonlyMap<string, string>): string {
  return ["Prune", "Delete", "PrunePropagationPolicy"]
    .flatMap((name) => {
      const value = given.get(name);
      return value === undefined || value === "true" ? [] : [`${name}=${value}`];
    })
    .join(",");
}

interface Annotation {
  readonly name: string;
  readonly value: string;
}

function firstOf(object: JsonObject, names: readonly string[]): Annotation {
  for (const name of names) {
    const value = textAt(object, "metadata", "annotations", name).trim();
    if (value !== "") return { name, value };
  }
  return { name: names[0] ?? "", value: "" };
}

function textsOf(value: string): readonly string[] {
  return value
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function wordsOf<T extends string>(
  { name, value }: Annotation,
  known: Readonly<Record<string, T>>,
  problems: string[],
): readonly T[] {
  const found = new Set<T>();
  for (const word of textsOf(value)) {
    const meaning = Object.hasOwn(known, word) ? known[word] : undefined;
    if (meaning !== undefined) found.add(meaning);
    else {
      const words = Object.keys(known).join(", ");
      problems.push(`${name}: ${JSON.stringify(word)} is not one of ${words}`);
    }
  }
  return [...found];
}
