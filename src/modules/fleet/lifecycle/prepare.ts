// Applies the preparations of an instance as its children, and reads how far they are. Applying
// what is already there writes nothing, so every run applies all of them: that repairs a changed
// spec. The reconcilers of the children repair what changed in external systems.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { ChildDocument, Context } from "../../../engine/reconciler.ts";
import { findCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering } from "../offering.ts";
import { preparationsOf } from "../offerings/preparation.ts";
import type { CompiledPreparation } from "../offerings/preparation.ts";
import { TemplateProblem, renderedObject } from "../offerings/template.ts";
import type { Variables } from "../offerings/template.ts";
import type { Prepared } from "./facts.ts";
import type { InstanceRoute } from "./instance.ts";

export interface PrepareInput {
  readonly offering: Offering;
  readonly context: Context;
  readonly resource: Resource;
  readonly cluster: Resource | undefined;
  readonly organisation: Resource | undefined;
  readonly routes: readonly InstanceRoute[];
}

export async function prepare(
  input: PrepareInput,
  phase: CompiledPreparation["phase"],
): Promise<Prepared> {
  const { preparations } = preparationsOf(input.offering);
  const messages: string[] = [];
  for (const preparation of preparations.filter((each) => each.phase === phase)) {
    for (const variables of variablesOf(input, preparation)) {
      const state = await prepareOne(input, preparation, variables);
      if (state.kind === "failed") return state;
      if (state.kind === "pending") messages.push(state.message);
    }
  }
  const [message] = messages;
  return message === undefined ? { kind: "ready" } : { kind: "pending", message };
}

function variablesOf(input: PrepareInput, { forEach }: CompiledPreparation): readonly Variables[] {
  const { offering, resource, cluster, organisation, routes } = input;
  const common = {
    instance: shown(resource),
    cluster: shown(cluster),
    organisation: shown(organisation),
    offering: { name: offering.name, domain: offering.domain ?? "" },
  };
  if (forEach !== "route") return [common];
  return routes.map(({ name, domain, router }) =>
    Object.assign({ route: { name, domain, router } }, common),
  );
}

/** Without parts that templates must not depend on. */
function shown(resource: Resource | undefined): JsonObject {
  const { namespace = "", name = "", uid = "" } = resource?.metadata ?? {};
  return {
    metadata: { namespace, name, uid },
    spec: objectAt(resource, "spec"),
    status: objectAt(resource, "status"),
  };
}

async function prepareOne(
  { context }: PrepareInput,
  preparation: CompiledPreparation,
  variables: Variables,
): Promise<Prepared> {
  let document: JsonObject;
  try {
    document = renderedObject(preparation.template, variables);
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return { kind: "failed", message: `the preparation ${preparation.name}: ${error.message}` };
  }
  try {
    const child = await context.children.apply(document as unknown as ChildDocument);
    return stateOf(preparation, child);
  } catch (error) {
    return refusedState(preparation, error);
  }
}

/** A refusal of the child is final; an outage is repeated by the engine. */
function refusedState({ name }: CompiledPreparation, error: unknown): Prepared {
  if (!isSetpointError(error)) throw error;
  if (error.retry === "never") {
    return { kind: "failed", message: `the preparation ${name} was refused: ${error.message}` };
  }
  throw new ReconcileFailure(failed("PreparationNotApplied", error.message), { cause: error });
}

function stateOf({ name, isReady }: CompiledPreparation, child: Resource): Prepared {
  if (isReady(child)) return { kind: "ready" };
  const conditions = objectsAt(child.status, "conditions") as unknown as readonly Condition[];
  const synced = findCondition(conditions, "Synced");
  const why = synced?.message || findCondition(conditions, "Ready")?.message || "not ready";
  const message = `the preparation ${name} is not ready: ${why}`;
  const isSeen = valueAt(child.status, "observedGeneration") === child.metadata.generation;
  const isFinal = synced?.status === "False" && isSeen && !isRepeated(child.status);
  return isFinal ? { kind: "failed", message } : { kind: "pending", message };
}

/** The engine says when it tries again. */
function isRepeated(status: Json | undefined): boolean {
  if (isTrueAt(status, "reconcile", "isFinal")) return false;
  return textAt(status, "reconcile", "nextAttempt") !== "";
}

/** Deletes the preparations. Returns what still exists. */
export async function unprepare(
  context: Context,
  kinds: readonly string[],
): Promise<readonly Resource[]> {
  const left: Resource[] = [];
  for (const kind of kinds) {
    for (const child of await context.children.list(kind)) {
      const { name, deletionTimestamp } = child.metadata;
      if (deletionTimestamp === undefined) await context.children.delete({ kind, name });
    }
    left.push(...(await context.children.list(kind)));
  }
  return left;
}
