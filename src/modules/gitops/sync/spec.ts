/** What a GitOpsDeployment states, with defaults. Pure. */
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { windowOf } from "../policy/decide-policy.ts";
import type { EffectivePolicy, SyncWindow } from "../policy/effective-policy.ts";
import type { RenderOptions, RenderTool } from "../render/renderer.ts";
import type { DeploymentProblem } from "../status/deployment-report.ts";
import type { SyncTrigger } from "./operation.ts";
import type { IgnoreRule, PlanRules } from "./plan.ts";

export function pathOf({ spec }: Resource): string {
  return textAt(spec, "source", "path");
}

/** What a run refuses before it reads the repository. */
export function specProblem({ spec }: Resource): string | undefined {
  const path = textAt(spec, "source", "path");
  if (path === "") {
    return "spec.source.path is empty: set a folder of the repository, or . for all of it";
  }
  if (path === "/") {
    return "spec.source.path must not be /: set a folder of the repository, or . for all of it";
  }
  return undefined;
}

/** Those of the deployment, and those of each policy. */
export function windowsOf(
  { spec }: Resource,
  { windows }: Pick<EffectivePolicy, "windows">,
): readonly (readonly SyncWindow[])[] {
  return [objectsAt(spec, "syncPolicy", "windows").map(windowOf), ...windows];
}

export function invalidSpec(message: string): readonly DeploymentProblem[] {
  return [
    { type: "InvalidSpecError", reason: "InvalidSpec", message },
    { type: "ErrorOccurred", reason: "InvalidSpec", message },
  ];
}

export function renderOptions({ spec, metadata }: Resource, namespace: string): RenderOptions {
  const source = objectAt(spec, "source");
  const directory = objectAt(source, "directory");
  const tool = textAt(source, "tool");
  return {
    tool: tool === "" ? undefined : (tool as RenderTool),
    directory: {
      isRecursive: valueAt(directory, "recurse") !== false,
      include: textsAt(directory, "include"),
      exclude: textsAt(directory, "exclude"),
    },
    kustomize: objectAt(source, "kustomize"),
    helm: objectAt(source, "helm"),
    releaseName: textAt(source, "helm", "releaseName") || metadata.name,
    namespace,
  };
}

export function planRules(
  { spec }: Resource,
  trigger: SyncTrigger | undefined,
  syncRunPrunes: boolean,
): PlanRules {
  const policy = objectAt(spec, "syncPolicy");
  const isAutomated = textAt(spec, "type") === "automated";
  const prune = valueAt(policy, "prune");
  return {
    prune:
      trigger === "SyncRun" ? syncRunPrunes : prune === undefined ? isAutomated : prune === true,
    pruneLast: valueAt(policy, "pruneLast") === true,
    allowEmpty: valueAt(policy, "allowEmpty") === true,
    createNamespace: textsAt(policy, "syncOptions").includes("CreateNamespace=true"),
    onError: textAt(policy, "onError") === "Continue" ? "Continue" : "Stop",
    confirmedPrune: textAt(policy, "confirmPrune"),
    ignore: objectsAt(spec, "ignoreDifferences").map((rule): IgnoreRule => ({
      group: textAt(rule, "group"),
      kind: textAt(rule, "kind"),
      namespace: textAt(rule, "namespace"),
      name: textAt(rule, "name"),
      jsonPointers: textsAt(rule, "jsonPointers"),
      managers: textsAt(rule, "managers"),
    })),
    hooks: trigger !== "SelfHeal",
  };
}
