// The admission of ScalingRules: what is refused, and one rule for each region and type.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { conflict, invalid } from "../../../intents/refusals.ts";
import { invalidField, requiredField, unsupportedField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { subdomainProblems } from "../../../kernel/names.ts";
import { fleetLimits } from "../limits.ts";
import { scalingName, scalingRulesKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { checkSecretUse } from "../secret-use.ts";
import { readScalingRule } from "./rule.ts";
import type { ScalingRule } from "./rule.ts";

export interface ScalingGuardPorts {
  readonly authorizer: Authorizer;
  readonly offerings: Pick<OfferingIndex, "byName">;
}

export function scalingGuard({ authorizer, offerings }: ScalingGuardPorts): AdmissionPlugin {
  return {
    name: "FleetScaling",
    validate: (request) => {
      const { object, target } = request;
      if (object === undefined || !isAbout(request)) return;
      const rule = readScalingRule(object);
      const errors = [
        ...nameErrors(rule),
        ...placeErrors(rule, offerings),
        ...slackErrors(rule),
        ...templateErrors(rule),
      ];
      if (errors.length > 0) throw invalid(target.served.storedKind, rule.name, errors);
      const kubeconfig = ["spec", "template", "executor", "kubernetes", "kubeconfig"];
      checkSecretUse(authorizer, request, kubeconfig);
    },
    names: (request) => {
      const { object, operation } = request;
      if (object === undefined || operation !== "CREATE" || !isAbout(request)) return undefined;
      const rule = readScalingRule(object);
      return [scalingName(rule.offering, cellOf(rule))];
    },
    refusal: ({ object, target }, fault) => {
      if (object === undefined || !("scope" in fault)) return undefined;
      const rule = readScalingRule(object);
      if (fault.scope !== scalingName(rule.offering, "").scope) return undefined;
      const holder = fault.holder?.name ?? "another one";
      const why =
        `spec.region: the ScalingRule ${holder} is about the same region and type: change or ` +
        "delete it";
      return conflict(target.served.storedKind, rule.name, why);
    },
  };
}

function isAbout({ target, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && target.served.id === scalingRulesKind && target.subresource === "";
}

function cellOf({ provider, region, type = "" }: ScalingRule): string {
  return [provider, region, type].map(encodeURIComponent).join("/");
}

function nameErrors({ name }: ScalingRule): readonly FieldError[] {
  const most = fleetLimits.maxScalingRuleChars;
  if (name.length <= most && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return [];
  const why =
    `names of clusters begin with it: use at most ${most} lower-case letters, digits and ` +
    "dashes, with a letter or a digit at both ends";
  return [invalidField("metadata.name", name, why)];
}

function placeErrors(
  { offering, provider, region, type }: ScalingRule,
  offerings: ScalingGuardPorts["offerings"],
): readonly FieldError[] {
  const found = offerings.byName(offering);
  if (found === undefined) return [invalidField("spec.offering", offering, "is not an Offering")];
  const providers = found.providers;
  const ofProvider = providers.find(({ id }) => id === provider);
  if (ofProvider === undefined) {
    return [
      unsupportedField(
        "spec.provider",
        provider,
        providers.map(({ id }) => id),
      ),
    ];
  }
  const ofRegion = ofProvider.regions.find(({ id }) => id === region);
  if (ofRegion === undefined) {
    return [
      unsupportedField(
        "spec.region",
        region,
        ofProvider.regions.map(({ id }) => id),
      ),
    ];
  }
  const types = ofRegion.types.map(({ name }) => name);
  if (type === undefined || types.includes(type)) return [];
  return [unsupportedField("spec.type", type, types)];
}

function slackErrors({ slack, minClusters, maxClusters }: ScalingRule): readonly FieldError[] {
  const errors: FieldError[] = [];
  if ((slack.units === undefined) === (slack.percent === undefined)) {
    errors.push(requiredField("spec.slack", "give either units or percent"));
  }
  if (minClusters > maxClusters) {
    const why = `must be at most spec.maxClusters, which is ${maxClusters}`;
    errors.push(invalidField("spec.minClusters", minClusters, why));
  }
  return errors;
}

function templateErrors({ template, type }: ScalingRule): readonly FieldError[] {
  const errors: FieldError[] = [];
  const dns = textAt(template, "dns");
  const at = "spec.template.dns";
  if (!dns.includes("${name}")) {
    errors.push(invalidField(at, dns, "must contain ${name}: each cluster has its own domain"));
  } else if (subdomainProblems(dns.replaceAll("${name}", "n")).length > 0) {
    errors.push(invalidField(at, dns, "must be a domain name, such as apps.${name}.example.com"));
  }
  const ofAll = numberAt(template, "capacity", "instances") ?? -1;
  const ofType = type === undefined ? -1 : (numberAt(template, "capacity", "types", type) ?? -1);
  if (ofAll < 1 && ofType < 1) {
    const why = "a cluster without a limit is never full: set instances, or types, to at least 1";
    errors.push(invalidField("spec.template.capacity", null, why));
  }
  return errors;
}
