// Reconciles Plans: computes once what a deployment would change, and lets kinds that can plan
// themselves do so. A Plan changes nothing.

import { done, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { secretPointers } from "../../../kernel/field-rules.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, listAt, numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import type { Position, Store } from "../../../store/port.ts";
import { errorText, instancesOf } from "../environment/apply-deployment.ts";
import { deploymentDigest, serviceAccountOf } from "../environment/environment.ts";
import { environmentLimits } from "../limits.ts";
import { environmentKey, environmentLabel, planKindAnnotation } from "../names.ts";
import { plansKind, resourcesKind } from "../names.ts";
import { applyTarget } from "../resource/apply-target.ts";
import type { TargetPorts } from "../resource/apply-target.ts";
import { kindFound } from "../resource/run.ts";
import { targetState } from "../resource/target-state.ts";
import { isSecretPlace } from "../templates/secret-flow.ts";
import type { CompiledTemplate } from "../templates/compile.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { planChanges } from "./plan-changes.ts";
import type { PlannedChange } from "./plan-changes.ts";
import { plannedDeployment } from "./planned-deployment.ts";
import { baseOf } from "./staleness.ts";

export interface PlanPorts extends TargetPorts {
  readonly store: Pick<Store, "get" | "list">;
  readonly templates: TemplateCache;
}

interface PlanRun {
  readonly plan: Resource;
  readonly environment: Resource;
  readonly context: Context;
  readonly ports: PlanPorts;
}

export function planReconciler(ports: PlanPorts): Reconciler {
  return {
    kind: plansKind,
    resyncMs: 0,
    reconcile: async (plan, context) => {
      const isDone = ["Ready", "Failed"].includes(textAt(plan.status, "phase"));
      if (isDone) return done({ ready: "keep", resyncMs: 0 });
      const name = textAt(plan.spec, "environment");
      const key = environmentKey(plan.metadata.namespace ?? "", name);
      const record = await ports.store.get(key);
      if (record === undefined) return failedPlan("NotFound", `there is no Environment ${name}`);
      const environment = decodeDocument(record.body, record.revision);
      try {
        return await compute({ plan, environment, context, ports });
      } catch (error) {
        if (!(error instanceof TemplateProblem)) throw error;
        return failedPlan("TemplateFailed", shortText(error.message, 2_000));
      }
    },
  };
}

async function compute(run: PlanRun): Promise<Outcome> {
  const { plan, environment, ports } = run;
  const members = await membersOf(run);
  const deployment = plannedDeployment(plan, environment);
  const isDestruction = isTrueAt(plan.spec, "destroy");
  const expansion = await instancesOf(environment, deployment, ports.templates, async (name) =>
    generatedIn(members, name),
  );
  if (expansion.errors.length > 0 && !isDestruction) {
    return failedPlan("InvalidDeployment", shortText(errorText(expansion.errors), 2_000));
  }
  const entries = new Map(expansion.templates.map(({ name, compiled }) => [name, compiled]));
  for (const { spec } of members) await addTemplate(run, textAt(spec, "template"), entries);
  const steps = planChanges({
    instances: isDestruction ? [] : expansion.instances,
    members: new Map(members.map((each) => [each.metadata.name, each])),
    entryOf: (template, key) => entries.get(template)?.entries.get(key),
    kindOf: (apiVersion, kind) => kindFound(ports, apiVersion, kind)?.served.kind,
    willRun: (apiVersion, kind) => {
      const found = kindFound(ports, apiVersion, kind);
      return found?.served.isReconciled === true && planKindOf(ports, apiVersion, kind) === "";
    },
  });
  const changes = await inTurnsOf(environment.metadata.namespace ?? "", steps);
  return await nested(run, members, changes, deployment);
}

async function addTemplate(
  { plan, ports }: PlanRun,
  name: string,
  entries: Map<string, CompiledTemplate>,
): Promise<void> {
  if (entries.has(name)) return;
  const found = await ports.templates.get(plan.metadata.namespace ?? "", name);
  if (found !== undefined) entries.set(name, found.compiled);
}

async function membersOf({ environment, ports }: PlanRun): Promise<readonly Resource[]> {
  const { namespace = "", uid } = environment.metadata;
  const found: Resource[] = [];
  let from: Position | undefined;
  do {
    const page = await ports.store.list({
      kind: resourcesKind,
      namespace,
      owner: uid,
      ...(from === undefined ? {} : { from }),
    });
    found.push(...page.records.map(({ body, revision }) => decodeDocument(body, revision)));
    from = page.next;
  } while (from !== undefined);
  return found;
}

/** A secret that does not exist yet has no value that could be compared. */
function generatedIn(members: readonly Resource[], name: string): string {
  for (const { spec } of members) {
    const value = textAt(spec, "input", "secrets", "secrets", name);
    if (value !== "") return value;
  }
  return "";
}

/** The kind that plans a kind, from the annotation of its definition. */
function planKindOf({ intents }: PlanPorts, apiVersion: string, kind: string): string {
  const definition = kindFound({ intents }, apiVersion, kind)?.served.definition;
  if (definition === undefined) return "";
  const key = {
    kind: "customresourcedefinitions.apiextensions.k8s.io",
    namespace: "",
    name: definition.name,
  };
  const found = intents.live.get(key)?.resource;
  return found?.metadata.annotations?.[planKindAnnotation] ?? "";
}

async function nested(
  run: PlanRun,
  members: readonly Resource[],
  changes: readonly PlannedChange[],
  deployment: JsonObject,
): Promise<Outcome> {
  const { plan, ports, context, environment } = run;
  const shown: JsonObject[] = [];
  const open: { kind: string; name: string; condition: string }[] = [];
  for (const change of changes.slice(0, environmentLimits.maxPlanChanges)) {
    const planKind = planKindOf(ports, change.apiVersion, change.kind);
    const needsPlan = planKind !== "" && change.action !== "none" && change.document !== undefined;
    if (!needsPlan) {
      shown.push(shownChange(change, undefined));
      continue;
    }
    const found = kindFound(ports, change.apiVersion, planKind);
    if (found === undefined) {
      shown.push(shownChange({ ...change, willRun: true }, undefined));
      continue;
    }
    const leak = unsealedIn(ports, found, change);
    if (leak !== undefined) {
      const reason = `the target was not planned: ${leak} is not a secret field of ${planKind}`;
      shown.push({ ...shownChange(change, undefined), reason });
      continue;
    }
    const name = `${plan.metadata.name}.${change.resource}`;
    const child = await askTarget(run, found, change, { name, deployment });
    if (typeof child === "string") {
      shown.push({ ...shownChange(change, undefined), reason: child });
      continue;
    }
    await context.references.get({ kind: found.served.id, name });
    const state = targetState({ target: { ...child }, readyWhen: undefined, hasStatus: true });
    if (state.kind === "ready") shown.push(shownChange(change, { plan: name, child }));
    else if (state.kind === "progressing") {
      open.push({ kind: found.served.id, name, condition: "Ready" });
    } else {
      const reason = `the plan of the target failed: ${state.message}`;
      shown.push({ ...shownChange(change, undefined), reason });
    }
  }
  if (open.length > 0) {
    const status = { phase: "Pending", message: `${open.length} plans of targets are not ready` };
    return waiting(open.slice(0, 50), { message: status.message, status });
  }
  const count = (action: string): number => changes.filter((each) => each.action === action).length;
  return done({
    resyncMs: 0,
    status: {
      phase: "Ready",
      reason: null,
      message: null,
      digest: deploymentDigest(deployment),
      base: baseOf(environment, members),
      add: count("add"),
      change: count("change"),
      remove: count("remove"),
      deferred: changes.reduce((sum, each) => sum + each.deferred, 0),
      changes: shown,
      ...(changes.length > shown.length ? { moreChanges: changes.length - shown.length } : {}),
      readyAt: timeText(context.clock.nowMs()),
    },
  });
}

/** The first secret field of the target that the kind of its plan would not seal. */
function unsealedIn(
  ports: PlanPorts,
  found: NonNullable<ReturnType<typeof kindFound>>,
  { apiVersion, kind, document = {} }: PlannedChange,
): string | undefined {
  const target = kindFound(ports, apiVersion, kind)?.served.kind;
  if (target === undefined) return undefined;
  const places = secretPointers(target, document).map((path) => parsePointer(path));
  const leak = places.find((place) => !isSecretPlace(found.served.kind, ["spec", ...place]));
  return leak?.join(".");
}

/** The document of the plan of a target, applied as the ServiceAccount; or why it was refused. */
async function askTarget(
  { plan, ports, context, environment }: PlanRun,
  found: NonNullable<ReturnType<typeof kindFound>>,
  change: PlannedChange,
  { name, deployment }: { readonly name: string; readonly deployment: JsonObject },
): Promise<Resource | string> {
  const key = { kind: found.served.id, namespace: plan.metadata.namespace ?? "", name };
  const existing = await ports.store.get(key);
  try {
    return await applyTarget(ports, {
      context,
      owner: plan,
      found,
      isThere: existing !== undefined,
      serviceAccountName: serviceAccountOf(deployment),
      document: {
        apiVersion: change.apiVersion,
        kind: found.served.kind.names.kind,
        metadata: { name, labels: { [environmentLabel]: environment.metadata.name } },
        spec: { target: change.resource, spec: objectAt(change.document, "spec") },
      },
    });
  } catch (error) {
    if (!isSetpointError(error) || error.code === "claim.lost") throw error;
    return `the target was not planned: ${error.message}`;
  }
}

interface NestedPlan {
  readonly plan: string;
  readonly child: Resource;
}

function shownChange(change: PlannedChange, nestedPlan: NestedPlan | undefined): JsonObject {
  const { resource, key, kind, action, fields, willRun } = change;
  const status = nestedPlan?.child.status;
  return {
    resource,
    key,
    kind,
    action,
    ...(fields.length === 0 ? {} : { fields }),
    ...(willRun ? { willRun } : {}),
    ...(nestedPlan === undefined
      ? {}
      : {
          nested: {
            plan: nestedPlan.plan,
            add: numberAt(status, "add") ?? 0,
            change: numberAt(status, "change") ?? 0,
            remove: numberAt(status, "remove") ?? 0,
            changes: listAt(status, "changes").slice(0, 1_000),
          },
        }),
  };
}

function failedPlan(reason: string, message: string): Outcome {
  return done({
    ready: { status: "False", reason, message },
    resyncMs: 0,
    status: { phase: "Failed", reason, message },
  });
}
