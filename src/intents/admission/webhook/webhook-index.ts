// Which webhooks a request concerns. Everything that does not depend on the single object (rules,
// versions, scope) is decided once for each version of a kind, and kept until a configuration
// changes; a server without webhooks pays for one comparison.

import type { Found, KindRegistry } from "../../kinds/registry.ts";
import type { ServedVersion } from "../../kinds/served-kind.ts";
import type { LiveView } from "../../live-view.ts";
import type { AdmissionRequest } from "../admission.ts";
import { isExempt } from "../attributes.ts";
import { matchRules } from "../resource-rules.ts";
import { webhooksOf } from "./webhook.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook, and the kind and version in which it wants to see the request. */
export interface Candidate {
  readonly webhook: Webhook;
  readonly found: Found;
}

export interface WebhookIndex {
  /** In the order in which they are asked; selectors and conditions are still open. */
  candidates(request: AdmissionRequest): readonly Candidate[];
}

const none: readonly Candidate[] = [];

export interface WebhookIndexInput {
  readonly live: LiveView;
  readonly kinds: KindRegistry;
  readonly onError: (error: unknown, configuration: string) => void;
}

export function webhookIndex(kind: string, input: WebhookIndexInput): WebhookIndex {
  const { live, kinds, onError } = input;
  const byConfiguration = new Map<string, readonly Webhook[]>();
  let ordered: readonly Webhook[] = [];
  let known = new WeakMap<ServedVersion, Map<string, readonly Candidate[]>>();
  live.follow(kind, (after, before) => {
    const name = (after ?? before)?.key.name ?? "";
    byConfiguration.delete(name);
    try {
      if (after !== undefined) byConfiguration.set(name, webhooksOf(after.resource));
    } catch (error) {
      onError(error, name);
    }
    ordered = [...byConfiguration.keys()].sort().flatMap((key) => byConfiguration.get(key) ?? []);
    known = new WeakMap();
  });

  const find = (request: AdmissionRequest): readonly Candidate[] => {
    if (isExempt(request.target)) return none;
    return ordered.flatMap((webhook) => {
      const found = matchRules(webhook.rules, request, kinds);
      return found === undefined ? [] : [{ webhook, found }];
    });
  };

  return {
    candidates: (request) => {
      if (ordered.length === 0) return none;
      const { version, subresource } = request.target;
      const ofVersion = known.get(version) ?? new Map<string, readonly Candidate[]>();
      known.set(version, ofVersion);
      const key = subresource === "" ? request.operation : `${request.operation}/${subresource}`;
      let found = ofVersion.get(key);
      if (found === undefined) ofVersion.set(key, (found = find(request)));
      return found;
    },
  };
}
