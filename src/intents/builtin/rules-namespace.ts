// Namespaces: their name is a DNS label and also one of their labels, they live until the
// finalizers in their spec are gone, and three of them can never be deleted.

import { SetpointError } from "../../kernel/errors.ts";
import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import { dnsLabelProblems } from "../../kernel/names.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withDefaults, withField } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import { invalidEach } from "./syntax-checks.ts";

const nameLabel = "kubernetes.io/metadata.name";
const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);
const immortal = new Set(["default", "kube-system", "kube-public"]);

export const namespaceRules: KindRules = {
  nameProblems: dnsLabelProblems,
  keepsStatusOnCreate: true,
  statusWritesMetadata: true,

  defaulting(namespace) {
    const status = withDefaults(objectAt(namespace, "status"), { phase: "Active" });
    return withNameLabel(withField(namespace, "status", status));
  },

  /** The name may have been generated since the defaulting. */
  prepareForCreate(namespace) {
    const finalizers = textsAt(namespace, "spec", "finalizers");
    const wanted = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    const spec = { ...objectAt(namespace, "spec"), finalizers: wanted };
    const active = withField(namespace, "status", { phase: "Active" });
    return withNameLabel(withField(active, "spec", spec));
  },

  prepareForUpdate(namespace, old, subresource) {
    if (subresource === "finalize") return withField(namespace, "status", objectAt(old, "status"));
    if (subresource === "status") return withField(namespace, "spec", objectAt(old, "spec"));
    const finalizers = [...textsAt(old, "spec", "finalizers")];
    const spec = { ...objectAt(namespace, "spec"), finalizers };
    const kept = finalizers.length === 0 ? withField(spec, "finalizers") : spec;
    const whole = withField(namespace, "spec", kept);
    return withNameLabel(withField(whole, "status", objectAt(old, "status")));
  },

  prepareForDelete(namespace) {
    const status = { ...objectAt(namespace, "status"), phase: "Terminating" };
    return withField(namespace, "status", status);
  },

  validateCreate(namespace) {
    return textsAt(namespace, "spec", "finalizers").flatMap((name) =>
      finalizerErrors(name, "spec.finalizers"),
    );
  },

  validateUpdate(namespace, _old, subresource = "") {
    if (subresource === "status") return phaseErrors(namespace);
    return textsAt(namespace, "spec", "finalizers").flatMap((name, index) =>
      finalizerErrors(name, `spec.finalizers${subresource === "finalize" ? `[${index}]` : ""}`),
    );
  },

  checkDelete({ metadata: { name } }) {
    if (!immortal.has(name)) return;
    const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
    throw new SetpointError("request.forbidden", message, {
      details: { name, kind: "namespaces" },
    });
  },

  isHeld: (namespace) => textsAt(namespace, "spec", "finalizers").length > 0,
};

function withNameLabel(namespace: Resource): Resource {
  const { metadata } = namespace;
  const { name = "" } = metadata as { readonly name?: string };
  if (name === "") return namespace;
  const labels = { ...metadata.labels, [nameLabel]: name };
  return { ...namespace, metadata: { ...metadata, labels } };
}

function finalizerErrors(name: string, field: string): readonly FieldError[] {
  const errors = [...invalidEach(field, name, labelKeyProblems(name))];
  if (!name.includes("/") && !standardFinalizers.has(name)) {
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    errors.push(invalidField(field, name, detail));
  }
  return errors;
}

function phaseErrors(namespace: Resource): readonly FieldError[] {
  const phase = textAt(namespace, "status", "phase");
  const isDeleted = namespace.metadata.deletionTimestamp !== undefined;
  if (phase === (isDeleted ? "Terminating" : "Active")) return [];
  const detail = isDeleted
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidField("status.Phase", phase, detail)];
}
