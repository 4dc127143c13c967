// An object of a target, by which desired, live and recorded objects are matched.

import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";

export interface ObjectReference {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Empty for an object without one. */
  readonly namespace: string;
  readonly name: string;
}

/** The identity of an object. The version is not part of it. */
export function referenceKey({ group, kind, namespace, name }: ObjectReference): string {
  return `${group}/${kind}:${namespace}/${name}`;
}

export function apiVersionOf({ group, version }: ObjectReference): string {
  return group === "" ? version : `${group}/${version}`;
}

/** With the namespace of the object as it is applied, or empty where its kind has none. */
export function referenceOf(object: JsonObject, namespace: string): ObjectReference {
  const apiVersion = textAt(object, "apiVersion");
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: textAt(object, "kind"),
    namespace,
    name: textAt(object, "metadata", "name"),
  };
}

/** For messages. */
export function referenceText({ group, kind, namespace, name }: ObjectReference): string {
  const type = group === "" ? kind : `${kind}.${group}`;
  return namespace === "" ? `${type} ${name}` : `${type} ${namespace}/${name}`;
}
