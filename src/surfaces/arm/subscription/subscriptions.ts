// GET and PUT of a subscription. The resource manager registers subscriptions and their states; any
// state may follow any other, and the last one counts. The namespace of a subscription is created
// with it.

import { ensure, systemOptions } from "../../../intents/bootstrap.ts";
import type { Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import { subscriptionKind } from "../../../modules/resource-provider/face.ts";
import { subscriptionStates } from "../../../modules/resource-provider/subscriptions/state.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import {
  checkSubscriptionId,
  subscriptionNotFound,
  subscriptionSpec,
} from "../request/subscription-gate.ts";
import type { ArmSurface } from "../request/surface-state.ts";

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
  const spec = await subscriptionSpec(surface, subscription);
  if (spec === undefined) throw subscriptionNotFound(subscription);
  return { status: 200, body: spec };
}

function subscriptionTarget({ intents }: ArmSurface, subscription: string): Target {
  const served = intents.kinds.byId(subscriptionKind);
  if (served === undefined) throw new Error("subscriptions are served where this surface is");
  const name = subscription.toLowerCase();
  return { served, version: served.storage, namespace: "", name, subresource: "" };
}
