// The rules that metadata keeps in every kind, with the messages of Kubernetes' ValidateObjectMeta.
// System fields are set by the server before this runs; what a client may not touch is compared
// with the stored document here.

import { appendAll } from "../../kernel/append.ts";
import {
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  tooManyItems,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { labelKeyProblems, labelValueProblems } from "../../kernel/labels.ts";
import { limits } from "../../kernel/limits.ts";
import { dnsLabelProblems, subdomainProblems } from "../../kernel/names.ts";
import type { Metadata, OwnerReference } from "../../kernel/resource.ts";
import { standardFinalizers } from "./finalizers.ts";

export type NameCheck = (name: string) => readonly string[];

/** A path segment must stay one: RBAC objects have no stricter rule than this. */
export const pathSegmentProblems: NameCheck = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((c) => name.includes(c)).map((c) => `may not contain '${c}'`);
};

export const resourceNameProblems: NameCheck = subdomainProblems;

export function metadataErrors(
  metadata: Metadata,
  { isNamespaced, nameProblems }: { isNamespaced: boolean; nameProblems: NameCheck },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name, namespace, generateName, generation } = metadata;
  if (typeof generateName === "string" && generateName !== "") {
    // The suffix makes a trailing dash or dot good.
    const base = generateName.endsWith("-") ? `${generateName.slice(0, -1)}a` : generateName;
    for (const problem of nameProblems(base)) {
      errors.push(invalidField("metadata.generateName", generateName, problem));
    }
  }
  if (name === "" || name === undefined) {
    errors.push(requiredField("metadata.name", "name or generateName is required"));
  } else {
    for (const problem of nameProblems(name)) {
      errors.push(invalidField("metadata.name", name, problem));
    }
  }
  if (isNamespaced) {
    if (namespace === undefined || namespace === "") {
      errors.push(requiredField("metadata.namespace"));
    } else {
      for (const problem of dnsLabelProblems(namespace)) {
        errors.push(invalidField("metadata.namespace", namespace, problem));
      }
    }
  }
  if (typeof generation === "number" && generation < 0) {
    errors.push(
      invalidField("metadata.generation", generation, "must be greater than or equal to 0"),
    );
  }
  appendAll(errors, ownLabelErrors(metadata.labels));
  appendAll(errors, annotationErrors(metadata.annotations));
  appendAll(errors, ownerErrors(metadata.ownerReferences));
  appendAll(errors, finalizerErrors(metadata.finalizers));
  return errors;
}

/** Too many of something are counted and not looked at: naming each would take without end. */
function ownLabelErrors(labels: Metadata["labels"] | undefined): readonly FieldError[] {
  const count = Object.keys(labels ?? {}).length;
  const field = "metadata.labels";
  if (count > limits.maxLabels) return [tooManyItems(field, count, limits.maxLabels)];
  return labelErrors(labels, field);
}

export function labelErrors(
  labels: Metadata["labels"] | undefined,
  field: string,
): readonly FieldError[] {
  if (labels === undefined) return [];
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of labelKeyProblems(key)) {
      // Labels alone are called by another name here.
      const text = problem.replace("a qualified name must", "a valid label key must");
      errors.push(invalidField(field, key, text));
    }
    for (const problem of labelValueProblems(value)) {
      errors.push(invalidField(field, value, problem));
    }
  }
  return errors;
}

function annotationErrors(annotations: Metadata["annotations"] | undefined): readonly FieldError[] {
  if (annotations === undefined) return [];
  const field = "metadata.annotations";
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += key.length + value.length;
    for (const problem of labelKeyProblems(key.toLowerCase())) {
      errors.push(invalidField(field, key, problem));
    }
  }
  // Characters are at least bytes, so that counting exactly is rarely needed.
  if (
    bytes > limits.maxAnnotationsBytes / 4 &&
    byteLength(annotations) > limits.maxAnnotationsBytes
  ) {
    errors.push(tooLongField(field, limits.maxAnnotationsBytes));
  }
  return errors;
}

