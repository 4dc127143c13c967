/** Reads a target and makes the plan for a revision. */
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceKey } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { RenderedObject } from "../render/renderer.ts";
import type { ObjectReport } from "../status/deployment-report.ts";
import type { Target, TargetProblem, TargetRules } from "../targets/target.ts";
import { inParallel } from "./parallel.ts";
import { desiredOf, kindsOf, ownKind, scopeKey, trackedBy } from "./desired.ts";
import type { DesiredObject } from "./desired.ts";
import { withIgnored } from "./ignored.ts";
import { makePlan } from "./make-plan.ts";
import type { DesiredInput, InventoryEntry, Plan, PlanInput, PlanRules } from "./plan.ts";
import type { StepsReport } from "./steps.ts";
import { settledMark } from "./settled-objects.ts";
import type { SettledObjects } from "./settled-objects.ts";

export interface ObserveInput {
  readonly target: Target;
  readonly rules: TargetRules;
  readonly planRules: PlanRules;
  readonly deploymentUid: string;
  readonly rendered: readonly RenderedObject[];
  readonly inventory: readonly InventoryEntry[];
  readonly hookSuffix: string;
  readonly settled: SettledObjects;
  /** By `referenceKey`: why an object must not be applied. */
  readonly forbidden: (desired: readonly ObjectReference[]) => Promise<ReadonlyMap<string, string>>;
  /** Which of these uids are deployments that exist and are not in deletion. */
  readonly existing: (uids: ReadonlySet<string>) => Promise<ReadonlySet<string>>;
}

export interface Observed {
  readonly kind: "observed";
  readonly plan: Plan;
  readonly live: ReadonlyMap<string, JsonObject>;
  /** From the agent of a cluster, whose live objects this server does not read. */
  readonly objects?: readonly ObjectReport[];
  /** Of the sync that runs, as far as the agent has come. */
  readonly progress?: StepsReport;
}

export async function observe(input: ObserveInput): Promise<Observed | TargetProblem> {
  const { target, rules, planRules, deploymentUid, rendered, inventory, hookSuffix } = input;
  const inventoryKinds = inventory.map(({ at: { group, version, kind } }) => ({
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
  }));
  const kinds = kindsOf([...rendered.map(({ object }) => object), ...inventoryKinds]);
  const found = await target.discover(kinds);
  if (found.kind === "problem") return found;
  const { defaultNamespace, refusal } = rules;
  const about: DesiredInput = {
    deploymentUid,
    rendered,
    defaultNamespace,
    scopes: found.scopes,
    refusal,
    rules: planRules,
    hookSuffix,
  };
  const desired = desiredOf(about).objects;
  const references = new Map<string, ObjectReference>();
  const served = ({ group, version, kind }: ObjectReference): boolean =>
    found.scopes.has(scopeKey({ group, version, kind }));
  for (const { at } of [...inventory, ...desired]) {
    if (served(at)) references.set(referenceKey(at), at);
  }
  const ownKinds = new Map(
    kinds.map((each) => ownKind(each, found.scopes)).map((each) => [scopeKey(each), each]),
  );
  const owned = await target.listOwned([...ownKinds.values()], deploymentUid);
  if (owned.kind === "problem") return owned;
  // A list of a kind is one call, and a read is one for each object.
  const unlisted = [...references].filter(([key]) => !owned.objects.has(key));
  const read = await target.read(unlisted.map(([, at]) => at));
  if (read.kind === "problem") return read;
  const live = new Map([...read.objects, ...listed(owned.objects, references)]);
  const all = [...inventory, ...strays(deploymentUid, owned.objects, references, live)];
  const missingNamespaces = await missingNamespacesOf(target, desired);
  const refused = new Map<string, string>();
  for (const [key, problem] of read.problems) refused.set(key, problem.message);
  const forbidden = await input.forbidden(desired.map(({ at }) => at));
  for (const [key, why] of forbidden) refused.set(key, why);
  const predicted = await predict(input, desired, live, { missingNamespaces, refused, served });
  if ("kind" in predicted) return predicted;
  const others = new Set<string>();
  for (const { at } of desired) {
    const object = live.get(referenceKey(at));
    const owner = object === undefined ? undefined : trackedBy(at, object);
    if (owner !== undefined && owner !== deploymentUid) others.add(owner);
  }
  const existing = others.size === 0 ? others : await input.existing(others);
  const planInput: PlanInput = {
    ...about,
    live,
    predicted: predicted.objects,
    refused,
    missingNamespaces,
    isOther: (uid) => existing.has(uid),
    inventory: all,
  };
  const plan = makePlan(planInput);
  input.settled.set(deploymentUid, settledOf(plan, live));
  return { kind: "observed", plan, live };
}

