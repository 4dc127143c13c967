// Applies the preparations of an instance as its children, and reads how far they are. Applying
// what is already there writes nothing, so every run applies all of them: that repairs a changed
// spec. The reconcilers of the children repair what changed in external systems. The status lists
// the children, so that one that no template names any more is found and deleted.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Failed } from "../../../engine/outcome.ts";
import type { ChildDocument, Context } from "../../../engine/reconciler.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { preparationsOf } from "../offerings/preparation.ts";
import type { CompiledPreparation } from "../offerings/preparation.ts";
import { TemplateProblem, renderedObject } from "../../../kernel/template/template.ts";
import type { Variables } from "../../../kernel/template/template.ts";
import { definiteFailure } from "./definite-failure.ts";
import type { Facts, Prepared } from "./facts.ts";
import type { InstanceRun } from "./instance-run.ts";
import { kindIdOf, recordPrepared, preparedChildren } from "./prepared-children.ts";
import type { PreparedChild } from "./prepared-children.ts";

export interface PrepareInput {
  readonly cluster: Resource | undefined;
  readonly organisation: Resource | undefined;
}

/** Preparations are applied from the phase preparing on. Those of a failed instance stay. */
export async function prepareAll(
  run: InstanceRun,
  input: PrepareInput,
): Promise<Pick<Facts, "preparing" | "routes">> {
  const { phase, placement, routes } = run.instance;
  const { preparations } = preparationsOf(run.offering);
  const recorded = preparedChildren(run.resource);
  const isNeeded = preparations.length > 0 || recorded.length > 0;
  if (!isNeeded || phase === "accepted" || placement === undefined) {
    return { preparing: ready, routes: ready };
  }
  const children: PreparedChild[] = [];
  const states = { preparing: ready, routes: ready } as Record<
    CompiledPreparation["phase"],
    Prepared
  >;
  for (const preparation of preparations) {
    const own = recorded.filter((child) => child.preparation === preparation.name);
    const isKnown = preparation.phase === "preparing" || routes.length > 0;
    const result = isKnown ? await prepareOne(run, input, preparation) : unknown(own);
    states[preparation.phase] = worse(states[preparation.phase], result.state);
    // Children of a preparation that cannot be rendered or applied stay as they are.
    const isApplied = result.state.kind === "ready" || result.state.kind === "pending";
    children.push(...(isApplied ? result.children : own));
  }
  await recordPrepared(run, children);
  return states;
}

const ready: Prepared = { kind: "ready" };

interface Result {
  readonly state: Prepared;
  readonly children: readonly PreparedChild[];
}

/** The routes of the instance are not known yet. */
function unknown(children: readonly PreparedChild[]): Result {
  return { state: ready, children };
}

const severity: readonly Prepared["kind"][] = ["ready", "pending", "blocked", "failed"];

function worse(one: Prepared, other: Prepared): Prepared {
  return severity.indexOf(other.kind) > severity.indexOf(one.kind) ? other : one;
}

async function prepareOne(
  run: InstanceRun,
  input: PrepareInput,
  preparation: CompiledPreparation,
): Promise<Result> {
  const children: PreparedChild[] = [];
  let state: Prepared = ready;
  for (const [at, variables] of variablesOf(run, input, preparation).entries()) {
    const suffix = preparation.forEach === "route" ? `-${at}` : "";
    const name = `${run.instance.name}-${preparation.name}${suffix}`;
    const applied = await applyOne(run, preparation, variables, name);
    state = worse(state, applied.state);
    children.push(...applied.children);
  }
  return { state, children };
}

function variablesOf(
  { offering, resource, instance }: InstanceRun,
  { cluster, organisation }: PrepareInput,
  { forEach }: CompiledPreparation,
): readonly Variables[] {
  const common = {
    instance: shown(resource),
    cluster: shown(cluster),
    organisation: shown(organisation),
    offering: { name: offering.name, domain: offering.domain ?? "" },
  };
  if (forEach !== "route") return [common];
  return instance.routes.map(({ name, domain, router }) =>
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

async function applyOne(
  run: InstanceRun,
  preparation: CompiledPreparation,
  variables: Variables,
  defaultName: string,
): Promise<Result> {
  const { name } = preparation;
  let document: JsonObject;
  try {
    document = renderedObject(preparation.template, variables);
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return { state: failedState(name, error.message), children: [] };
  }
  try {
    const child = await appliedNamed(run, document, defaultName);
    const kind = kindIdOf(run.ports.intents, document);
    const children = [{ preparation: name, kind, name: child.metadata.name }];
    return { state: stateOf(preparation, child), children };
  } catch (error) {
    return { state: refusedState(preparation, error), children: [] };
  }
}

/**
 * A child without a name in its template gets the default one. Where that belongs to another owner,
 * such as an instance of another Offering, the id of the instance makes the name unique.
 */
async function appliedNamed(
  run: InstanceRun,
  document: JsonObject,
  defaultName: string,
): Promise<Resource> {
  if (textAt(document, "metadata", "name") !== "") return await appliedOnce(run, document);
  const uniqueName = `${defaultName}-${run.instance.id}`;
  const isUnique = preparedChildren(run.resource).some(({ name }) => name === uniqueName);
  if (!isUnique) {
    try {
      return await appliedOnce(run, named(document, defaultName));
    } catch (error) {
      if (!isSetpointError(error, "resource.not_owned")) throw error;
    }
  }
  return await appliedOnce(run, named(document, uniqueName));
}

function named(document: JsonObject, name: string): JsonObject {
  return { ...document, metadata: { ...objectAt(document, "metadata"), name } };
}

/** The facts are read several times in a run; a document is applied once. */
async function appliedOnce(
  { applied, context }: InstanceRun,
  document: JsonObject,
): Promise<Resource> {
  const text = JSON.stringify(document);
  const known = applied.get(text);
  if (known !== undefined) return known;
  const child = await context.children.apply(document as unknown as ChildDocument);
  applied.set(text, child);
  return child;
}

/** A refusal of the child is final; everything else is repeated by the engine. */
function refusedState({ name }: CompiledPreparation, error: unknown): Prepared {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (failure.retry === "never") return failedState(name, failure.message);
  const message = `the preparation ${name} cannot be applied`;
  const detail = `${message}: ${failure.message}`;
  return { kind: "blocked", message, failure: { ...failure, message: detail } };
}

function failureOf(error: unknown): Failed | undefined {
  if (error instanceof ReconcileFailure) return error.outcome;
  if (!isSetpointError(error)) return undefined;
  const retry = error.retry === "never" ? "never" : "soon";
  return failed("PreparationNotApplied", error.message, { retry });
}

function failedState(name: string, why: string): Prepared {
  const message = `the preparation ${name} failed`;
  return { kind: "failed", message, detail: `${message}: ${why}` };
}

function stateOf({ name, isReady }: CompiledPreparation, child: Resource): Prepared {
  if (isReady(child)) return ready;
  const failure = definiteFailure(child);
  if (failure !== undefined) return failedState(name, failure);
  return { kind: "pending", message: `the preparation ${name} is not ready` };
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
