/** Compares a target with the revision that it should have. Everything that a run reads. */
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentsKind } from "../names.ts";
import { closedWindow } from "../policy/windows.ts";
import type { ClosedWindow } from "../policy/windows.ts";
import type { Rendered } from "../render/renderer.ts";
import type { SourceProblem, SourceRevision } from "../source/source-trees.ts";
import { webhookPath } from "../source/webhook.ts";
import type {
  DeploymentFacts,
  DeploymentProblem,
  WaitingFor,
} from "../status/deployment-report.ts";
import type { HealthRules } from "../status/health.ts";
import type { BundleExchange, Target, TargetProblem, TargetRules } from "../targets/target.ts";
import { observeByAgent, unreachableTarget } from "./agent-sync.ts";
import type { NotObserved } from "./agent-sync.ts";
import { hasEnded } from "./decide.ts";
import { dependenciesOf } from "./dependencies.ts";
import { readInventory } from "./inventory-store.ts";
import type { StoredInventory } from "./inventory-store.ts";
import { forbiddenIn } from "./nested.ts";
import { objectReports } from "./object-reports.ts";
import { observe } from "./observe.ts";
import type { Observed, ObserveInput } from "./observe.ts";
import type { OperationState, SyncBlocker, WaitingSyncRun } from "./operation.ts";
import { operationIn } from "./operation-document.ts";
import { manifestOptions } from "./manifest-options.ts";
import type { DeletionPhase, Plan } from "./plan.ts";
import type { SyncRunOf } from "./run.ts";
import { invalidSpec, planRules, renderOptions, specProblem, windowsOf } from "./spec.ts";
import type { StepsReport } from "./steps.ts";
import { pendingSyncRuns } from "./sync-runs.ts";
import { listAll } from "./records.ts";

export interface Compared {
  readonly kind: "compared";
  readonly facts: DeploymentFacts;
  readonly revision: SourceRevision;
  readonly digest: string;
  readonly target: Target;
  /** Of a cluster that pulls; the target is out of reach then. */
  readonly exchange: BundleExchange | undefined;
  readonly progress: StepsReport | undefined;
  readonly rules: TargetRules;
  readonly plan: Plan;
  readonly live: ReadonlyMap<string, JsonObject>;
  readonly inventory: StoredInventory;
  readonly health: HealthRules;
  readonly operation: OperationState | undefined;
  readonly syncRuns: readonly WaitingSyncRun[];
  readonly blockers: readonly SyncBlocker[];
}

export interface Stopped {
  readonly kind: "stopped";
  readonly facts: DeploymentFacts;
  readonly operation: OperationState | undefined;
  readonly againMs: number | undefined;
}

/** Instead of a sync: the hooks of a deletion, of `targetRevision` or of another commit. */
export interface HooksOnly {
  readonly phase: DeletionPhase;
  readonly commit?: string;
}

/** `current` is what the run knows of the operation after it was read from the status. */
export async function compare(
  run: SyncRunOf,
  current?: OperationState,
  hooks?: HooksOnly,
): Promise<Compared | Stopped> {
  const { resource, context, ports } = run;
  const operation = current ?? operationIn(objectAt(resource, "status"));
  const namespaceName = resource.metadata.namespace ?? "";
  const namespace = await context.references.get({ kind: "namespaces", name: namespaceName });
  const given: DeploymentFacts = {
    deployment: resource,
    namespaceUid: namespace?.metadata.uid ?? "",
    nowMs: context.clock.nowMs(),
    ...webhookUrl(run),
    ...(operation === undefined ? {} : { operation }),
  };
  const wanted = await wantedObjects(run, given, operation, hooks);
  if (wanted.kind === "stopped") return wanted;
  const { head, facts, pending, revision, target, exchange, rules, rendered } = wanted;
  const inventory = await readInventory(ports.intents.store, resource, rules.identity);
  const observed = await observedIn(run, wanted, inventory, operation, hooks);
  // The report of the agent wakes the deployment.
  if (observed.kind === "not yet") return stopped(facts, { isPending: true });
  if (observed.kind === "problem") {
    const problems = targetProblems(observed);
    return stopped(facts, { target: observed, problems }, retryMs(observed));
  }
  const { plan, live, progress } = observed;
  const health = ports.health.rulesFor(objectAt(resource, "spec"));
  const waitingFor = await dependenciesOf(run);
  const policy = ports.policies.policyOf(namespaceName);
  const window = closedWindow(windowsOf(resource, policy), facts.nowMs);
  const problems = [
    ...(head.problem === undefined ? [] : sourceProblems(head.problem)),
    ...planProblems(plan),
  ];
  return {
    kind: "compared",
    facts: {
      ...facts,
      plan,
      problems,
      waitingFor,
      objects: observed.objects ?? objectReports(plan, live, health),
      inventory: { shards: inventory.shards.length, objects: inventory.entries.length },
      ...(window === undefined ? {} : { window: window.message }),
    },
    revision,
    digest: rendered.digest,
    target,
    exchange,
    progress,
    rules,
    plan,
    live,
    inventory,
    health,
    operation,
    blockers: blockersOf(waitingFor, window),
    syncRuns: pending.map(({ metadata: { name } }) => ({ name, revision: revision.commit })),
  };
}

