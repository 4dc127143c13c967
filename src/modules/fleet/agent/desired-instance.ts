// An instance as the control plane describes it to the agent. Pure.

import { hash } from "node:crypto";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { subdomainProblems } from "../../../kernel/names.ts";
import { withoutKey } from "../../../kernel/without-key.ts";

export interface DesiredInstance {
  readonly id: string;
  readonly name: string;
  readonly placementId: string;
  /** Where its object is, if each instance has a namespace. */
  readonly namespace: string;
  readonly isDeleted: boolean;
  /** What the object gets as its spec. */
  readonly spec: JsonObject;
  /** Of everything that is applied. */
  readonly digest: string;
}

/** Undefined for what is not an instance: one entry that is wrong must not stop the others. */
export function readDesired(view: Json | undefined): DesiredInstance | undefined {
  const id = textAt(view, "id");
  const placementId = textAt(view, "metadata", "annotations", "mas/placementId");
  const namespace = textAt(view, "metadata", "namespace");
  if (subdomainProblems(id).length > 0 || placementId === "" || namespace === "") return undefined;
  const name = textAt(view, "metadata", "name");
  const spec = { ...withoutKey(objectAt(view, "spec"), "deleted"), placementId };
  return {
    id,
    name,
    placementId,
    namespace,
    isDeleted: isTrueAt(view, "spec", "deleted"),
    spec,
    digest: hash("sha256", canonicalJson({ id, name, namespace, spec }), "hex"),
  };
}