function listed(
  owned: ReadonlyMap<string, JsonObject>,
  references: ReadonlyMap<string, ObjectReference>,
): readonly (readonly [string, JsonObject])[] {
  return [...owned].filter(([key]) => references.has(key));
}

/** Objects with the label that the inventory does not know, such as after a restored backup. */
function strays(
  deploymentUid: string,
  owned: ReadonlyMap<string, JsonObject>,
  known: ReadonlyMap<string, ObjectReference>,
  live: Map<string, JsonObject>,
): readonly InventoryEntry[] {
  return [...owned].flatMap(([key, object]) => {
    if (known.has(key)) return [];
    const [group = "", version = ""] = versionParts(textAt(object, "apiVersion"));
    const metadata = objectAt(object, "metadata");
    const at: ObjectReference = {
      group,
      version,
      kind: textAt(object, "kind"),
      namespace: textAt(metadata, "namespace"),
      name: textAt(metadata, "name"),
    };
    if (trackedBy(at, object) !== deploymentUid) return [];
    live.set(key, object);
    const uid = textAt(metadata, "uid");
    return [{ at, uid, digest: "", wave: 0, hook: "", pruneOptions: "" }];
  });
}

function versionParts(apiVersion: string): readonly string[] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

/** A namespace that may not be read counts as present: the apply reports the rest. */
async function missingNamespacesOf(
  target: Target,
  desired: readonly DesiredObject[],
): Promise<ReadonlySet<string>> {
  const names = new Set(desired.map(({ at }) => at.namespace).filter((name) => name !== ""));
  names.delete(target.about.kind === "Setpoint" ? target.about.namespace : "");
  if (names.size === 0) return names;
  const references = [...names].map((name) => namespaceAt(name));
  const found = await target.read(references);
  if (found.kind === "problem") return new Set();
  const isMissing = (name: string): boolean => {
    const key = referenceKey(namespaceAt(name));
    return !found.objects.has(key) && !found.problems.has(key);
  };
  return new Set([...names].filter(isMissing));
}

function namespaceAt(name: string): ObjectReference {
  return { group: "", version: "v1", kind: "Namespace", namespace: "", name };
}

interface PredictInput {
  readonly missingNamespaces: ReadonlySet<string>;
  readonly refused: Map<string, string>;
  readonly served: (at: ObjectReference) => boolean;
}

/** Dry runs of the objects that are not known to be as wanted. Refusals are added to `refused`. */
async function predict(
  { target, planRules, settled, deploymentUid }: ObserveInput,
  desired: readonly DesiredObject[],
  live: ReadonlyMap<string, JsonObject>,
  { missingNamespaces, refused, served }: PredictInput,
): Promise<{ readonly objects: ReadonlyMap<string, JsonObject> } | TargetProblem> {
  const known = settled.of(deploymentUid);
  const objects = new Map<string, JsonObject>();
  const problems: TargetProblem[] = [];
  await inParallel(desired, gitopsLimits.targetCallsAtOnce, async ({ at, object, options }) => {
    const key = referenceKey(at);
    if (refused.has(key) || !served(at) || missingNamespaces.has(at.namespace)) return;
    if (options.hook !== undefined || problems.length > 0) return;
    const present = live.get(key);
    const wanted = withIgnored(at, object, present, planRules.ignore);
    if (present !== undefined && known.get(key) === settledMark(wanted, present)) {
      objects.set(key, present);
      return;
    }
    const applied = await target.apply(at, wanted, {
      isDryRun: true,
      isReplaced: options.isReplaced,
    });
    if (applied.kind === "applied") objects.set(key, applied.object);
    else if (applied.isFinal) refused.set(key, applied.message);
    else problems.push(applied);
  });
  const [problem] = problems;
  return problem ?? { objects };
}

function settledOf(plan: Plan, live: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, string> {
  const settled = new Map<string, string>();
  for (const { at, object, action } of plan.objects) {
    const key = referenceKey(at);
    const present = live.get(key);
    if (action !== "unchanged" || present === undefined) continue;
    settled.set(key, settledMark(object, present));
  }
  return settled;
}
