// How to reach a webhook. Admission and conversion each have these messages under a name of their
// own, with the same fields.

import { bytes, int32, message, of, optional, required, string } from "./message.ts";
import type { Message } from "./message.ts";

export interface ClientConfigTypes {
  readonly serviceReference: Message;
  readonly webhookClientConfig: Message;
}

export function clientConfigTypes(prefix: string): ClientConfigTypes {
  const serviceReference = message(`${prefix}.ServiceReference`, "A service to call.", {
    namespace: [1, required(string), "Namespace of the service."],
    name: [2, required(string), "Name of the service."],
    path: [3, optional(string), "Path of the URL."],
    port: [4, optional(int32), "Port of the service. Default: 443."],
  });
  const name = `${prefix}.WebhookClientConfig`;
  const webhookClientConfig = message(name, "How to reach a webhook.", {
    url: [3, optional(string), "URL of the webhook, as scheme://host:port/path."],
    service: [1, optional(of(serviceReference)), "The service to call, if url is not set."],
    caBundle: [
      2,
      bytes,
      "PEM certificates of the authorities that sign the certificate of the webhook.",
    ],
  });
  return { serviceReference, webhookClientConfig };
}
