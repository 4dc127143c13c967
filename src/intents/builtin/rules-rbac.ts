// Roles and bindings: rules that can mean something, subjects that can exist, and a roleRef that
// never changes, since whoever could change it would get around the check against escalation.

import { invalidField, requiredField, unsupportedField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { subdomainProblems } from "../../kernel/names.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withDefaults, withEach, withInner } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import { invalidEach, labelSelectorErrors, pathSegmentProblems } from "./syntax-checks.ts";

const group = "rbac.authorization.k8s.io";

export const roleRules: KindRules = rulesOfRoles(true);
export const clusterRoleRules: KindRules = rulesOfRoles(false);
export const roleBindingRules: KindRules = rulesOfBindings(true);
export const clusterRoleBindingRules: KindRules = rulesOfBindings(false);

function rulesOfRoles(isNamespaced: boolean): KindRules {
  const errorsOf = (role: Resource): readonly FieldError[] => [
    ...listAt(role, "rules").flatMap((rule, index) =>
      policyRuleErrors(rule, isNamespaced, `rules[${index}]`),
    ),
    ...(isNamespaced ? [] : aggregationErrors(role)),
  ];
  return {
    nameProblems: pathSegmentProblems,
    allowsCreateOnUpdate: true,
    validateCreate: errorsOf,
    validateUpdate: errorsOf,
  };
}

function rulesOfBindings(isNamespaced: boolean): KindRules {
  const errorsOf = (binding: Resource): readonly FieldError[] => [
    ...roleRefErrors(objectAt(binding, "roleRef"), isNamespaced),
    ...listAt(binding, "subjects").flatMap((subject, index) =>
      subjectErrors(subject, isNamespaced, `subjects[${index}]`),
    ),
  ];
  return {
    nameProblems: pathSegmentProblems,
    allowsCreateOnUpdate: true,
    defaulting(binding) {
      const referring = withInner(binding, "roleRef", (ref) =>
        withDefaults(ref, { apiGroup: group }),
      );
      return withEach(referring, "subjects", withGroup);
    },
    validateCreate: errorsOf,
    validateUpdate: (binding, old) => [...errorsOf(binding), ...changedRef(binding, old)],
  };
}

function withGroup(subject: JsonObject): JsonObject {
  const kind = textAt(subject, "kind");
  return kind === "User" || kind === "Group" ? withDefaults(subject, { apiGroup: group }) : subject;
}

function policyRuleErrors(rule: Json, isNamespaced: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const empty = (name: string): boolean => textsAt(rule, name).length === 0;
  if (empty("verbs")) {
    errors.push(requiredField(`${field}.verbs`, "verbs must contain at least one value"));
  }
  if (!empty("nonResourceURLs")) {
    const at = `${field}.nonResourceURLs`;
    const paths = valueAt(rule, "nonResourceURLs");
    if (isNamespaced) {
      const detail = "namespaced rules cannot apply to non-resource URLs";
      errors.push(invalidField(at, paths, detail));
    }
    if (!empty("apiGroups") || !empty("resources") || !empty("resourceNames")) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalidField(at, paths, detail));
    }
    return errors;
  }
  if (empty("apiGroups")) {
    const detail = "resource rules must supply at least one api group";
    errors.push(requiredField(`${field}.apiGroups`, detail));
  }
  if (empty("resources")) {
    const detail = "resource rules must supply at least one resource";
    errors.push(requiredField(`${field}.resources`, detail));
  }
  return errors;
}

function aggregationErrors(role: Resource): readonly FieldError[] {
  if (valueAt(role, "aggregationRule") === undefined) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = listAt(role, "aggregationRule", "clusterRoleSelectors");
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [requiredField(field, detail)];
  }
  return selectors.flatMap((selector, index) => {
    const at = `${field}[${index}]`;
    const errors = labelSelectorErrors(objectAt(selector), at);
    if (errors.length === 0) return errors;
    return errors.concat(invalidField(at, null, "invalid label selector."));
  });
}

function roleRefErrors(ref: JsonObject, isNamespaced: boolean): readonly FieldError[] {
  const [apiGroup, kind, name] = ["apiGroup", "kind", "name"].map((key) => textAt(ref, key));
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(unsupportedField("roleRef.apiGroup", apiGroup, [group]));
  if (kind === undefined || !kinds.includes(kind)) {
    errors.push(unsupportedField("roleRef.kind", kind, kinds));
  }
  if (name === undefined || name === "") return [...errors, requiredField("roleRef.name")];
  return [...errors, ...invalidEach("roleRef.name", name, pathSegmentProblems(name))];
}

function subjectErrors(subject: Json, isNamespaced: boolean, field: string): readonly FieldError[] {
  const name = textAt(subject, "name");
  const apiGroup = textAt(subject, "apiGroup");
  const kind = textAt(subject, "kind");
  const errors: FieldError[] = [];
  if (name === "") errors.push(requiredField(`${field}.name`));
  if (kind === "ServiceAccount") {
    if (name !== "") errors.push(...invalidEach(`${field}.name`, name, subdomainProblems(name)));
    if (apiGroup !== "") errors.push(unsupportedField(`${field}.apiGroup`, apiGroup, [""]));
    if (!isNamespaced && textAt(subject, "namespace") === "") {
      errors.push(requiredField(`${field}.namespace`));
    }
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) errors.push(unsupportedField(`${field}.apiGroup`, apiGroup, [group]));
  } else {
    const kinds = ["ServiceAccount", "User", "Group"];
    errors.push(unsupportedField(`${field}.kind`, kind, kinds));
  }
  return errors;
}

function changedRef(binding: Resource, old: Resource): readonly FieldError[] {
  const ref = objectAt(binding, "roleRef");
  if (equalJson(ref, objectAt(old, "roleRef"))) return [];
  const shown = {
    APIGroup: textAt(ref, "apiGroup"),
    Kind: textAt(ref, "kind"),
    Name: textAt(ref, "name"),
  };
  return [invalidField("roleRef", shown, "cannot change roleRef")];
}
