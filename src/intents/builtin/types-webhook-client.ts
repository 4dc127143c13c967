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
    port: [4, optional(int32), "Port of the service; 443 unless given."],
  });
  const name = `${prefix}.WebhookClientConfig`;
  const webhookClientConfig = message(name, "How to reach a webhook.", {
    url: [3, optional(string), "Where to call, as scheme://host:port/path."],
    service: [1, optional(of(serviceReference)), "The service to call, or else a URL."],
    caBundle: [2, bytes, "PEM certificates that the server's certificate must lead to."],
  });
  return { serviceReference, webhookClientConfig };
}