/** By this server, or as the agent of the cluster has reported. */
async function observedIn(
  run: SyncRunOf,
  { pending, revision, target, exchange, rules, rendered }: Wanted,
  inventory: StoredInventory,
  operation: OperationState | undefined,
  hooks: HooksOnly | undefined,
): Promise<Observed | TargetProblem | NotObserved> {
  const { resource, ports } = run;
  const requested = pending.find(({ metadata }) => metadata.name === syncRunOf(operation, pending));
  const isRun = requested !== undefined;
  const trigger = isRun ? "SyncRun" : hasEnded(operation ?? ended) ? undefined : operation?.trigger;
  const about = {
    rules,
    planRules: planRules(resource, trigger, valueAt(requested?.spec, "prune") === true),
    deploymentUid: resource.metadata.uid,
    rendered: rendered.objects,
    inventory: inventory.entries,
    hookSuffix: hookSuffix(operation, revision),
    ...(hooks === undefined ? {} : onlyHooks(resource, rendered, hooks)),
  };
  if (exchange !== undefined) return await observeByAgent(run, exchange, about, operation);
  const { settled } = ports;
  const existing = async (uids: ReadonlySet<string>): Promise<ReadonlySet<string>> =>
    await existingOf(run, uids);
  const forbidden: ObserveInput["forbidden"] = async (desired) =>
    await forbiddenIn(run, rules.identity, desired);
  return await observe({ ...about, target, settled, existing, forbidden });
}

/** What else the deployment has is deleted by its inventories. */
function onlyHooks(
  resource: Resource,
  { objects }: Rendered,
  { phase }: HooksOnly,
): Pick<ObserveInput, "rendered" | "inventory" | "planRules"> {
  const rendered = objects.filter(
    ({ object }) => manifestOptions(object).hook?.phases.includes(phase) === true,
  );
  const rules = planRules(resource, "Deletion", false);
  return { rendered, inventory: [], planRules: { ...rules, deletion: phase } };
}

function blockersOf(
  waitingFor: readonly WaitingFor[],
  window: ClosedWindow | undefined,
): readonly SyncBlocker[] {
  const dependencies = waitingFor.map(({ message }): SyncBlocker => ({
    kind: "Dependency",
    message,
    holdsSyncRuns: true,
  }));
  if (window === undefined) return dependencies;
  const { message, holdsSyncRuns, untilMs } = window;
  const until = untilMs === undefined ? {} : { untilMs };
  return [...dependencies, { kind: "Window", message, holdsSyncRuns, ...until }];
}

function webhookUrl({ resource, ports }: SyncRunOf): Pick<DeploymentFacts, "webhookUrl"> {
  if (textAt(resource.spec, "source", "webhook", "provider") === "") return {};
  const host = (ports.configuration.publicUrl ?? "").replace(/\/+$/, "");
  return { webhookUrl: `${host}${webhookPath(resource)}` };
}

interface Wanted extends Pick<Compared, "facts" | "revision" | "target" | "exchange" | "rules"> {
  readonly kind: "wanted";
  readonly head: SourceRevision;
  readonly pending: readonly Resource[];
  readonly rendered: Rendered;
}

function stopped(
  facts: DeploymentFacts,
  more: Partial<DeploymentFacts>,
  againMs?: number,
): Stopped {
  return { kind: "stopped", facts: { ...facts, ...more }, operation: facts.operation, againMs };
}

