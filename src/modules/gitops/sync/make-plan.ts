/** The plan of a sync. See plan.ts for its types. */
import type { JsonObject } from "../../../kernel/json.ts";
import { gitopsLimits } from "../limits.ts";
import { apiVersionOf, referenceKey, referenceText } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import { changesBetween } from "./differences.ts";
import { desiredOf, trackedBy } from "./desired.ts";
import type { DesiredObject } from "./desired.ts";
import { withIgnored } from "./ignored.ts";
import { compareReferences } from "./order.ts";
import type { Plan, PlanInput, PlannedObject, PlannedPrune, PlanProblem } from "./plan.ts";
import type { PlanStep, SyncPhase } from "./plan.ts";
import { prunesOf } from "./prunes.ts";

export function makePlan(input: PlanInput): Plan {
  const desired = desiredOf(input);
  const problems: PlanProblem[] = [...desired.problems];
  const planned = desired.objects.flatMap((each) => plannedObject(input, each, problems));
  const wanted = new Set(desired.objects.map(({ at }) => referenceKey(at)));
  // An object that cannot be applied now is still in git: it is not pruned.
  for (const { at } of problems) if (at !== undefined) wanted.add(referenceKey(at));
  const namespaces = plannedNamespaces(input, planned, problems);
  const objects = [...namespaces, ...planned];
  const { all, held } = prunesOf(input, wanted);
  const heldKeys = new Set(held?.prunes.map(({ at }) => referenceKey(at)));
  const prunes = all.filter(({ at, isSkipped }) => !isSkipped && !heldKeys.has(referenceKey(at)));
  const kept = planned.filter(({ hook }) => hook === undefined);
  const count = (action: PlannedObject["action"]): number =>
    kept.filter((each) => each.action === action).length;
  const { deletion } = input.rules;
  const phases = deletion === undefined ? (["PreSync", "Sync", "PostSync"] as const) : [deletion];
  const steps = stepsOf(phases, objects, all, heldKeys, input);
  const afterFailure = deletion === undefined ? (["SyncFail"] as const) : [];
  const onFailure = stepsOf(afterFailure, objects, all, heldKeys, input);
  if (steps.length > gitopsLimits.maxWaves) {
    const message = `the revision has ${steps.length} waves; ${gitopsLimits.maxWaves} are allowed`;
    problems.push({ kind: "TooMany", at: undefined, from: undefined, message });
  }
  const unchanged = count("unchanged");
  return {
    steps,
    onFailure,
    objects,
    prunes: all,
    held,
    problems,
    isSynced: problems.length === 0 && unchanged === kept.length && all.length === 0,
    counts: {
      create: count("create") + namespaces.length,
      update: count("update"),
      unchanged,
      prune: prunes.length,
    },
  };
}

function plannedObject(
  input: PlanInput,
  desired: DesiredObject,
  problems: PlanProblem[],
): readonly PlannedObject[] {
  const { at, from, object, digest, options } = desired;
  const key = referenceKey(at);
  const live = input.live.get(key);
  const problem = (kind: PlanProblem["kind"], message: string): readonly [] => {
    problems.push({ kind, at, from, message: `${referenceText(at)}: ${message}` });
    return [];
  };
  const refused = input.refused.get(key);
  if (refused !== undefined) return problem("Invalid", refused);
  const owner = live === undefined ? undefined : trackedBy(at, live);
  if (owner !== undefined && owner !== input.deploymentUid && input.isOther(owner)) {
    return problem("Shared", "another GitOpsDeployment has it");
  }
  const predicted = input.predicted.get(key);
  const changes =
    live === undefined || predicted === undefined ? [] : changesBetween(at, live, predicted);
  const isSame = live !== undefined && predicted !== undefined && changes.length === 0;
  return [
    {
      at,
      object: withIgnored(at, object, live, input.rules.ignore),
      from,
      digest,
      action: live === undefined ? "create" : isSame ? "unchanged" : "update",
      changes,
      wave: options.wave,
      hook: options.hook,
      isReplaced: options.isReplaced,
      pruneOptions: options.pruneOptions,
    },
  ];
}

/** Namespaces that objects need and that the target does not have. */
function plannedNamespaces(
  { missingNamespaces, rules }: PlanInput,
  planned: readonly PlannedObject[],
  problems: PlanProblem[],
): readonly PlannedObject[] {
  const inGit = new Set(
    planned.filter(({ at }) => isNamespace(at)).map(({ at: { name } }) => name),
  );
  const needed = new Map<string, PlannedObject>();
  for (const object of planned) {
    const { namespace } = object.at;
    if (!missingNamespaces.has(namespace) || inGit.has(namespace)) continue;
    if (!needed.has(namespace)) needed.set(namespace, object);
  }
  return [...needed].flatMap(([name, { at: first, from, wave }]) => {
    const at = { group: "", version: "v1", kind: "Namespace", namespace: "", name };
    if (!rules.createNamespace) {
      const message =
        `${referenceText(first)}: the namespace ${name} does not exist: create it, or set ` +
        "CreateNamespace=true in spec.syncPolicy.syncOptions";
      problems.push({ kind: "NamespaceMissing", at: first, from, message });
      return [];
    }
    const object: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    return [
      {
        at,
        object,
        from,
        digest: "",
        action: "create" as const,
        changes: [],
        wave,
        hook: undefined,
        isReplaced: false,
        isNamespace: true,
        pruneOptions: "",
      },
    ];
  });
}

function isNamespace(at: ObjectReference): boolean {
  return at.kind === "Namespace" && apiVersionOf(at) === "v1";
}

function stepsOf(
  phases: readonly SyncPhase[],
  objects: readonly PlannedObject[],
  prunes: readonly PlannedPrune[],
  held: ReadonlySet<string>,
  { rules }: PlanInput,
): readonly PlanStep[] {
  return phases.flatMap((phase) => {
    const inPhase = objects.filter(({ hook }) => {
      if (hook === undefined) return phase === "Sync";
      return rules.hooks && hook.phases.includes(phase);
    });
    const deleted = phase === "Sync" ? reversed(prunes.filter((each) => !isHeld(each, held))) : [];
    const waves = [...inPhase, ...deleted].map(({ wave }) => wave);
    const isLast = rules.pruneLast && deleted.length > 0;
    const last = Math.max(...waves) + 1;
    const numbers = [...new Set(isLast ? [...waves, last] : waves)].toSorted((a, b) => a - b);
    return numbers
      .map((wave) => ({
        phase,
        wave,
        prunes: isLast ? (wave === last ? deleted : []) : deleted.filter((at) => at.wave === wave),
        objects: inPhase
          .filter((each) => each.wave === wave)
          .toSorted((a, b) => compareReferences(a.at, b.at)),
      }))
      .filter((step) => step.prunes.length + step.objects.length > 0);
  });
}

function isHeld({ at, isSkipped }: PlannedPrune, held: ReadonlySet<string>): boolean {
  return !isSkipped && held.has(referenceKey(at));
}

/** What was applied last is deleted first: the highest wave of them is pruned in the lowest. */
function reversed(prunes: readonly PlannedPrune[]): readonly PlannedPrune[] {
  const waves = [...new Set(prunes.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  return prunes.map((prune) => {
    const index = waves.indexOf(prune.wave);
    return { ...prune, wave: waves[waves.length - 1 - index] ?? prune.wave };
  });
}
