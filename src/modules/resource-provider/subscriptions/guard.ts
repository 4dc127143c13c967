// The state of a subscription binds whoever writes its resources, through whichever surface: what
// may not be created, changed or deleted with a request here may not be with kubectl either. What
// controllers do with finalizers, labels and status goes on, and so does the server's own work,
// which has to end what is under way. Operators, who are those with a role for the subresource
// `admin`, may pass: they look after a subscription that its customers may not touch.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { equalJson, getOwn } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Store } from "../../../store/port.ts";
import { armSurfaceName } from "../envelope-guard.ts";
import { subscriptionKind } from "../face.ts";
import { mayPass } from "./state.ts";
import type { GatedVerb } from "./state.ts";

export interface SubscriptionGuardInput {
  readonly store: Pick<Store, "get">;
  readonly authorizer: Authorizer;
  /** Whether the kind is offered through the Resource Manager. */
  readonly hasFace: (kind: string) => boolean;
}

export function subscriptionGuard(input: SubscriptionGuardInput): AdmissionPlugin {
  return {
    name: "ResourceManagerSubscription",
    validate: (request) => {
      const { target, caller } = request;
      const isGuarded =
        caller.through !== armSurfaceName &&
        target.namespace.startsWith(prefix) &&
        input.hasFace(target.served.id);
      const verb = isGuarded ? verbOf(request) : undefined;
      const isFree = verb === undefined || isOperator(input.authorizer, request);
      return isFree ? undefined : pass(input.store, request, verb);
    },
  };
}

const prefix = "sub-";

/** Undefined for what a customer does not ask for, or has asked for already. */
function verbOf({ operation, object, old }: AdmissionRequest): GatedVerb | undefined {
  switch (operation) {
    case "CREATE":
      return "write";
    case "UPDATE":
      return equalJson(specOf(object), specOf(old)) ? undefined : "write";
    case "DELETE":
      return old?.metadata.deletionTimestamp === undefined ? "delete" : undefined;
    default:
      return undefined;
  }
}

function specOf(resource: AdmissionRequest["object"]): ReturnType<typeof getOwn> {
  return resource && getOwn(resource, "spec");
}

function isOperator(
  authorizer: Authorizer,
  { caller, operation, target }: AdmissionRequest,
): boolean {
  const { group, names } = target.served.kind;
  const { allowed } = authorizer.authorize(caller.user, {
    kind: "resource",
    verb: operation.toLowerCase(),
    group,
    resource: names.plural,
    subresource: "admin",
    namespace: target.namespace,
    name: target.name,
  });
  return allowed;
}

/** A namespace that no subscription was told of for is like any other. */
async function pass(
  store: Pick<Store, "get">,
  { target }: AdmissionRequest,
  verb: GatedVerb,
): Promise<void> {
  const subscription = target.namespace.slice(prefix.length);
  const record = await store.get({ kind: subscriptionKind, namespace: "", name: subscription });
  if (record === undefined) return;
  const state = textAt(decodeDocument(record.body, record.revision), "spec", "state");
  if (mayPass(state, verb)) return;
  const still = mayPass(state, "delete")
    ? "its resources can be read and deleted, but not created or changed"
    : "its resources can only be read";
  const why = `the subscription ${subscription} is ${state}: ${still}`;
  throw forbidden(target.served.storedKind, target.name, why);
}
