/**
 * Keeps the objects of a ManifestSet in an API server. Objects are noted in the inventory before
 * they are applied, so that a run after a crash knows what it may have to prune.
 */
import { accountOf, accountUser } from "../../../acting/identity.ts";
import { remoteApi } from "../../../acting/object-api.ts";
import type { ObjectApi } from "../../../acting/object-api.ts";
import { ownApi } from "../../../acting/own-api.ts";
import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { OpenKube } from "../../../adapters/kubernetes/port.ts";
import { again, done, failed } from "../../../engine/outcome.ts";
import type { Failed, Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import type { Intents } from "../../../intents/request.ts";
import { timeText } from "../../../kernel/clock.ts";
import { hider } from "../../../kernel/hider.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  isTrueAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { cancellation } from "../target/cancel.ts";
import { keyedDigests } from "../target/digests.ts";
import { driftRequest, driftStatus } from "../target/drift.ts";
import { evaluate } from "../target/expressions.ts";
import { manifestSetsKind } from "./manifest-kinds.ts";
import {
  applyAll,
  checkOwners,
  findDrift,
  findWanted,
  inventoryOf,
  readStates,
  removeAll,
} from "./manifest-run.ts";
import type { Allowed, ObjectState, Wanted } from "./manifest-run.ts";
import {
  fieldManager,
  referenceJson,
  referenceText,
  secretTexts,
  wantedObjects,
} from "./objects.ts";
import { allowedTarget, targetAccess, targetOf } from "./target-access.ts";

export interface ManifestPorts {
  readonly openKube: OpenKube;
  readonly intents: Intents;
  readonly authorizer: Authorizer;
}

export function manifestReconciler(ports: ManifestPorts): Reconciler {
  return {
    kind: manifestSetsKind,
    reconcile: async (set, context) => {
      const target = await allowedTarget(set, context);
      return await withApi(set, target, { context, ports }, async (api) => {
        return await reconcile({ set, target, context, api });
      });
    },
    remove: async (set, context) => {
      const hint = "; create it again: the objects cannot be deleted without it";
      const target = await targetOf(set, context, hint);
      return await withApi(set, target, { context, ports }, async (api) => {
        const left = await removeAll(set, api, inventoryOf(set));
        if (left.length === 0) return done();
        const message = `waiting for the deletion of ${left.map(referenceText).join(", ")}`;
        return again(executorLimits.manifestPollMs, { reason: "Pruning", message });
      });
    },
    retry: { soonMostMs: 60_000 },
  };
}

interface Work {
  readonly set: Resource;
  readonly target: Resource | undefined;
  readonly context: Context;
  readonly api: ObjectApi;
}

async function reconcile(work: Work): Promise<Outcome> {
  const { set, target, context, api } = work;
  const digestOf = await keyedDigests(context);
  const applied = digestOf(JSON.stringify(wantedObjects(set)));
  const isApplied = textAt(set, "status", "applied") === applied;
  const cancelled = isApplied ? undefined : cancellation(set);
  if (cancelled !== undefined) return cancelled;
  const { wanted, unserved } = await findWanted(set, api, allowedBy(set, target));
  if (isApplied && unserved.length === 0) {
    const items = await findDrift(set, api, wanted);
    if (items.length === 0 || !driftRequest(set).isCorrected) {
      const drift = driftStatus(set, items, context.clock.nowMs());
      return await judge(work, wanted, drift);
    }
    const shown = items.slice(0, 3).map(({ path }) => path);
    context.event("Warning", "DriftCorrected", `applied again: ${shown.join(", ")}`);
  }
  // First, so that the inventory has no object that may not even be read.
  await checkOwners(set, api, wanted);
  const inventory = joined(set, wanted);
  await context.status.patch({ inventory });
  await applyAll(api, wanted, async (count, at) => {
    const of = wanted.length + unserved.length;
    await context.progress({ done: count, of, message: referenceText(at) });
  });
  if (unserved.length > 0) {
    const [first] = unserved;
    const what = `${textAt(first, "kind")} of ${textAt(first, "apiVersion")}`;
    const message = `the kind ${what} is not served; it is applied when it is`;
    return again(executorLimits.manifestPollMs, { reason: "KindNotServed", message });
  }
  const appliedAt = timeText(context.clock.nowMs());
  const drift = driftStatus(set, [], context.clock.nowMs());
  return await judge(work, wanted, { applied, appliedAt, ...drift });
}

/** Prunes, then reads the health. */
async function judge(
  { set, target, context, api }: Work,
  wanted: readonly Wanted[],
  status: JsonObject,
): Promise<Outcome> {
  const names = new Set(wanted.map(({ at }) => referenceText(at)));
  const old = inventoryOf(set).filter((at) => !names.has(referenceText(at)));
  const isPruned = valueAt(set, "spec", "prune") !== false;
  const left = isPruned ? await removeAll(set, api, old) : old;
  const inventory = [...(isPruned && left.length === 0 ? [] : old), ...wanted.map(({ at }) => at)];
  const { states, objects } = await readStates(set, api, wanted);
  const outputs = outputsOf(set, objects);
  const shown: JsonObject = {
    ...status,
    inventory: inventory.map(referenceJson),
    objects: states.map(({ health, message, ...at }) => ({
      ...referenceJson(at),
      health,
      message,
    })),
    ...(outputs.kind === "outputs"
      ? { outputs: makeMergePatch(objectAt(set, "status", "outputs"), outputs.values) }
      : {}),
  };
  if (isPruned && left.length > 0) {
    const message = `waiting for the deletion of ${left.map(referenceText).join(", ")}`;
    return again(executorLimits.manifestPollMs, { status: shown, reason: "Pruning", message });
  }
  const outcome = healthOutcome(set, states, shown, context.clock.nowMs());
  if (outcome !== undefined) return outcome;
  if (outputs.kind === "problem") {
    return failed("OutputInvalid", outputs.message, { status: shown, retry: "slow" });
  }
  const seconds = numberAt(target, "spec", "resyncSeconds") ?? executorLimits.manifestResyncSeconds;
  return done({ status: shown, resyncMs: seconds * 1_000 });
}

/** Undefined when all objects are healthy. A missing object is drift, not bad health. */
function healthOutcome(
  set: Resource,
  states: readonly ObjectState[],
  status: JsonObject,
  nowMs: number,
): Outcome | undefined {
  const bad =
    states.find(({ health }) => health === "Degraded") ??
    states.find(({ health }) => health === "Progressing");
  if (bad === undefined) return undefined;
  const message = `${referenceText(bad)}: ${bad.message}`;
  const ready = { status: "False", reason: bad.health, message } as const;
  const sinceMs = Date.parse(textAt(status, "appliedAt") || textAt(set, "status", "appliedAt"));
  const limitMs = (numberAt(set, "spec", "healthTimeoutSeconds") ?? 600) * 1_000;
  if (bad.health === "Progressing" && !(nowMs - sinceMs > limitMs)) {
    return again(executorLimits.manifestPollMs, { status, ready, reason: bad.health, message });
  }
  return failed(bad.health, message, { status, ready, afterMs: executorLimits.manifestSlowMs });
}

interface ApiInput {
  readonly context: Context;
  readonly ports: ManifestPorts;
}

/** Refusals of the server become failures, without the values of secret manifests. */
async function withApi(
  set: Resource,
  target: Resource | undefined,
  { context, ports }: ApiInput,
  run: (api: ObjectApi) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    if (target === undefined) {
      const user = accountUser(set.metadata.namespace ?? "", accountOf(set));
      return await run(ownApi({ ...ports, context, user, fieldManager }));
    }
    const access = await targetAccess(target, context);
    using client = ports.openKube({ access, token: () => access.token, fieldManager });
    return await run(remoteApi(client, context, `kubernetes/${target.metadata.name}`));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return refusal(error, hider(secretTexts(set))(error.message));
  }
}

