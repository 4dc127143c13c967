// What a sync would change, as the plan of a run has it. Values of an object are shown to callers
// who may read the object in the target, and values of Secrets to none.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { ReconcileFailure } from "../../../engine/outcome.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { SourceRevision } from "../source/source-trees.ts";
import { existingOf } from "../sync/compare.ts";
import { forbiddenIn } from "../sync/nested.ts";
import { readInventory } from "../sync/inventory-store.ts";
import { observe } from "../sync/observe.ts";
import type { Plan, PlannedChange, PlannedObject, PlannedPrune } from "../sync/plan.ts";
import { RenderCache } from "../sync/render-cache.ts";
import { SettledObjects } from "../sync/settled-objects.ts";
import { planRules, renderOptions, specProblem } from "../sync/spec.ts";
import type { SyncInput } from "../sync/sync-input.ts";
import { environmentOf, mayGetOf, mayReadEnvironment, mayReadObject } from "../visibility.ts";
import { targetOf } from "./refresh-route.ts";
import {
  contextOf,
  deploymentAccess,
  deploymentOf,
  deploymentPath,
  failed,
  found,
  parameters,
} from "./request.ts";

export function diffRoute(input: SyncInput, ports: RoutePorts): Route {
  const rendered = new RenderCache();
  return {
    method: "GET",
    path: `${deploymentPath}/diff`,
    parameters,
    summary: "Compare a revision with the objects of the target.",
    description:
      "The revision is read from the repository, and objects are applied as a dry run. Values of " +
      "an object are left out unless the caller may read it; values of Secrets always.",
    tag: "GitOps",
    access: deploymentAccess("get"),
    isList: true,
    query: {
      type: "object",
      properties: {
        revision: {
          type: "string",
          maxLength: gitopsLimits.maxRefChars,
          description: "A branch, tag or commit. Default: spec.source.targetRevision.",
        },
      },
    },
    answers: { 200: { description: "The plan.", schema: { type: "object" } } },
    errors: [403, 404, 409, 502],
    handle: async (request) => await handled(input, ports, rendered, request),
  };
}

async function handled(
  input: SyncInput,
  ports: RoutePorts,
  rendered: RenderCache,
  request: RouteRequest,
): Promise<RouteAnswer> {
  const deployment = await deploymentOf(ports, request);
  const context = contextOf(input.ports, ports, request, deployment);
  const ref = textAt(request.query, "revision") || targetOf(deployment);
  try {
    const compared = await planOf(input, ports, rendered, { deployment, ref, context });
    const mayGet = mayGetOf(ports, request.caller);
    const environment = await environmentOf(deployment, context);
    const ofAll = environment === undefined ? undefined : mayReadEnvironment(mayGet, environment);
    const isVisible = (at: ObjectReference): boolean => ofAll ?? mayReadObject(mayGet, ports, at);
    const document = planDocument(deployment, compared, isVisible);
    return { kind: "document", status: 200, document };
  } catch (error) {
    // Such as a file that another process removed from the copy of the repository.
    if (error instanceof ReconcileFailure) throw failed(error.message);
    throw error;
  }
}

interface Asked {
  readonly deployment: Resource;
  readonly ref: string;
  readonly context: Context;
}

interface Compared {
  readonly plan: Plan;
  readonly revision: SourceRevision;
}

async function planOf(
  input: SyncInput,
  { intents }: RoutePorts,
  cache: RenderCache,
  { deployment, ref, context }: Asked,
): Promise<Compared> {
  const invalid = specProblem(deployment);
  if (invalid !== undefined) throw notSyncable(invalid);
  if (textAt(deployment, "status", "source", "name") === "") {
    throw notSyncable("its repository has not been read yet; see its conditions");
  }
  const revision = found(await input.trees.resolve(deployment, ref, context));
  const opened = found(await input.targets.open(deployment, context));
  if (opened.kind === "agent") throw notSyncable("its cluster pulls; see status.resources");
  const { target, rules } = opened;
  const options = renderOptions(deployment, rules.defaultNamespace);
  const rendered = found(await cache.render(input, deployment, revision, options, context));
  const inventory = await readInventory(intents.store, deployment, rules.identity);
  const settled = new SettledObjects();
  const run = {
    resource: deployment,
    context,
    ports: { ...input, intents, settled, rendered: cache, instanceId: "" },
  };
  const observed = await observe({
    target,
    rules,
    planRules: planRules(deployment, undefined, false),
    deploymentUid: deployment.metadata.uid,
    rendered: rendered.objects,
    inventory: inventory.entries,
    hookSuffix: revision.commit.slice(0, 7),
    settled,
    forbidden: async (desired) => await forbiddenIn(run, rules.identity, desired),
    existing: async (uids) => await existingOf(run, uids),
  });
  return { plan: found(observed).plan, revision };
}

function notSyncable(message: string): SetpointError {
  return new SetpointError("gitops.not_syncable", `the deployment cannot be compared: ${message}`);
}

function planDocument(
  { metadata }: Resource,
  { plan, revision }: Compared,
  isVisible: (at: ObjectReference) => boolean,
): JsonObject {
  const { objects, prunes, held, problems, counts, isSynced } = plan;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    revision: revision.commit,
    ref: revision.ref,
    isSynced,
    counts: { ...counts },
    objects: objects
      .filter(({ action }) => action !== "unchanged")
      .map((object) => objectDocument(object, isVisible(object.at))),
    prunes: [
      ...prunes.map((prune) => pruneDocument(prune, false)),
      ...(held?.prunes ?? []).map((prune) => pruneDocument(prune, true)),
    ],
    held: held === undefined ? null : { reason: held.reason, hash: held.hash },
    problems: problems.map(({ kind, message, from }) => ({
      reason: kind,
      message,
      file: from?.file ?? "",
    })),
  };
}

function pruneDocument({ at, isSkipped }: PlannedPrune, isHeld: boolean): JsonObject {
  return { ...at, isSkipped, isHeld };
}

function changeDocument(
  { path: field, kind, from, to }: PlannedChange,
  isVisible: boolean,
): JsonObject {
  if (!isVisible) return { path: field, kind };
  const old = from === undefined ? {} : { from };
  return { path: field, kind, ...old, ...(to === undefined ? {} : { to }) };
}

function objectDocument(object: PlannedObject, isVisible: boolean): JsonObject {
  const { at, action, wave, hook, from, changes } = object;
  return {
    ...at,
    action,
    wave,
    hook: hook === undefined ? null : [...hook.phases],
    file: from.file,
    changes: changes.map((change) => changeDocument(change, isVisible)),
    isHidden: !isVisible || (at.group === "" && at.kind === "Secret"),
  };
}
