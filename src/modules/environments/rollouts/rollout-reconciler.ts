// Reconciles TemplateRollouts: plans each Environment with the new Template, then moves them in
// waves. The status of an Environment wakes no other resource, so a rollout that moves looks again
// regularly.

import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, listAt, numberAt, objectAt } from "../../../kernel/json-read.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { isMarkedDestroyed, serviceAccountOf } from "../environment/environment.ts";
import { environmentLimits } from "../limits.ts";
import { environmentKey, environmentsKind, environmentsVersion } from "../names.ts";
import { plansKind, rolloutsKind } from "../names.ts";
import { decide } from "./decide.ts";
import type { Decision, MemberFacts } from "./decide.ts";
import { templatesWith } from "./versions.ts";

export interface RolloutPorts {
  readonly intents: Intents;
  readonly store: Pick<Store, "getMany">;
}

interface Member {
  readonly name: string;
  readonly serviceAccountName: string;
  readonly environment: Resource | undefined;
  readonly plan: Resource | undefined;
}

export function rolloutReconciler(ports: RolloutPorts): Reconciler {
  return {
    kind: rolloutsKind,
    resyncMs: 0,
    reconcile: async (resource, context) => await reconcile(resource, context, ports),
  };
}

async function reconcile(
  resource: Resource,
  context: Context,
  ports: RolloutPorts,
): Promise<Outcome> {
  const template = textAt(resource.spec, "template");
  const members = await membersOf(resource, context, ports);
  for (const member of members) await planOf(resource, context, member, template);
  const decision = decide({
    members: members.map((member) => factsOf(member, template)),
    waves: listAt(resource.spec, "waves").map(Number),
    isApproved: isTrueAt(resource.spec, "approved"),
    isPaused: isTrueAt(resource.spec, "paused"),
    skip: new Set(textsAt(resource.spec, "skip")),
  });
  const chosen = new Set(decision.move);
  for (const member of members) {
    if (chosen.has(member.name)) await move(resource, context, ports, { ...member, template });
  }
  return outcomeOf(decision, members);
}

async function membersOf(
  resource: Resource,
  context: Context,
  { store }: RolloutPorts,
): Promise<readonly Member[]> {
  const listed = objectsAt(resource.spec, "environments");
  const namespace = resource.metadata.namespace ?? "";
  const keys = listed.map((each) => environmentKey(namespace, textAt(each, "name")));
  const environments: (Resource | undefined)[] = [];
  for await (const record of recordsInTurns(store, keys, namespaceTenant(namespace))) {
    environments.push(record && decodeDocument(record.body, record.revision));
  }
  const plans = await context.children.list(plansKind);
  return listed.map((each, at) => {
    const name = textAt(each, "name");
    const found = environments[at];
    return {
      name,
      serviceAccountName: textAt(each, "serviceAccountName"),
      environment: found !== undefined && isEnding(found) ? undefined : found,
      plan: plans.find(({ metadata }) => metadata.name === planName(resource, name)),
    };
  });
}

function isEnding(environment: Resource): boolean {
  const { metadata, spec } = environment;
  const isUnwanted = textAt(spec, "desired") === "Destroyed";
  return metadata.deletionTimestamp !== undefined || isUnwanted || isMarkedDestroyed(environment);
}

function planName({ metadata }: Resource, environment: string): string {
  return `${metadata.name}.${environment}`;
}

/** A Plan cannot be changed; one that has become stale is still what the user was shown. */
async function planOf(
  resource: Resource,
  context: Context,
  { name, environment, plan }: Member,
  template: string,
): Promise<void> {
  if (plan !== undefined || environment === undefined) return;
  await context.children.apply({
    apiVersion: environmentsVersion,
    kind: "Plan",
    metadata: { name: planName(resource, name) },
    spec: {
      environment: name,
      templates: [...templatesWith(textsAt(environment.spec, "templates"), template)],
      requestedBy: textAt(resource.spec, "requestedBy"),
    },
  });
}

function factsOf({ name, environment, plan, ...member }: Member, template: string): MemberFacts {
  if (environment === undefined) return { name };
  const { spec, status, metadata } = environment;
  const observed = numberAt(status, "observedGeneration");
  return {
    name,
    environment: {
      isMoved: textsAt(spec, "templates").includes(template),
      isCurrent: observed === metadata.generation && textAt(status, "operation") === "",
      phase: textAt(status, "phase"),
      message: textAt(status, "message"),
      hasOtherAccount:
        serviceAccountOf(objectAt(environment, "spec")) !== member.serviceAccountName,
    },
    ...(plan === undefined
      ? {}
      : {
          plan: { phase: textAt(plan.status, "phase"), message: textAt(plan.status, "message") },
        }),
  };
}

/** Approves the Plan of the rollout as well: the rollout was approved. */
async function move(
  resource: Resource,
  context: Context,
  { intents }: RolloutPorts,
  { name, template }: { readonly name: string; readonly template: string },
): Promise<void> {
  const served = intents.kinds.byId(environmentsKind);
  if (served === undefined) throw new Error("Environments are always served");
  const namespace = resource.metadata.namespace ?? "";
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { ...systemOptions, claim },
      optionsKind: "PatchOptions",
      change: (old) => {
        const templates = templatesWith(textsAt(old.spec, "templates"), template);
        const changed = { templates: [...templates], approvedPlan: planName(resource, name) };
        return { wanted: { ...old, spec: { ...objectAt(old, "spec"), ...changed } } };
      },
      allowsBlind: true,
    });
  });
}

function outcomeOf(decision: Decision, members: readonly Member[]): Outcome {
  const { phase, message, wave } = decision;
  const environments = decision.members.map((state, at): JsonObject => {
    const plan = members[at]?.plan;
    if (plan === undefined) return { ...state };
    const { status, metadata } = plan;
    const counts = { add: countAt(status, "add"), change: countAt(status, "change") };
    return { ...state, ...counts, remove: countAt(status, "remove"), plan: metadata.name };
  });
  const sum = (field: string): number =>
    environments.reduce((total, each) => total + countAt(each, field), 0);
  const status = {
    phase,
    message,
    wave,
    waves: decision.members.at(-1)?.wave ?? 0,
    total: environments.length,
    moved: decision.members.filter(({ state }) => state === "Moved").length,
    failed: decision.members.filter(({ state }) => state === "Failed").length,
    add: sum("add"),
    change: sum("change"),
    remove: sum("remove"),
    environments,
  };
  if (phase === "Succeeded") return done({ status, resyncMs: 0 });
  const ready = { status: "False", reason: phase, message } as const;
  if (phase === "AwaitingApproval") return done({ status, ready, resyncMs: 0 });
  return again(environmentLimits.rolloutLookMs, { status, ready, reason: phase, message });
}

function countAt(value: Parameters<typeof numberAt>[0], field: string): number {
  return numberAt(value, field) ?? 0;
}
