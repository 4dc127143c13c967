/**
 * Which deployments a set has, and what a run changes. Pure.
 *
 * Deletions are guarded as prunes are: a template whose names change, or a host that suddenly has
 * no branches, must not delete what runs. While anything is wrong with the set, nothing is deleted.
 */
import type { ChildDocument } from "../../../engine/reconciler.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { subdomainProblems } from "../../../kernel/names.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import type { Template } from "../../../kernel/template/template.ts";
import { digestOf } from "../digest.ts";
import { generatedDocument, isAsGenerated } from "../generated-deployment.ts";
import { gitopsLimits } from "../limits.ts";
import { setLabel } from "../names.ts";
import type { Combination } from "./combinations.ts";

export interface WantedDeployment {
  readonly name: string;
  /** The combination. */
  readonly from: string;
  readonly document: ChildDocument;
}

export interface Rendered {
  readonly wanted: readonly WantedDeployment[];
  readonly problems: readonly string[];
}

export interface SetIdentity {
  readonly name: string;
  readonly namespace: string;
}

export function renderSet(
  template: Template,
  combinations: readonly Combination[],
  set: SetIdentity,
): Rendered {
  const wanted = new Map<string, WantedDeployment>();
  const problems: string[] = [];
  let units: number = gitopsLimits.maxSetUnits;
  for (const { text, variables } of combinations) {
    try {
      const rendered = template.renderWithin(units, { ...variables, set: { ...set } });
      units -= rendered.units;
      const document = documentOf(rendered.result, set);
      const { name } = document.metadata;
      const [wrong] = subdomainProblems(name);
      const other = wanted.get(name);
      if (wrong !== undefined) {
        problems.push(`${text}: the name ${JSON.stringify(name)} is not valid: ${wrong}`);
      } else if (other !== undefined) {
        const why = `the same name as for ${other.from}: make spec.template.metadata.name unique`;
        problems.push(`${text}: ${name} is ${why}`);
      } else wanted.set(name, { name, from: text, document });
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      problems.push(`${text}: ${error.message}`);
    }
  }
  return { wanted: [...wanted.values()], problems };
}

function documentOf(rendered: Json, set: SetIdentity): ChildDocument {
  const metadata = objectAt(rendered, "metadata");
  const labels = textsOf(objectAt(metadata, "labels"));
  const annotations = textsOf(objectAt(metadata, "annotations"));
  const spec = objectAt(rendered, "spec");
  const name = metadata["name"];
  // A name with one expression takes the type of its value.
  const plain = typeof name === "string" ? name : JSON.stringify(name ?? null);
  return generatedDocument({
    name: plain,
    namespace: set.namespace,
    labels: { ...labels, ...(set.name.length > 63 ? {} : { [setLabel]: set.name }) },
    annotations,
    spec,
  });
}

function textsOf(map: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

export interface RemovalRules {
  readonly keeps: boolean;
  readonly allowEmpty: boolean;
  readonly confirmed: string;
}

export interface HeldRemoval {
  readonly reason: "All" | "Many";
  readonly hash: string;
  readonly names: readonly string[];
}

export interface SetDecision {
  readonly apply: readonly WantedDeployment[];
  readonly remove: readonly string[];
  readonly held: HeldRemoval | undefined;
}

export function decideSet(
  { wanted, problems }: Rendered,
  present: readonly Resource[],
  rules: RemovalRules,
): SetDecision {
  const byName = new Map(present.map((each) => [each.metadata.name, each]));
  const apply = wanted.filter(({ document }) => {
    const live = byName.get(document.metadata.name);
    return live === undefined || !isAsGenerated(document, live);
  });
  const names = new Set(wanted.map(({ name }) => name));
  const left = present.filter(
    ({ metadata }) => !names.has(metadata.name) && metadata.deletionTimestamp === undefined,
  );
  if (rules.keeps || problems.length > 0 || left.length === 0) {
    return { apply, remove: [], held: undefined };
  }
  const held = heldOf(left, present.length, rules);
  const remove = held === undefined ? left.map(({ metadata }) => metadata.name) : [];
  return { apply, remove, held };
}

/** The last one of a set goes without a confirmation: a single preview that is merged. */
function heldOf(
  left: readonly Resource[],
  present: number,
  { allowEmpty, confirmed }: RemovalRules,
): HeldRemoval | undefined {
  const isAll = left.length === present && left.length > 1 && !allowEmpty;
  const isMany =
    left.length < present &&
    left.length > gitopsLimits.massPruneObjects &&
    left.length > present * gitopsLimits.massPruneShare;
  if (!isAll && !isMany) return undefined;
  const texts = left.map(({ metadata: { name, uid } }) => `${name}@${uid}`);
  const hash = digestOf(texts.toSorted()).slice(0, 32);
  if (hash === confirmed) return undefined;
  const names = left.map(({ metadata }) => metadata.name);
  return { reason: isAll ? "All" : "Many", hash, names };
}
