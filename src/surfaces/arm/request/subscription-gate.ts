// Which verbs a request may use in the state of its subscription. A subscription that the resource
// manager did not register has no resources; one whose namespace was deleted is unknown until it is
// registered again.

import { readNamespace } from "../../../intents/write/namespace.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import { subscriptionKind } from "../../../modules/resource-provider/face.ts";
import { mayPass } from "../../../modules/resource-provider/subscriptions/state.ts";
import type { GatedVerb } from "../../../modules/resource-provider/subscriptions/state.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { isSubscriptionId } from "../protocol/name-rules.ts";
import type { ArmSurface } from "./surface-state.ts";

/** Of which version of the protocol the subscription calls are. */
export const subscriptionVersion = "2.0";

/** As last registered; undefined for a subscription that was never registered. */
async function stateOf(surface: ArmSurface, subscription: string): Promise<string | undefined> {
  const spec = await subscriptionSpec(surface, subscription);
  return spec && textAt(spec, "state");
}

/** Throws unless the state of the subscription lets the verb pass. */
export async function passSubscription(
  surface: ArmSurface,
  subscription: string,
  verb: GatedVerb,
): Promise<void> {
  if (verb === "read") return;
  const state = await stateOf(surface, subscription);
  if (state === undefined) throw subscriptionNotFound(subscription);
  if (mayPass(state, verb)) {
    if (verb === "write") await passNamespace(surface, subscription);
    return;
  }
  const message = `The request is not allowed in the subscription state '${state}'.`;
  throw armRefusal(400, { code: "InvalidSubscriptionState", message });
}

/** What is being deleted with its namespace still answers, but nothing can be put beside it. */
async function passNamespace({ intents }: ArmSurface, subscription: string): Promise<void> {
  const namespace = await readNamespace(intents, namespaceOf(subscription));
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  const message = `The resources of the subscription '${subscription}' are being deleted.`;
  throw armRefusal(409, { code: "Conflict", message });
}

export async function subscriptionSpec(
  { intents, documents }: ArmSurface,
  subscription: string,
): Promise<JsonObject | undefined> {
  const key = { kind: subscriptionKind, namespace: "", name: subscription.toLowerCase() };
  // Where this process is the only one, it knows of every write that was answered.
  const isAlone = intents.store.engine === "sqlite";
  const live = isAlone ? intents.live.get(key) : undefined;
  const record = live === undefined ? await intents.store.get(key) : undefined;
  const resource = live?.resource ?? (record && documents.of(record));
  if (resource === undefined) return undefined;
  if ((await readNamespace(intents, namespaceOf(subscription))) === undefined) return undefined;
  return objectAt(resource, "spec");
}

export function checkSubscriptionId(subscription: string): void {
  if (isSubscriptionId(subscription)) return;
  const message = `The provided subscription identifier '${subscription}' is malformed or invalid.`;
  throw armRefusal(400, { code: "InvalidSubscriptionId", message });
}

export function subscriptionNotFound(subscription: string): Error {
  const message =
    `The subscription '${subscription}' could not be found. Register it by a PUT ` +
    `of '/subscriptions/${subscription}?api-version=${subscriptionVersion}'.`;
  return armRefusal(404, { code: "SubscriptionNotFound", message });
}
