/**
 * The audit policy as the operator wrote it. A file that cannot be used is told with the option
 * that named it, before the server opens anything. A list that is not one is refused rather than
 * taken for empty, because an empty list of a rule means everything.
 */
import { readFileSync } from "node:fs";
import { auditPolicy } from "../intents/audit/audit-policy.ts";
import type { AuditPolicy } from "../intents/audit/audit-policy.ts";
import { SetpointError } from "../kernel/errors.ts";
import { getOwn, isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json } from "../kernel/json.ts";
import { listAt } from "../kernel/json-read.ts";
import { parseYaml, yamlPlace } from "../kernel/yaml.ts";

export function readAuditPolicy(path: string): AuditPolicy {
  const text = attempt(path, "cannot be read", () => readFileSync(path, "utf8"));
  const { value } = attempt(path, "is not YAML", () => parseYaml(text));
  return attempt(path, "cannot be used", () => {
    const problem = shapeProblem(value);
    if (problem !== undefined) throw new Error(problem);
    return auditPolicy(value);
  });
}

function attempt<T>(path: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const place = yamlPlace(cause);
    throw new SetpointError("config.invalid", `--audit-policy: the file ${path} ${what}${place}`, {
      cause,
      details: { option: "audit-policy", path },
      suggestion: "name a Policy of audit.k8s.io/v1; docs/reference/configuration.md has one",
    });
  }
}

const textLists = ["users", "userGroups", "verbs", "namespaces", "nonResourceURLs", "omitStages"];

function shapeProblem(policy: Json): string | undefined {
  if (!isJsonObject(policy)) return "it must be a map";
  const whole = textListProblem(policy, "", ["omitStages"]);
  if (whole !== undefined) return whole;
  if (!isListOfMaps(getOwn(policy, "rules"))) return "rules must be a list of maps";
  for (const [index, rule] of listAt(policy, "rules").entries()) {
    const at = `rules[${index}].`;
    const problem = textListProblem(rule, at, textLists);
    if (problem !== undefined) return problem;
    if (!isListOfMaps(fieldOf(rule, "resources"))) return `${at}resources must be a list of maps`;
    for (const [place, group] of listAt(rule, "resources").entries()) {
      const inGroup = `${at}resources[${place}].`;
      const wrong = textListProblem(group, inGroup, ["resources", "resourceNames"]);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

function textListProblem(value: Json, at: string, names: readonly string[]): string | undefined {
  const wrong = names.find((name) => {
    const list = fieldOf(value, name) ?? [];
    return !isJsonArray(list) || !list.every((item) => typeof item === "string");
  });
  return wrong === undefined ? undefined : `${at}${wrong} must be a list of strings`;
}

/** What is left out is an empty list. */
function isListOfMaps(value: Json | undefined): boolean {
  const list = value ?? [];
  return isJsonArray(list) && list.every((item) => isJsonObject(item));
}

function fieldOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) ? getOwn(value, name) : undefined;
}
