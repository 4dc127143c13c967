/** The objects that a revision wants in a target, and what is wrong with them. Pure. */
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentLabel, trackingAnnotation } from "../names.ts";
import { referenceKey, referenceOf, referenceText } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { RenderedObject } from "../render/renderer.ts";
import type { KindScope, ObjectKind } from "../targets/target.ts";
import { withoutServerFields } from "./differences.ts";
import { manifestOptions } from "./manifest-options.ts";
import type { ManifestOptions } from "./manifest-options.ts";
import type { DesiredInput, PlanProblem } from "./plan.ts";

export interface Desired {
  readonly objects: readonly DesiredObject[];
  readonly problems: readonly PlanProblem[];
}

export interface DesiredObject extends Pick<RenderedObject, "from" | "digest"> {
  readonly at: ObjectReference;
  /** With namespace, label and tracking annotation. */
  readonly object: JsonObject;
  readonly options: ManifestOptions;
}

export function desiredOf(input: DesiredInput): Desired {
  const problems: PlanProblem[] = [];
  const objects = new Map<string, DesiredObject>();
  const { rendered } = input;
  if (rendered.length > gitopsLimits.maxObjects) {
    const { maxObjects } = gitopsLimits;
    const message = `the revision has ${rendered.length} objects; ${maxObjects} are allowed`;
    problems.push({ kind: "TooMany", at: undefined, from: undefined, message });
    return { objects: [], problems };
  }
  const scopes = withDefinitions(input.scopes, rendered);
  for (const each of rendered) {
    const found = desiredObject(input, scopes, each, problems);
    if (found === undefined) continue;
    const key = referenceKey(found.at);
    const present = objects.get(key);
    if (present === undefined) objects.set(key, found);
    else problems.push(repeated(found, present));
  }
  return { objects: [...objects.values()], problems };
}

export function scopeKey({ group, version, kind }: ObjectKind): string {
  return `${group}/${version}/${kind}`;
}

/** The kind whose objects a kind has: another one where the target serves it in two forms. */
export function ownKind(kind: ObjectKind, scopes: ReadonlyMap<string, KindScope>): ObjectKind {
  const { group, version, kind: name } = scopes.get(scopeKey(kind))?.formOf ?? kind;
  return { group, version, kind: name };
}

/** UID:GROUP/KIND:NAMESPACE/NAME. */
export function trackingId(deploymentUid: string, at: ObjectReference): string {
  return `${deploymentUid}:${referenceKey(at)}`;
}

/** Undefined: no deployment has it, or it is a copy of an object that one has. */
export function trackedBy(at: ObjectReference, live: JsonObject): string | undefined {
  const id = textAt(live, "metadata", "annotations", trackingAnnotation);
  const end = id.indexOf(":");
  return end > 0 && id.slice(end + 1) === referenceKey(at) ? id.slice(0, end) : undefined;
}

function desiredObject(
  input: DesiredInput,
  scopes: ReadonlyMap<string, KindScope>,
  rendered: RenderedObject,
  problems: PlanProblem[],
): DesiredObject | undefined {
  const options = manifestOptions(rendered.object);
  if (options.isSkipped) return undefined;
  const object = named(rendered.object, input.hookSuffix);
  const written = referenceOf(object, "");
  const scope = scopes.get(scopeKey(written));
  const kind = { ...written, ...ownKind(written, scopes) };
  const given = textAt(object, "metadata", "namespace");
  const at: ObjectReference = {
    ...kind,
    namespace: scope?.isNamespaced === false ? "" : given || input.defaultNamespace,
  };
  const problem = (word: PlanProblem["kind"], message: string): undefined => {
    problems.push({ kind: word, at, from: rendered.from, message });
  };
  const text = referenceText(at);
  for (const each of options.problems) problem("InvalidOption", `${text}: ${each}`);
  if (scope === undefined) {
    const type = `the kind ${kind.kind} of ${textAt(object, "apiVersion")}`;
    return problem("KindNotServed", `${text}: the target does not serve ${type}`);
  }
  if (kind.name === "") return problem("InvalidOption", `${text}: metadata.name is missing`);
  const refused = (each: ObjectReference): string | undefined =>
    input.refusal(each, scope.isNamespaced);
  const isForm = written.group !== at.group;
  const refusal = refused(at) ?? (isForm ? refused({ ...at, group: written.group }) : undefined);
  if (refusal !== undefined) return problem("Refused", `${text}: ${refusal}`);
  return {
    at,
    object: tracked(object, at, input.deploymentUid),
    from: rendered.from,
    digest: rendered.digest,
    options,
  };
}

/** A hook with generateName gets a name that is the same in each run of the sync. */
export function named(object: JsonObject, suffix: string): JsonObject {
  const start = textAt(object, "metadata", "generateName");
  if (textAt(object, "metadata", "name") !== "" || start === "") return object;
  const metadata = withoutKey(objectAt(object, "metadata"), "generateName");
  return { ...object, metadata: { ...metadata, name: `${start}${suffix}` } };
}

function tracked(object: JsonObject, at: ObjectReference, uid: string): JsonObject {
  const plain = withoutServerFields(object);
  const metadata = withoutKey(objectAt(plain, "metadata"), "namespace");
  return {
    ...plain,
    metadata: {
      ...metadata,
      ...(at.namespace === "" ? {} : { namespace: at.namespace }),
      labels: { ...objectAt(metadata, "labels"), [deploymentLabel]: uid },
      annotations: {
        ...objectAt(metadata, "annotations"),
        [trackingAnnotation]: trackingId(uid, at),
      },
    },
  };
}

/** Kinds that the revision itself defines are served once their definition is applied. */
function withDefinitions(
  scopes: ReadonlyMap<string, KindScope>,
  rendered: readonly RenderedObject[],
): ReadonlyMap<string, KindScope> {
  const all = new Map(scopes);
  for (const { object } of rendered) {
    if (textAt(object, "kind") !== "CustomResourceDefinition") continue;
    const group = textAt(object, "spec", "group");
    const names = objectAt(object, "spec", "names");
    for (const version of objectsAt(object, "spec", "versions")) {
      const kind = { group, version: textAt(version, "name"), kind: textAt(names, "kind") };
      if (all.has(scopeKey(kind))) continue;
      const isNamespaced = textAt(object, "spec", "scope") !== "Cluster";
      all.set(scopeKey(kind), {
        plural: textAt(names, "plural"),
        isNamespaced,
        isProtected: false,
      });
    }
  }
  return all;
}

function repeated({ at, from }: DesiredObject, first: DesiredObject): PlanProblem {
  const { file } = first.from;
  const message = `${referenceText(at)}: the revision has it twice, first in ${file}`;
  return { kind: "Repeated", at, from, message };
}

/** Each kind once. */
export function kindsOf(objects: readonly JsonObject[]): readonly ObjectKind[] {
  const kinds = new Map<string, ObjectKind>();
  for (const object of objects) {
    if (!isJsonObject(object)) continue;
    const { group, version, kind } = referenceOf(object, "");
    kinds.set(scopeKey({ group, version, kind }), { group, version, kind });
  }
  return [...kinds.values()];
}
