// Admission of ManifestSets and KubernetesTargets.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { findShared } from "../../../intents/admission/shared-resource.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { duplicateField, invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { expressionErrors } from "../target/expressions.ts";
import { secretRefAt } from "../target/secret-reference.ts";
import { isSpecWritten, refuseFields } from "../target/spec-written.ts";
import { kubernetesTargetsKind, manifestSetsKind, sharedTarget } from "./manifest-kinds.ts";
import { defaultNamespace, referenceOf, referenceText } from "./objects.ts";

export interface ManifestGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
}

export function manifestGuard({ live, authorizer }: ManifestGuardPorts): AdmissionPlugin {
  return {
    name: "Manifests",
    validate: (request) => {
      const { target, object, caller } = request;
      if (object === undefined || !isSpecWritten(request)) return;
      if (target.served.id === kubernetesTargetsKind) {
        const allowed = objectAt(object, "spec", "allow", "namespaces");
        refuseFields(request, selectorFieldErrors(allowed, "selector", "spec.allow.namespaces"));
        const references = secretRefAt(objectAt(object, "spec"), "kubeconfig");
        checkReferences(authorizer, caller.user, target, references);
      }
      if (target.served.id === manifestSetsKind) {
        refuseFields(request, [...sharedErrors(live, request, object), ...setErrors(object)]);
      }
    },
  };
}

function sharedErrors(
  live: Pick<LiveView, "get">,
  { target: { namespace } }: AdmissionRequest,
  object: Resource,
): readonly FieldError[] {
  const name = textAt(object, "spec", "target");
  if (name === "") return [];
  const found = findShared(live, { ...sharedTarget, field: "spec.target", name, namespace });
  return found.kind === "error" ? [found.error] : [];
}

function setErrors(set: Resource): readonly FieldError[] {
  const seen = new Set<string>();
  const errors = ["secretManifests", "manifests"].flatMap((field) =>
    objectsAt(set, "spec", field).flatMap((manifest, index): readonly FieldError[] => {
      const place = textAt(manifest, "metadata", "namespace") || defaultNamespace(set);
      const text = referenceText(referenceOf(manifest, place));
      if (seen.has(text)) return [duplicateField(`spec.${field}[${index}]`, text)];
      seen.add(text);
      return [];
    }),
  );
  const outputs = expressionErrors(objectAt(set, "spec", "outputs"), "objects", "spec.outputs");
  if (seen.size > 0) return [...errors, ...outputs];
  const detail = "at least one manifest is needed, in manifests or secretManifests";
  return [...errors, ...outputs, invalidField("spec.manifests", [], detail)];
}
