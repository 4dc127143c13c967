// One webhook of a configuration, read once and kept: where it is, what it is asked about, and
// what its silence means.

import type { Json } from "../../../kernel/json.ts";
import { listAt, numberAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { WebhookAddress } from "../../kinds/conversion-webhook-call.ts";
import { compileConditions } from "../expression/conditions.ts";
import type { Conditions } from "../expression/conditions.ts";
import { resourceRulesOf } from "../resource-rules.ts";
import type { ResourceRules } from "../resource-rules.ts";
import { subjectSelectorsOf } from "../subject-selectors.ts";
import type { SubjectSelectors } from "../subject-selectors.ts";

export interface Webhook {
  readonly configuration: string;
  readonly name: string;
  readonly address: WebhookAddress;
  readonly caBundle: string;
  readonly rules: ResourceRules;
  readonly selectors: SubjectSelectors;
  readonly conditions: Conditions | undefined;
  readonly isIgnoredOnFailure: boolean;
  readonly sideEffects: string;
  readonly timeoutMs: number;
  readonly reviewVersions: readonly string[];
  /** Asked once more when another one changed what it had seen. */
  readonly isReinvoked: boolean;
}

const defaultSeconds = 10;

export function webhooksOf(configuration: Resource): readonly Webhook[] {
  return listAt(configuration, "webhooks").map((hook) =>
    webhookOf(hook, configuration.metadata.name),
  );
}

function webhookOf(hook: Json, configuration: string): Webhook {
  const isIgnoredOnFailure = textAt(hook, "failurePolicy") === "Ignore";
  return {
    configuration,
    name: textAt(hook, "name"),
    address: addressOf(objectAt(hook, "clientConfig")),
    caBundle: textAt(hook, "clientConfig", "caBundle"),
    rules: resourceRulesOf(hook, "rules"),
    selectors: subjectSelectorsOf(hook),
    conditions: compileConditions(listAt(hook, "matchConditions"), {
      hasParams: false,
      isIgnoredOnFailure,
    }),
    isIgnoredOnFailure,
    sideEffects: textAt(hook, "sideEffects"),
    timeoutMs: (numberAt(hook, "timeoutSeconds") ?? defaultSeconds) * 1_000,
    reviewVersions: textsAt(hook, "admissionReviewVersions"),
    isReinvoked: textAt(hook, "reinvocationPolicy") === "IfNeeded",
  };
}

function addressOf(config: Json): WebhookAddress {
  const url = valueAt(config, "url");
  if (typeof url === "string") return { kind: "url", url };
  return {
    kind: "service",
    namespace: textAt(config, "service", "namespace"),
    name: textAt(config, "service", "name"),
    port: numberAt(config, "service", "port") ?? 443,
    path: textAt(config, "service", "path"),
  };
}
