// Subscriptions as the resource manager tells us of them: their state decides which verbs their
// resources answer to. Any state may follow any other and the last one counts; a subscription that
// nobody told us of has no resources. Its namespace is made with it; a subscription whose namespace
// somebody deleted is not known any more, until the resource manager tells of it once again.

import { ensure, systemOptions } from "../../../intents/bootstrap.ts";
import type { Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { readNamespace } from "../../../intents/write/namespace.ts";
import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "../request/arm-request.ts";
import { subscriptionKind } from "../../../modules/resource-provider/face.ts";
import { isSubscriptionId } from "../face/sent-envelope.ts";
import {
  mayPass,
  subscriptionStates,
} from "../../../modules/resource-provider/subscriptions/state.ts";
import type { GatedVerb } from "../../../modules/resource-provider/subscriptions/state.ts";

/** Of which version of the protocol the subscription calls are. */
export const subscriptionVersion = "2.0";

export async function putSubscription(
  surface: ArmSurface,
  request: ArmRequest,
  subscription: string,
): Promise<ArmAnswer> {
  checkSubscriptionId(subscription);
  const body = await readObject(request.exchange);
  const state = subscriptionStates.find((each) => each === textAt(body, "state"));
  if (state === undefined) {
    const message = `The state must be one of ${subscriptionStates.join(", ")}.`;
    throw armRefusal(400, { code: "InvalidParameter", message, target: "state" });
  }
  const { intents } = surface;
  await ensure(intents, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespaceOf(subscription) },
  });
  const target = subscriptionTarget(surface, subscription);
  const { apiVersion } = target.version;
  const { name } = target;
  const { caller } = request;
  const document = { apiVersion, kind: "Subscription", metadata: { name }, spec: body };
  await updateResource(intents, {
    caller,
    target,
    options: systemOptions,
    optionsKind: "UpdateOptions",
    allowsBlind: true,
    // The last one counts, whatever was written meanwhile.
    change: (old) => ({ wanted: { ...withoutRevision(old), spec: body } }),
    create: () =>
      createResource(intents, {
        caller,
        target,
        body: document,
        options: systemOptions,
        decodeProblems: [],
      }),
  });
  return { status: 200, body };
}

export async function getSubscription(
  surface: ArmSurface,
  subscription: string,
): Promise<ArmAnswer> {
  checkSubscriptionId(subscription);
  const spec = await specOf(surface, subscription);
  if (spec === undefined) throw subscriptionNotFound(subscription);
  return { status: 200, body: spec };
}

/** As it was told last; undefined where nobody told of it. */
async function stateOf(surface: ArmSurface, subscription: string): Promise<string | undefined> {
  const spec = await specOf(surface, subscription);
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

function subscriptionTarget({ intents }: ArmSurface, subscription: string): Target {
  const served = intents.kinds.byId(subscriptionKind);
  if (served === undefined) throw new Error("subscriptions are served where this surface is");
  const name = subscription.toLowerCase();
  return { served, version: served.storage, namespace: "", name, subresource: "" };
}

async function specOf(
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

function checkSubscriptionId(subscription: string): void {
  if (isSubscriptionId(subscription)) return;
  const message = `The provided subscription identifier '${subscription}' is malformed or invalid.`;
  throw armRefusal(400, { code: "InvalidSubscriptionId", message });
}

function subscriptionNotFound(subscription: string): Error {
  const message =
    `The subscription '${subscription}' could not be found. Register it by a PUT ` +
    `of '/subscriptions/${subscription}?api-version=${subscriptionVersion}'.`;
  return armRefusal(404, { code: "SubscriptionNotFound", message });
}
