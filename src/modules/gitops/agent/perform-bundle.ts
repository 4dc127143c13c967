/** Carries out one request at a cluster: a comparison, at most one wave of a sync, a removal. */
import type { JsonObject } from "../../../kernel/json.ts";
import { referenceKey } from "../object-reference.ts";
import { healthEngine } from "../status/health-engine.ts";
import { objectReports } from "../sync/object-reports.ts";
import { observe } from "../sync/observe.ts";
import { removeEntries } from "../sync/removal.ts";
import type { SettledObjects } from "../sync/settled-objects.ts";
import { performSteps } from "../sync/steps.ts";
import type { StepsReport } from "../sync/steps.ts";
import type { Target, TargetRules } from "../targets/target.ts";
import type { BundleReport, BundleRequest, CompareReport, CompareRequest } from "./bundle.ts";

export interface BundleWork {
  readonly target: Target;
  readonly rules: TargetRules;
  readonly settled: SettledObjects;
  /** Digest of the request without its sync. */
  readonly about: string;
  /** The last report about the bundle. */
  readonly earlier: BundleReport | undefined;
  /** Uids of the other deployments of the cluster. */
  readonly others: ReadonlySet<string>;
  readonly nowMs: () => number;
}

export async function performBundle(
  request: BundleRequest,
  work: BundleWork,
): Promise<BundleReport> {
  if (request.kind === "Compare") return await compare(request, work);
  const { target, about } = work;
  const removal = await removeEntries(target, request.deploymentUid, request.entries);
  if (removal.kind === "problem") return { kind: "Problem", about, message: removal.message };
  return { kind: "Remove", left: removal.left.length, message: removal.message };
}

async function compare(request: CompareRequest, work: BundleWork): Promise<BundleReport> {
  const { target, rules, settled, about, others, nowMs } = work;
  const { operation, deploymentUid } = request;
  const observed = await observe({
    ...request,
    target,
    rules,
    planRules: request.rules,
    settled,
    // Deployments of this server are not objects of the cluster.
    forbidden: async () => new Map(),
    existing: async (uids) => new Set([...uids].filter((uid) => others.has(uid))),
  });
  if (observed.kind === "problem") return { kind: "Problem", about, message: observed.message };
  const { plan, live } = observed;
  const healthRules = (): readonly JsonObject[] => [{ rules: request.health }];
  const health = healthEngine({ healthRules, isReconciled: () => false }).rulesFor({});
  const objects = objectReports(plan, live, health);
  const report: CompareReport = { kind: "Compare", about, plan, objects, live, sync: undefined };
  if (operation === undefined) return report;
  const { id } = operation;
  const before = progressOf(work.earlier, id);
  if (before !== undefined && before.state !== "running") {
    return { ...report, sync: { id, report: before } };
  }
  const steps = await performSteps({
    plan,
    live,
    target,
    health,
    operation: {
      id,
      results: before?.results ?? [],
      step: before?.step,
      message: before?.message ?? "",
    },
    continuesAfterErrors: request.rules.onError === "Continue",
    waveTimeoutSeconds: request.waveTimeoutSeconds,
    nowMs,
  });
  settled.add(deploymentUid, steps.settled);
  return { ...report, sync: { id, report: joined(before, steps) } };
}

function progressOf(earlier: BundleReport | undefined, id: string): StepsReport | undefined {
  if (earlier?.kind !== "Compare" || earlier.sync?.id !== id) return undefined;
  return earlier.sync.report;
}

/** All of the sync, because the server may not see each report. */
function joined(before: StepsReport | undefined, steps: StepsReport): StepsReport {
  if (before === undefined) return steps;
  const applied = new Map([...before.applied, ...steps.applied]);
  const removed = new Set([...before.removed, ...steps.removed]);
  return { ...steps, applied, removed };
}

/** Only what the request names: the server has decided what the tenant may write. */
export function rulesOf(request: BundleRequest, rules: TargetRules): TargetRules {
  if (request.kind === "Remove") return rules;
  const { refusals, defaultNamespace } = request;
  return {
    ...rules,
    defaultNamespace,
    refusal: (at, isNamespaced) => {
      const refusal = refusals[`${isNamespaced} ${referenceKey(at)}`];
      if (refusal === undefined) return "the request of the server does not name the object";
      return refusal === "" ? undefined : refusal;
    },
  };
}
