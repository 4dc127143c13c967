// Gives a definition that converts by webhook its converter.

import { conversionWebhookOf, convertByWebhook } from "../intents/kinds/conversion-webhook.ts";
import type { Converter } from "../intents/kinds/served-kind.ts";
import { systemIds } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { limits } from "../kernel/limits.ts";
import type { Resource } from "../kernel/resource.ts";
import type { WebhookClient } from "./webhook-client.ts";

/** Undefined when the versions of the kind differ in nothing but their name. */
export function webhookConverter(
  definition: Resource,
  { fetch }: WebhookClient,
): Converter | undefined {
  const webhook = conversionWebhookOf(definition);
  if (webhook === undefined) return undefined;
  const ports = { fetch, ids: systemIds, timeoutMs: limits.conversionTimeoutMs };
  return async (documents, { apiVersion }) => {
    const given = documents as unknown as readonly JsonObject[];
    const converted = await convertByWebhook(webhook, given, { apiVersion }, ports);
    return converted as unknown as readonly Resource[];
  };
}
