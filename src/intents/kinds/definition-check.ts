// What a CustomResourceDefinition must be like to be accepted, answered in the words and the order
// of Kubernetes. A definition is checked with its defaults, and with the stored versions that it
// will have; rules of metadata that hold for every kind are checked with every kind.

import { invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson, getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, objectAt, textAt } from "../../kernel/json-read.ts";
import { approvalOf } from "./definition-approval.ts";
import { caBundleProblem } from "./definition-ca-bundle.ts";
import { nameSyntaxErrors } from "./definition-names-check.ts";
import {
  annotationOf,
  approvedAnnotation,
  schemaOf,
  specOf,
  statusOf,
  versionsOf,
} from "./definition-parts.ts";
import { definitionSizeErrors } from "./definition-size-check.ts";
import { specErrors } from "./definition-spec-check.ts";
import { isEstablished } from "./definition-status.ts";
import { grownStoredVersions, storedVersionErrors } from "./definition-stored-versions.ts";

/** Of a new definition. */
export function definitionErrors(definition: JsonObject): readonly FieldError[] {
  const tooLarge = definitionSizeErrors(definition);
  if (tooLarge.length > 0) return tooLarge;
  const stored = grownStoredVersions({ ...definition, status: {} });
  return [
    ...nameErrors(definition),
    ...specErrors(definition, { mayHaveBadCaBundle: true, unchanged: new Set() }),
    ...storedVersionErrors(definition, stored),
    ...approvalErrors(definition, undefined),
    ...looseErrors(definition, undefined),
  ];
}

/** Of a definition that replaces another of the same name. */
export function definitionUpdateErrors(
  definition: JsonObject,
  old: JsonObject,
): readonly FieldError[] {
  const tooLarge = definitionSizeErrors(definition);
  // A definition that was accepted before there was a limit can still be changed.
  if (tooLarge.length > 0 && definitionSizeErrors(old).length === 0) return tooLarge;
  const stored = grownStoredVersions({ ...definition, status: statusOf(old) });
  return [
    ...specErrors(definition, {
      mayHaveBadCaBundle: mayHaveBadCaBundle(old),
      unchanged: unchangedSchemas(definition, old),
    }),
    ...immutableErrors(definition, old),
    ...nameSyntaxErrors(objectAt(statusOf(old), "acceptedNames"), "status.acceptedNames"),
    ...storedVersionErrors(definition, stored),
    ...approvalErrors(definition, old),
    ...looseErrors(definition, old),
  ];
}

/** Of a status that a client writes. Stored versions may shrink: the client has moved them. */
export function definitionStatusErrors(definition: JsonObject): readonly FieldError[] {
  const names = objectAt(statusOf(definition), "acceptedNames");
  return nameSyntaxErrors(names, "status.acceptedNames");
}

function nameErrors(definition: JsonObject): readonly FieldError[] {
  const spec = specOf(definition);
  const name = textAt(objectAt(definition, "metadata"), "name");
  const expected = `${textAt(objectAt(spec, "names"), "plural")}.${textAt(spec, "group")}`;
  if (name === expected) return [];
  return [invalidField("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

/** The scope and the kind are in stored documents; the group and the plural are in the name. */
function immutableErrors(definition: JsonObject, old: JsonObject): readonly FieldError[] {
  const held = isEstablished(old) ? [["scope"], ["names", "kind"]] : [];
  return [...held, ["group"], ["names", "plural"]].flatMap((keys) => {
    const value = textIn(specOf(definition), keys);
    if (value === textIn(specOf(old), keys)) return [];
    return [invalidField(`spec.${keys.join(".")}`, value, "field is immutable")];
  });
}

function textIn(spec: JsonObject, keys: readonly string[]): string {
  const [first = "", second] = keys;
  return second === undefined ? textAt(spec, first) : textAt(objectAt(spec, first), second);
}

function approvalErrors(
  definition: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] {
  const approval = approvalOf(definition);
  if (approval === undefined) return [];
  const { state, reason } = approval;
  if (old !== undefined && approvalOf(old)?.state === state) return [];
  const field = `metadata.annotations[${approvedAnnotation}]`;
  if (state === "missing") return [requiredField(field, reason)];
  if (state !== "invalid") return [];
  return [invalidField(field, annotationOf(definition, approvedAnnotation), reason)];
}

function looseErrors(definition: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const key = "preserveUnknownFields";
  if (!isTrueAt(specOf(definition), key)) return [];
  if (old !== undefined && isTrueAt(specOf(old), key)) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in " +
    "spec.versions[*].schema instead";
  return [invalidField(`spec.${key}`, true, detail)];
}

function mayHaveBadCaBundle(old: JsonObject): boolean {
  if (!isEstablished(old)) return true;
  const webhook = objectAt(objectAt(specOf(old), "conversion"), "webhook");
  const bundle = textAt(objectAt(webhook, "clientConfig"), "caBundle");
  return caBundleProblem(bundle) !== undefined;
}

/** What was accepted once stays accepted, even if the rules have become stricter since. */
function unchangedSchemas(definition: JsonObject, old: JsonObject): ReadonlySet<string> {
  const before = new Map(
    versionsOf(old).map((version) => [getOwn(version, "name"), schemaOf(version)]),
  );
  const versions = versionsOf(definition);
  const changed = versions.filter((version) => {
    return !equalJson(schemaOf(version), before.get(getOwn(version, "name")));
  });
  const names = new Set(versions.map((version) => textAt(version, "name")));
  for (const version of changed) names.delete(textAt(version, "name"));
  return names;
}
