// Configurations of webhooks: each has a qualified name, says where it is, what it is asked about,
// that it has no side effects, and which reviews it understands. On updates, rules that older
// configurations were never held to are applied only if the stored one kept them.

import {
  duplicateField,
  invalidField,
  requiredField,
  unsupportedField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, numberAt, objectAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { isHeavySchema } from "../../kernel/schema/schema-size.ts";
import {
  conditionErrors,
  failurePolicies,
  matchDefaults,
  matchPolicies,
  ruleErrors,
  ruleWithScope,
  wordErrors,
} from "./admission-checks.ts";
import { withDefaults, withEach, withInner } from "./parts.ts";
import type { KindRules } from "./rules.ts";
import {
  dns1035LabelProblems,
  invalidEach,
  qualifiedDomainErrors,
  selectorFieldErrors,
} from "./syntax-checks.ts";
import { webhookServiceErrors, webhookUrlErrors } from "./webhook-address.ts";

const harmless = ["None", "NoneOnDryRun"];
const sideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const reviewVersions = ["v1", "v1beta1"];
const maxTimeoutSeconds = 30;

export const mutatingWebhookRules: KindRules = rulesOf(true);
export const validatingWebhookRules: KindRules = rulesOf(false);

/** What older configurations were not held to. */
interface Demands {
  readonly isHarmless: boolean;
  readonly hasKnownVersion: boolean;
  readonly hasUniqueNames: boolean;
}

const all: Demands = { isHarmless: true, hasKnownVersion: true, hasUniqueNames: true };

function rulesOf(isMutating: boolean): KindRules {
  return {
    needsRevision: true,
    defaulting: (config) => withEach(config, "webhooks", (hook) => defaulted(hook, isMutating)),
    isHeavy: (config) => isHeavySchema(valueAt(config, "webhooks")),
    validateCreate: (config) => configErrors(config, isMutating, all),
    validateUpdate: (config, old) => configErrors(config, isMutating, demandsKeptBy(old)),
  };
}

function defaulted(hook: JsonObject, isMutating: boolean): JsonObject {
  const whole = withDefaults(hook, {
    failurePolicy: "Fail",
    ...matchDefaults,
    timeoutSeconds: 10,
    ...(isMutating ? { reinvocationPolicy: "Never" } : {}),
  });
  const scoped = withEach(whole, "rules", ruleWithScope);
  return withInner(scoped, "clientConfig", withPort);
}

/** Also for the conversion webhooks of definitions. */
export function withPort(client: JsonObject): JsonObject {
  return withInner(client, "service", (service) => withDefaults(service, { port: 443 }));
}

function demandsKeptBy(old: Resource): Demands {
  const hooks = listAt(old, "webhooks");
  const names = hooks.map((hook) => textAt(hook, "name"));
  return {
    isHarmless: hooks.every((hook) => harmless.includes(textAt(hook, "sideEffects"))),
    hasKnownVersion: hooks.every((hook) => {
      const versions = textsAt(hook, "admissionReviewVersions");
      return versions.length === 0 || versions.some((name) => reviewVersions.includes(name));
    }),
    hasUniqueNames: new Set(names).size === names.length,
  };
}

function configErrors(
  config: Resource,
  isMutating: boolean,
  demands: Demands,
): readonly FieldError[] {
  const names = new Set<string>();
  return listAt(config, "webhooks").flatMap((hook, index) => {
    const field = `webhooks[${index}]`;
    const name = textAt(hook, "name");
    const again = demands.hasUniqueNames && name !== "" && names.has(name);
    names.add(name);
    return hookErrors(objectAt(hook), isMutating, demands, field).concat(
      versionErrors(hook, demands, `${field}.admissionReviewVersions`),
      again ? [duplicateField(`${field}.name`, name)] : [],
    );
  });
}

function hookErrors(
  hook: JsonObject,
  isMutating: boolean,
  demands: Demands,
  field: string,
): readonly FieldError[] {
  const timeout = numberAt(hook, "timeoutSeconds");
  const isOutside = timeout !== undefined && (timeout > maxTimeoutSeconds || timeout < 1);
  const detail = "the timeout value must be between 1 and 30 seconds";
  return [
    ...qualifiedDomainErrors(`${field}.name`, textAt(hook, "name")),
    ...listAt(hook, "rules").flatMap((rule, index) => ruleErrors(rule, `${field}.rules[${index}]`)),
    ...wordErrors(hook, "failurePolicy", failurePolicies, field),
    ...wordErrors(hook, "matchPolicy", matchPolicies, field),
    ...sideEffectErrors(hook, demands, `${field}.sideEffects`),
    ...(isOutside ? [invalidField(`${field}.timeoutSeconds`, timeout, detail)] : []),
    ...selectorFieldErrors(hook, "namespaceSelector", field),
    ...selectorFieldErrors(hook, "objectSelector", field),
    ...(isMutating ? wordErrors(hook, "reinvocationPolicy", ["IfNeeded", "Never"], field) : []),
    ...clientErrors(objectAt(hook, "clientConfig"), `${field}.clientConfig`),
    ...conditionErrors(hook, field),
  ];
}

function sideEffectErrors(
  hook: JsonObject,
  demands: Demands,
  field: string,
): readonly FieldError[] {
  const allowed = demands.isHarmless ? harmless : sideEffects;
  const value = valueAt(hook, "sideEffects");
  if (value === undefined) {
    return [requiredField(field, `must specify one of ${allowed.join(", ")}`)];
  }
  if (typeof value === "string" && allowed.includes(value)) return [];
  return [unsupportedField(field, value, allowed)];
}

function versionErrors(hook: Json, demands: Demands, field: string): readonly FieldError[] {
  const versions = textsAt(hook, "admissionReviewVersions");
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [requiredField(field, `must specify one of ${known}`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const at = `${field}[${index}]`;
    if (seen.has(version)) errors.push(invalidField(at, version, "duplicate version"));
    else errors.push(...invalidEach(at, version, dns1035LabelProblems(version)));
    seen.add(version);
  }
  if (demands.hasKnownVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidField(field, [...versions], `must include at least one of ${known}`));
  }
  return errors;
}

function clientErrors(client: JsonObject, field: string): readonly FieldError[] {
  const url = valueAt(client, "url");
  const service = valueAt(client, "service");
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(field, "exactly one of url or service is required")];
  }
  if (url !== undefined) return webhookUrlErrors(textAt(client, "url"), `${field}.url`);
  return webhookServiceErrors(objectAt(client, "service"), `${field}.service`);
}
