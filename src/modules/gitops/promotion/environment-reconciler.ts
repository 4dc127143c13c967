/**
 * Reconciles Environments of promotions: each has a GitOpsDeploymentManagedEnvironment, and a copy
 * of its Secret where that has another type.
 */
import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { generatedName } from "../generated-deployment.ts";
import {
  connectionCondition,
  deliveryTargetsKind,
  environmentSecretTypes,
  gitopsVersion,
  managedEnvironmentsKind,
  promotionEnvironmentsKind,
  targetClaimsKind,
} from "../names.ts";
import {
  claimNameOf,
  managedEnvironmentSpec,
  placeOf,
  targetNamespaceOf,
} from "./environment-target.ts";
import type { EnvironmentPlace } from "./environment-target.ts";
import { problemConditions, readinessOf } from "./problem-conditions.ts";
import type { PromotionProblem } from "./problem-conditions.ts";

export function promotionEnvironmentReconciler(): Reconciler {
  return { kind: promotionEnvironmentsKind, reconcile };
}

async function reconcile(environment: Resource, context: Context): Promise<Outcome> {
  const place = await placeIn(environment, context);
  const report = (problem: PromotionProblem | undefined, more: JsonObject): Outcome => {
    const ready = readinessOf(problem);
    const conditions = problemConditions(environment, problem, context.clock.nowMs());
    const message = problem?.message ?? null;
    return done({ status: { ...more, message, conditions }, ...(ready && { ready }) });
  };
  // What exists stays while the Environment has a problem: deployments may run there.
  if (place.kind === "problem") return report(place.problem, {});
  if (place.kind === "here") {
    await keepOnly(context, []);
    return report(undefined, { managedEnvironment: null, targetNamespace: null });
  }
  const { credentials } = place;
  const name = generatedName("environment", environment.metadata.name);
  const secret = await secretFor(credentials, name, context);
  if (typeof secret !== "string") return report(secret, {});
  const { namespace = "" } = environment.metadata;
  const applied = await context.children.apply({
    apiVersion: gitopsVersion,
    kind: "GitOpsDeploymentManagedEnvironment",
    metadata: { name, namespace },
    spec: managedEnvironmentSpec(credentials, secret),
  });
  await keepOnly(context, [name]);
  const connection = (
    (objectAt(applied, "status")["conditions"] ?? []) as readonly JsonObject[]
  ).find((each) => each["type"] === connectionCondition);
  const targetNamespace = targetNamespaceOf(credentials) || null;
  const fields = { managedEnvironment: name, targetNamespace };
  if (textAt(connection, "status") === "False") {
    const { reason, message } = { reason: "", message: "", ...connection } as PromotionProblem;
    return report({ reason, message }, fields);
  }
  return report(undefined, fields);
}

async function placeIn(environment: Resource, context: Context): Promise<EnvironmentPlace> {
  const name = claimNameOf(environment);
  const claim =
    name === "" ? undefined : await context.references.get({ kind: targetClaimsKind, name });
  const bound = textAt(claim?.status, "targetName");
  const target =
    bound === ""
      ? undefined
      : await context.references.get({ kind: deliveryTargetsKind, name: bound });
  return placeOf(environment, { claim, target });
}

/** The name of a Secret of the right type. The Secret of the user is copied when it has another. */
async function secretFor(
  credentials: JsonObject,
  copy: string,
  context: Context,
): Promise<string | PromotionProblem> {
  const name = textAt(credentials, "clusterCredentialsSecret");
  const secret = await context.references.get({ kind: "secrets", name });
  if (secret === undefined) {
    const message = `the Secret ${name} does not exist in this namespace`;
    return { reason: "SecretNotFound", message };
  }
  if (environmentSecretTypes.includes(textAt(secret, "type"))) return name;
  const kubeconfig = textAt(secret, "data", "kubeconfig");
  if (kubeconfig === "") {
    const message = `the Secret ${name} has no key kubeconfig`;
    return { reason: "MissingKubeConfigField", message };
  }
  await context.children.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: copy },
    type: environmentSecretTypes[0] ?? "",
    data: { kubeconfig },
  });
  return copy;
}

/** Deletes what an earlier spec needed. */
async function keepOnly(context: Context, names: readonly string[]): Promise<void> {
  for (const kind of [managedEnvironmentsKind, "secrets"]) {
    for (const { metadata } of await context.children.list(kind)) {
      if (names.includes(metadata.name)) continue;
      await context.children.delete({ kind, name: metadata.name });
    }
  }
}