/** The objects that the target should have, or why they are unknown. */
async function wantedObjects(
  run: SyncRunOf,
  given: DeploymentFacts,
  operation: OperationState | undefined,
  hooks: HooksOnly | undefined,
): Promise<Wanted | Stopped> {
  const { resource, context, ports } = run;
  let facts = given;
  const stop = (more: Partial<DeploymentFacts>, againMs?: number): Stopped =>
    stopped(facts, more, againMs);
  const invalid = specProblem(resource);
  if (invalid !== undefined) return stop({ problems: invalidSpec(invalid) });

  const head = await ports.trees.sourceOf(resource, context);
  if (head.kind === "pending") return stop({}, gitopsLimits.driftSeconds * 1_000);
  if (head.kind === "problem") return stop({ source: head, problems: sourceProblems(head) });
  const pending = hooks === undefined ? await pendingSyncRuns(ports.intents.store, resource) : [];
  const revision =
    hooks?.commit === undefined
      ? await revisionOf(run, head, operation, pending)
      : { ...head, commit: hooks.commit };
  if (revision.kind === "problem") {
    return stop({ source: revision, problems: sourceProblems(revision) });
  }
  facts = { ...facts, source: revision, pinnedHead: head.commit };

  const opened = await ports.targets.open(resource, context);
  if (opened.kind === "problem") {
    return stop({ target: opened, problems: targetProblems(opened) }, retryMs(opened));
  }
  const { rules } = opened;
  const target = opened.kind === "agent" ? unreachableTarget(rules) : opened.target;
  const exchange = opened.kind === "agent" ? opened.exchange : undefined;
  facts = { ...facts, target: rules.identity };
  const options = renderOptions(resource, rules.defaultNamespace);
  const rendered = await ports.rendered.render(ports, resource, revision, options, context);
  if (rendered.kind === "problem") {
    return stop({ source: rendered, problems: sourceProblems(rendered) }, retryMs(rendered));
  }
  if (rendered.kind === "refused") {
    const { reason, message } = rendered;
    const isShort = reason === "Busy" || reason === "TimedOut";
    const problems = comparisonProblems(reason, message);
    return stop({ render: rendered, problems }, isShort ? 15_000 : undefined);
  }
  facts = { ...facts, render: rendered };
  return { kind: "wanted", facts, head, pending, revision, target, exchange, rules, rendered };
}

const ended = { phase: "Succeeded" } as const;

/** The SyncRun that runs, or the next one. One that has run and has not reported it is neither. */
function syncRunOf(
  operation: OperationState | undefined,
  pending: readonly Resource[],
): string | undefined {
  if (operation !== undefined && !hasEnded(operation)) return operation.syncRun;
  const [next] = pending;
  return next?.metadata.name === operation?.syncRun ? undefined : next?.metadata.name;
}

async function revisionOf(
  run: SyncRunOf,
  head: SourceRevision,
  operation: OperationState | undefined,
  pending: readonly Resource[],
): Promise<SourceRevision | SourceProblem> {
  const { resource, context, ports } = run;
  const resolve = async (ref: string): Promise<SourceRevision | SourceProblem> =>
    ref === head.commit ? head : await ports.trees.resolve(resource, ref, context);
  if (operation !== undefined && !hasEnded(operation) && operation.syncRun !== "") {
    return await resolve(operation.revision);
  }
  const name = syncRunOf(operation, pending);
  const next = pending.find(({ metadata }) => metadata.name === name);
  if (next !== undefined) {
    const ref = textAt(next.status, "accepted", "revisionID");
    if (ref !== "") return await resolve(ref);
  }
  const pinned = textAt(resource.spec, "pin", "revision");
  const pinHead = textAt(resource.spec, "pin", "head");
  const isPinned = pinned !== "" && (pinHead === "" || pinHead === head.commit);
  return isPinned ? await resolve(pinned) : head;
}

function hookSuffix(operation: OperationState | undefined, { commit }: SourceRevision): string {
  if (operation === undefined || hasEnded(operation)) return commit.slice(0, 7);
  return `${operation.revision.slice(0, 7)}-${Math.floor(operation.startedAtMs / 1_000)}`;
}

function retryMs({ isFinal }: { readonly isFinal: boolean }): number | undefined {
  return isFinal ? undefined : 5_000;
}

function sourceProblems({ reason, message }: SourceProblem): readonly DeploymentProblem[] {
  return comparisonProblems(reason, message);
}

function targetProblems({ reason, message }: TargetProblem): readonly DeploymentProblem[] {
  return comparisonProblems(reason, message);
}

function comparisonProblems(reason: string, message: string): readonly DeploymentProblem[] {
  return [
    { type: "ComparisonError", reason, message },
    { type: "ErrorOccurred", reason, message },
  ];
}

function planProblems({ problems, held }: Plan): readonly DeploymentProblem[] {
  const found = problems.map(({ kind, message }): DeploymentProblem => {
    if (kind === "Repeated") return { type: "RepeatedResourceWarning", reason: kind, message };
    if (kind === "Shared") return { type: "SharedResourceWarning", reason: kind, message };
    return { type: "SyncError", reason: kind, message };
  });
  if (held === undefined) return found;
  const message =
    `${held.prunes.length} deletions wait: set spec.syncPolicy.confirmPrune to ${held.hash} ` +
    "to delete these objects";
  return [...found, { type: "SyncError", reason: "PruneHeld", message }];
}

/** Read only for objects that another deployment has marked, which is rare. */
export async function existingOf(
  { ports: { intents } }: SyncRunOf,
  uids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { metadata } of listAll(intents.store, { kind: deploymentsKind })) {
    if (metadata.deletionTimestamp === undefined && uids.has(metadata.uid)) found.add(metadata.uid);
  }
  return found;
}
