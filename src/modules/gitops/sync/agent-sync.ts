/**
 * Syncs in clusters that pull. The server stores what the agent has to compare, and the sync that
 * runs; the agent's report wakes the deployment. No run waits for an agent.
 */
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { reportIn, requestDocument } from "../agent/bundle.ts";
import type { CompareRequest } from "../agent/bundle.ts";
import { digestOf } from "../digest.ts";
import { referenceKey, referenceOf } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { BundleExchange, Target, TargetProblem, TargetRules } from "../targets/target.ts";
import type { Compared } from "./compare.ts";
import { hasEnded } from "./decide.ts";
import { named } from "./desired.ts";
import type { ObserveInput, Observed } from "./observe.ts";
import type { OperationState } from "./operation.ts";
import type { SyncRunOf } from "./run.ts";
import type { StepsReport } from "./steps.ts";

export interface NotObserved {
  readonly kind: "not yet";
}

type AgentInput = Pick<
  ObserveInput,
  "deploymentUid" | "rendered" | "inventory" | "planRules" | "hookSuffix" | "rules"
>;

export async function observeByAgent(
  { resource, ports }: SyncRunOf,
  exchange: BundleExchange,
  input: AgentInput,
  operation: OperationState | undefined,
): Promise<Observed | NotObserved | TargetProblem> {
  const running = operation === undefined || hasEnded(operation) ? undefined : operation;
  const request: CompareRequest = {
    kind: "Compare",
    deploymentUid: input.deploymentUid,
    rendered: input.rendered,
    inventory: input.inventory,
    rules: input.planRules,
    defaultNamespace: input.rules.defaultNamespace,
    hookSuffix: input.hookSuffix,
    waveTimeoutSeconds: numberAt(resource.spec, "syncPolicy", "waveTimeoutSeconds"),
    refusals: refusalsOf(input),
    health: [...objectsAt(resource.spec, "healthChecks"), ...ports.health.stated()],
    operation: undefined,
  };
  const about = digestOf(requestDocument(request));
  const document = requestDocument({ ...request, operation: running });
  const { namespace = "", name, uid } = resource.metadata;
  const bundle = deploymentBundle(uid);
  await exchange.send({
    name: bundle,
    deployment: { namespace, name, uid },
    operation: running?.id ?? "",
    revision: running?.revision ?? "",
    action: running === undefined ? "Compare" : "Apply",
    payload: { about, request: document },
  });
  const payload = await exchange.report(bundle);
  const report = payload === undefined ? undefined : reportIn(payload, uid);
  if (report?.kind === "Problem" && report.about === about) {
    const message = `the agent of the cluster: ${report.message}`;
    return { kind: "problem", reason: "Unreachable", message, isFinal: false };
  }
  if (report?.kind !== "Compare" || report.about !== about) return { kind: "not yet" };
  const { plan, live, objects, sync } = report;
  const progress = sync !== undefined && sync.id === running?.id ? sync.report : undefined;
  return { kind: "observed", plan, live, objects, ...(progress && { progress }) };
}

export function deploymentBundle(uid: string): string {
  return `deployment-${uid}`;
}

/** A sync that the agent has not reported about yet is running. */
export function stepsOfAgent({ progress }: Compared, operation: OperationState): StepsReport {
  if (progress !== undefined) return progress;
  return {
    state: "running",
    message: "waits for the agent of the cluster",
    results: operation.results,
    step: operation.step,
    applied: new Map(),
    removed: new Set(),
    settled: new Map(),
  };
}

/**
 * For each object as if its kind had a namespace, and as if not: only the agent knows the kinds of
 * its cluster. An object that is not listed is refused there.
 */
function refusalsOf({ rendered, rules, hookSuffix }: AgentInput): CompareRequest["refusals"] {
  const refusals: Record<string, string> = {};
  const state = (at: ObjectReference, isNamespaced: boolean): void => {
    refusals[`${isNamespaced} ${referenceKey(at)}`] = rules.refusal(at, isNamespaced) ?? "";
  };
  const namespaces = new Set<string>();
  for (const each of rendered) {
    const object = named(each.object, hookSuffix);
    const given = textAt(objectAt(object, "metadata"), "namespace");
    const namespace = given || rules.defaultNamespace;
    state(referenceOf(object, namespace), true);
    state(referenceOf(object, ""), false);
    namespaces.add(namespace);
  }
  for (const name of namespaces) {
    state({ group: "", version: "v1", kind: "Namespace", namespace: "", name }, false);
  }
  return refusals;
}

/** No call of this server reaches a cluster that pulls. */
export function unreachableTarget({ identity }: TargetRules): Target {
  const problem: TargetProblem = {
    kind: "problem",
    reason: "EnvironmentNotReady",
    message: "the agent of the cluster applies the objects: this server does not reach it",
    isFinal: true,
  };
  const refuse = async (): Promise<TargetProblem> => problem;
  return {
    about: identity,
    discover: refuse,
    read: refuse,
    listOwned: refuse,
    apply: refuse,
    delete: refuse,
  };
}

export function inventoryBundle(inventory: {
  readonly metadata: { readonly uid: string };
}): string {
  return `inventory-${inventory.metadata.uid}`;
}
