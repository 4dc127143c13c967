// The checks of how a definition converts between its versions. The paths in the errors are those
// of the form that Kubernetes checks, in which the webhook's parts lie one level higher.

import {
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { hasObject, objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { webhookServiceErrors, webhookUrlErrors } from "../builtin/webhook-address.ts";
import { caBundleProblem } from "./definition-ca-bundle.ts";
import { labelProblem } from "./definition-syntax.ts";

export interface ConversionCheck {
  /** A new definition may bring its certificates later; it is not established before. */
  readonly mayHaveBadCaBundle: boolean;
}

const knownReviewVersions = ["v1", "v1beta1"];

export function conversionErrors(
  conversion: JsonObject,
  path: string,
  check: ConversionCheck,
): readonly FieldError[] {
  const strategy = textAt(conversion, "strategy");
  const errors = strategyErrors(strategy, `${path}.strategy`);
  const webhook = objectAt(conversion, "webhook");
  const reviewVersions = textsAt(webhook, "conversionReviewVersions");
  const configPath = `${path}.webhookClientConfig`;
  const versionsPath = `${path}.conversionReviewVersions`;
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (hasObject(webhook, "clientConfig")) errors.push(forbiddenField(configPath, detail));
    if (reviewVersions.length > 0) errors.push(forbiddenField(versionsPath, detail));
    return errors;
  }
  if (hasObject(webhook, "clientConfig")) {
    errors.push(...configErrors(objectAt(webhook, "clientConfig"), configPath, check));
  } else {
    errors.push(requiredField(configPath, "required when strategy is set to Webhook"));
  }
  return [...errors, ...reviewVersionErrors(reviewVersions, versionsPath)];
}

function strategyErrors(strategy: string, field: string): FieldError[] {
  if (strategy === "") return [requiredField(field)];
  if (strategy === "None" || strategy === "Webhook") return [];
  return [unsupportedField(field, strategy, ["None", "Webhook"])];
}

function configErrors(
  config: JsonObject,
  path: string,
  check: ConversionCheck,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const url = getOwn(config, "url");
  const hasService = hasObject(config, "service");
  if ((typeof url === "string") === hasService) {
    errors.push(requiredField(path, "exactly one of url or service is required"));
  } else if (typeof url === "string") {
    errors.push(...webhookUrlErrors(url, `${path}.url`));
  } else {
    errors.push(...webhookServiceErrors(objectAt(config, "service"), `${path}.service`));
  }
  const bundle = textAt(config, "caBundle");
  const problem = check.mayHaveBadCaBundle ? undefined : caBundleProblem(bundle);
  if (problem !== undefined) errors.push(invalidField(`${path}.caBundle`, bundle, problem));
  return errors;
}

function reviewVersionErrors(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [requiredField(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const field = `${path}[${index}]`;
    const problem = labelProblem(version);
    const isRepeated = seen.has(version);
    seen.add(version);
    if (isRepeated) {
      errors.push(invalidField(field, version, "duplicate version"));
    } else if (problem !== undefined) errors.push(invalidField(field, version, problem));
  }
  if (!versions.some((version) => knownReviewVersions.includes(version))) {
    const detail = `must include at least one of ${knownReviewVersions.join(", ")}`;
    errors.push(invalidField(path, versions, detail));
  }
  return errors;
}
