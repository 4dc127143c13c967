// The policies that every write passes, in the order of Kubernetes: what changes documents comes
// first, and quotas come last, so that nothing is counted that somebody refuses.

import type { AdmissionPlugin } from "../intents/admission/admission.ts";
import { definitionNameHolders } from "../intents/admission/definition-name-holders.ts";
import { reconciledDefinitions } from "../intents/admission/reconciled-definitions.ts";
import { hiddenFieldGuard } from "../intents/admission/hidden-field-guard.ts";
import { policyIndex } from "../intents/admission/policy/policy-index.ts";
import { validatingPolicies } from "../intents/admission/policy/validating-policies.ts";
import type { QuotaIndex } from "../intents/admission/quota/quota-index.ts";
import { quotaPlugin } from "../intents/admission/quota/quota-plugin.ts";
import { mutatingWebhooks } from "../intents/admission/webhook/mutating-webhooks.ts";
import { validatingWebhooks } from "../intents/admission/webhook/validating-webhooks.ts";
import { webhookIndex } from "../intents/admission/webhook/webhook-index.ts";
import type { Rbac } from "../intents/auth/rbac.ts";
import type { WebhookFetch } from "../intents/kinds/conversion-webhook-call.ts";
import type { KindRegistry } from "../intents/kinds/registry.ts";
import type { LiveView } from "../intents/live-view.ts";
import { escalationGuard } from "../intents/write/escalation-guard.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";

export interface AdmissionPluginsInput {
  readonly live: LiveView;
  readonly kinds: KindRegistry;
  readonly store: Store;
  readonly quotas: QuotaIndex;
  readonly rbac: Rbac;
  readonly fetch: WebhookFetch;
  readonly ids: Ids;
  readonly log: Logger;
  /** Kinds that have a reconciler in this process. */
  readonly reconciled: Pick<ReadonlySet<string>, "has">;
  /** Those of built-in modules. */
  readonly modules: readonly AdmissionPlugin[];
}

const group = "admissionregistration.k8s.io";

export function admissionPlugins(input: AdmissionPluginsInput): readonly AdmissionPlugin[] {
  const { live, kinds, store, quotas, rbac, fetch, ids, log } = input;
  const { reconciled, modules } = input;
  const onError = (error: unknown, configuration: string): void =>
    log.error({ error, configuration }, "webhook configuration not usable");
  const index = { live, kinds, onError };
  const ports = {
    live,
    authorizer: rbac,
    fetch,
    ids,
    onIgnored: (error: Error): void => log.warn({ error }, "webhook failed and was ignored"),
  };
  return [
    mutatingWebhooks(webhookIndex(`mutatingwebhookconfigurations.${group}`, index), ports),
    reconciledDefinitions(reconciled),
    definitionNameHolders(live),
    ...modules,
    escalationGuard(rbac),
    validatingPolicies(
      policyIndex(live, (error, policy) => log.error({ error, policy }, "policy not usable")),
      { live, kinds, store, authorizer: rbac },
    ),
    validatingWebhooks(webhookIndex(`validatingwebhookconfigurations.${group}`, index), ports),
    quotaPlugin(quotas, { store, kinds, live }),
    hiddenFieldGuard(store),
  ];
}
