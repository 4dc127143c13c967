// The objects that a ManifestSet wants: with their namespace and the label of their owner, in the
// order in which they are applied. Pure.

import type { ObjectReference } from "../../../acting/object-api.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { executorsGroup } from "../group.ts";

export const fieldManager = "setpoint-manifest-set";

/** The uid of the ManifestSet. */
export const ownerLabel = `${executorsGroup}/manifest-set`;

/** Kinds that others need come first. Other kinds keep the order of the manifests. */
const order: Readonly<Record<string, number>> = {
  Namespace: 0,
  CustomResourceDefinition: 1,
  ServiceAccount: 2,
  Secret: 3,
  ConfigMap: 3,
  ClusterRole: 4,
  Role: 4,
  ClusterRoleBinding: 5,
  RoleBinding: 5,
};
const lastOrder = 9;

export function wantedObjects(set: Resource): readonly JsonObject[] {
  const given = [
    ...objectsAt(set, "spec", "secretManifests"),
    ...objectsAt(set, "spec", "manifests"),
  ];
  return given
    .map((manifest, index) => ({ manifest, index }))
    .toSorted((one, other) => rank(one.manifest) - rank(other.manifest) || one.index - other.index)
    .map(({ manifest }) => owned(manifest, set));
}

function rank(manifest: JsonObject): number {
  return order[textAt(manifest, "kind")] ?? lastOrder;
}

function owned(manifest: JsonObject, set: Resource): JsonObject {
  const metadata = objectAt(manifest, "metadata");
  const labels = { ...objectAt(metadata, "labels"), [ownerLabel]: set.metadata.uid };
  return { ...manifest, metadata: { ...metadata, labels } };
}

/** For namespaced objects whose manifest does not name a namespace. */
export function defaultNamespace(set: Resource): string {
  return textAt(set, "spec", "namespace") || (set.metadata.namespace ?? "");
}

export function referenceOf(object: JsonObject, namespace: string): ObjectReference {
  return {
    apiVersion: textAt(object, "apiVersion"),
    kind: textAt(object, "kind"),
    namespace,
    name: textAt(object, "metadata", "name"),
  };
}

export function referenceText({ apiVersion, kind, namespace, name }: ObjectReference): string {
  const place = namespace === "" ? name : `${namespace}/${name}`;
  return `${apiVersion} ${kind} ${place}`;
}

export function isOwn(object: JsonObject, set: Resource): boolean {
  return textAt(object, "metadata", "labels", ownerLabel) === set.metadata.uid;
}

/** References in a status. */
export function referencesIn(list: readonly JsonObject[]): readonly ObjectReference[] {
  return list.map((each) => ({
    apiVersion: textAt(each, "apiVersion"),
    kind: textAt(each, "kind"),
    namespace: textAt(each, "namespace"),
    name: textAt(each, "name"),
  }));
}

export function referenceJson({ apiVersion, kind, namespace, name }: ObjectReference): JsonObject {
  return { apiVersion, kind, namespace, name };
}

/** Texts of secret manifests that no message may show, also as a Secret encodes them. */
export function secretTexts(set: Resource): readonly string[] {
  const texts: string[] = [];
  const collect = (value: Json | undefined): void => {
    if (typeof value === "string") {
      texts.push(value, Buffer.from(value).toString("base64"));
      texts.push(Buffer.from(value, "base64").toString("utf8"));
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const manifest of objectsAt(set, "spec", "secretManifests")) {
    for (const [field, value] of Object.entries(manifest)) {
      if (field !== "apiVersion" && field !== "kind" && field !== "metadata") collect(value);
    }
  }
  return texts.filter((text) => text !== "");
}

const serverFields = new Set(["managedFields", "resourceVersion", "generation"]);

/** An object without the fields that a server sets. */
export function comparable(object: JsonObject): JsonObject {
  const metadata = Object.entries(objectAt(object, "metadata"));
  const kept = metadata.filter(([field]) => !serverFields.has(field));
  return { ...withoutKey(object, "status"), metadata: Object.fromEntries(kept) };
}
