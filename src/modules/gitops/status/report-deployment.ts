// The status of a GitOpsDeployment. Pure; see deployment-report.ts.

import { setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withinBytes } from "../bounded.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceKey, referenceText } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import { operationDocument } from "../sync/operation-document.ts";
import type { DeploymentFacts, DeploymentProblem, ObjectReport } from "./deployment-report.ts";
import { historyAfter, pinAfter } from "./history.ts";
import { healthOrder, worstHealth } from "./health.ts";

export function reportDeployment(facts: DeploymentFacts, previous: JsonObject): JsonObject {
  const { deployment, plan, operation, source, objects = [], waitingFor = [] } = facts;
  const { render, target, namespaceUid, webhookUrl } = facts;
  const compared = plan === undefined ? {} : comparedPart(facts, objects);
  return {
    workspaceID: namespaceUid,
    gitopsDeplID: deployment.metadata.uid,
    ...(plan === undefined && hasProblem(facts)
      ? { sync: { status: "Unknown" }, ...healthIfMissing(previous) }
      : {}),
    ...compared,
    ...(source?.kind === "revision"
      ? {
          source: {
            name: source.name,
            revision: source.commit,
            ...(render?.kind === "rendered" ? { tool: render.tool } : {}),
          },
        }
      : {}),
    ...(target !== undefined && "digest" in target && plan !== undefined
      ? { reconciledState: reconciledState(facts, target.namespace) }
      : {}),
    ...(operation === undefined ? {} : { operationState: operationDocument(operation) }),
    window: facts.window ?? null,
    ...historyAfter(facts, previous),
    ...pinAfter(facts, previous),
    webhook: webhookUrl === undefined ? null : { url: webhookUrl },
    waitingFor:
      waitingFor.length === 0
        ? null
        : waitingFor.map(({ name, reason, message }) => ({ name, reason, message })),
    conditions: conditionsAfter(facts, previous),
  };
}

function hasProblem({ problems = [] }: DeploymentFacts): boolean {
  return problems.length > 0;
}

function healthIfMissing(previous: JsonObject): JsonObject {
  const known = textAt(previous, "health", "status");
  return known === "" ? { health: { status: "Unknown" } } : {};
}

function comparedPart(
  { plan, source, render, inventory, target }: DeploymentFacts,
  objects: readonly ObjectReport[],
): JsonObject {
  const statuses = objects.flatMap(({ health }) => (health === undefined ? [] : [health.status]));
  const status = worstHealth(statuses);
  const worst = objects.find(({ health }) => health?.status === status);
  const { maxStatusResources, maxResourcesBytes } = gitopsLimits;
  const first = objects.toSorted(byAttention).slice(0, maxStatusResources).map(objectDocument);
  const shown = withinBytes(first, maxResourcesBytes);
  const omitted = objects.length - shown.length;
  const count = (has: (object: ObjectReport) => boolean): number => objects.filter(has).length;
  const message = status === "Healthy" ? "" : healthMessage(worst);
  const held = plan?.held;
  return {
    sync: {
      status: plan?.isSynced === true ? "Synced" : "OutOfSync",
      revision: source?.kind === "revision" ? source.commit : "",
      comparedDigest: render?.kind === "rendered" ? render.digest : "",
    },
    health: { status, message: message === "" ? null : shortText(message, 500) },
    resources: shown,
    summary: {
      objects: objects.length,
      synced: count(({ sync }) => sync === "Synced"),
      outOfSync: count(({ sync }) => sync === "OutOfSync"),
      healthy: count(({ health }) => health === undefined || health.status === "Healthy"),
      omitted,
    },
    ...(inventory === undefined || target === undefined || "reason" in target
      ? {}
      : { inventory: { ...inventory, target: target.digest } }),
    prune:
      held === undefined
        ? null
        : {
            hash: held.hash,
            reason: held.reason,
            objects: held.prunes.length,
            named: held.prunes
              .slice(0, gitopsLimits.maxNamed)
              .map(({ at }) => referenceDocument(at)),
          },
  };
}

/** With the object, which the message of its controller does not always name. */
function healthMessage(worst: ObjectReport | undefined): string {
  if (worst === undefined) return "";
  const { message = "", status = "" } = worst.health ?? {};
  const subject = referenceText(worst.at);
  if (message.startsWith(subject)) return message;
  return `${subject}: ${message === "" ? `is ${status}` : message}`;
}

function objectDocument({ at, sync, health, isHook, isPruned }: ObjectReport): JsonObject {
  return {
    ...at,
    status: sync,
    ...(health === undefined
      ? {}
      : {
          health: {
            status: health.status,
            ...(health.message === "" ? {} : { message: shortText(health.message, 200) }),
          },
        }),
    ...(isHook === true ? { hook: true } : {}),
    ...(isPruned === true ? { prune: true } : {}),
  };
}

/** What needs attention first; then in a stable order. */
function byAttention(one: ObjectReport, other: ObjectReport): number {
  const rank = ({ sync, health }: ObjectReport): number =>
    (sync === "Synced" ? 0 : 10) + (health === undefined ? 0 : healthOrder.indexOf(health.status));
  const difference = rank(other) - rank(one);
  if (difference !== 0) return difference;
  const [a, b] = [referenceKey(one.at), referenceKey(other.at)];
  return a < b ? -1 : 1;
}

function reconciledState({ deployment: { spec } }: DeploymentFacts, namespace: string): JsonObject {
  return {
    source: {
      repoURL: textAt(spec, "source", "repoURL"),
      path: textAt(spec, "source", "path"),
      branch: textAt(spec, "source", "targetRevision"),
    },
    destination: { name: textAt(spec, "destination", "environment"), namespace },
  };
}

/** ErrorOccurred is True while any problem of the user lasts. */
function conditionsAfter(
  { problems = [], nowMs, source, isPending: isWaiting }: DeploymentFacts,
  previous: JsonObject,
): JsonObject["conditions"] & {} {
  const all = new Map<string, DeploymentProblem>();
  const [first] = problems;
  if (first !== undefined) all.set("ErrorOccurred", { ...first, type: "ErrorOccurred" });
  for (const problem of problems) if (!all.has(problem.type)) all.set(problem.type, problem);
  const isPending = problems.length === 0 && (source === undefined || isWaiting === true);
  let conditions = objectsAt(previous, "conditions") as unknown as readonly Condition[];
  const known = conditions.map(({ type }) => type);
  const ours = known.filter((type) => type !== "Ready" && type !== "Synced");
  for (const type of new Set([...all.keys(), ...ours])) {
    const problem = all.get(type);
    // While the source is not read yet, nothing is known to be resolved.
    if (problem === undefined && isPending) continue;
    const before = conditions.find((each) => each.type === type);
    if (problem === undefined && before?.status === "False") continue;
    const input =
      problem === undefined
        ? { type, status: "False" as const, reason: `${type}Resolved`, message: "" }
        : {
            type,
            status: "True" as const,
            reason: problem.reason,
            message: shortText(problem.message, gitopsLimits.maxMessageChars),
          };
    conditions = setCondition(conditions, input, nowMs);
  }
  return conditions;
}

function referenceDocument({ group, version, kind, namespace, name }: ObjectReference): JsonObject {
  return { group, version, kind, namespace, name };
}