function refusal(error: KubeError, message: string): Failed {
  if (error.status === 0) return failed("ConnectionFailed", message);
  if (error.status === 403 || error.status === 401) {
    return failed("Forbidden", message, { retry: "slow" });
  }
  return failed("RequestRefused", message, { retry: error.isFinal ? "slow" : "soon" });
}

function allowedBy(set: Resource, target: Resource | undefined): Allowed | undefined {
  if (target === undefined) return undefined;
  const allow = objectAt(target, "spec", "allow");
  const named = textsAt(allow, "targetNamespaces").map((each) => {
    return each.replaceAll("{namespace}", set.metadata.namespace ?? "");
  });
  return {
    namespaces: named.length === 0 ? undefined : named,
    isClusterScoped: isTrueAt(allow, "clusterScoped"),
  };
}

/** Old and new objects, in the order in which they were applied. */
function joined(set: Resource, wanted: readonly Wanted[]): readonly JsonObject[] {
  const names = new Set(wanted.map(({ at }) => referenceText(at)));
  const old = inventoryOf(set).filter((at) => !names.has(referenceText(at)));
  return [...old, ...wanted.map(({ at }) => at)].map(referenceJson);
}

type Outputs =
  | { readonly kind: "outputs"; readonly values: JsonObject }
  | { readonly kind: "problem"; readonly message: string };

function outputsOf(set: Resource, objects: JsonObject): Outputs {
  const expressions = objectAt(set, "spec", "outputs");
  const values: Record<string, Json> = {};
  for (const name of Object.keys(expressions)) {
    const result = evaluate(textAt(expressions, name), "objects", objects);
    if (result.kind === "problem") {
      return { kind: "problem", message: `spec.outputs.${name}: ${result.message}` };
    }
    values[name] = result.value;
  }
  return { kind: "outputs", values };
}