function byteLength(annotations: { readonly [key: string]: string }): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return bytes;
}

function ownerErrors(owners: readonly OwnerReference[] | undefined): readonly FieldError[] {
  if (owners === undefined) return [];
  // Kubernetes names the list itself here, without an index.
  const field = "metadata.ownerReferences";
  const max = limits.maxOwnerReferences;
  if (owners.length > max) return [tooManyItems(field, owners.length, max)];
  const errors: FieldError[] = [];
  let controller = "";
  let all: string | undefined;
  for (const owner of owners) {
    const slash = owner.apiVersion.split("/");
    if (owner.apiVersion === "" || slash.length > 2 || slash.at(-1) === "") {
      errors.push(
        invalidField(`${field}.apiVersion`, owner.apiVersion, "version must not be empty"),
      );
    }
    if (owner.kind === "") {
      errors.push(invalidField(`${field}.kind`, owner.kind, "must not be empty"));
    }
    if (owner.name === "") {
      errors.push(invalidField(`${field}.name`, owner.name, "must not be empty"));
    }
    if (owner.uid === "") {
      errors.push(invalidField(`${field}.uid`, owner.uid, "must not be empty"));
    }
    if (owner.apiVersion === "v1" && owner.kind === "Event") {
      const text = "/v1, Kind=Event is disallowed from being an owner";
      const shown = JSON.stringify(inOrder(owner));
      errors.push({ ...invalidField(field, owner, text), shown });
    }
    if (owner.controller !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller !== "") {
      const text =
        "Only one reference can have Controller set to true. " +
        `Found "true" in references for ${controller} and ${current}`;
      all ??= JSON.stringify(owners.map(inOrder));
      errors.push({ ...invalidField(field, null, text), shown: all });
    } else controller = current;
  }
  return errors;
}

/** The members of an owner in the order in which Kubernetes writes them. */
function inOrder(owner: OwnerReference): Json {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

function finalizerErrors(finalizers: readonly string[] | undefined): readonly FieldError[] {
  if (finalizers === undefined) return [];
  const field = "metadata.finalizers";
  const max = limits.maxFinalizers;
  if (finalizers.length > max) return [tooManyItems(field, finalizers.length, max)];
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    for (const problem of labelKeyProblems(finalizer)) {
      errors.push(invalidField(field, finalizer, problem));
    }
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const text = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidField(field, finalizers, text));
  }
  return errors;
}

/** Finalizers of built-in kinds are known ones, or have a domain. */
export function coreFinalizerErrors({ finalizers }: Metadata): readonly FieldError[] {
  if (finalizers === undefined || finalizers.length > limits.maxFinalizers) return [];
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [
          invalidField(
            `metadata.finalizers[${index}]`,
            finalizer,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ],
  );
}

const fixed = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What an update may not change, and the one thing a deletion forbids. */
export function metadataUpdateErrors(metadata: Metadata, old: Metadata): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const had = new Set(old.finalizers);
    const all = [...new Set(metadata.finalizers)].sort();
    const added = all.filter((finalizer) => !had.has(finalizer));
    if (added.length > 0) {
      const names = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
      errors.push(
        forbiddenField(
          "metadata.finalizers",
          "no new finalizers can be added if the object is being deleted, " +
            `found new finalizers []string{${names}}`,
        ),
      );
    }
  }
  if (metadata.generation < old.generation) {
    errors.push(
      invalidField("metadata.generation", metadata.generation, "must not be decremented"),
    );
  }
  for (const key of fixed) {
    const now: Json | undefined = metadata[key];
    if (!equalJson(now, old[key])) {
      errors.push(invalidField(`metadata.${key}`, now, "field is immutable"));
    }
  }
  appendAll(errors, ownLabelErrors(metadata.labels));
  appendAll(errors, annotationErrors(metadata.annotations));
  appendAll(errors, ownerErrors(metadata.ownerReferences));
  return errors;
}
