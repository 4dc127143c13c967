// GET .../NAME/plan: what the next run would do for a resource that is kept in a service, with the
// reasons. POST with a document: the same for a resource that is not stored yet. The surface has
// checked the right to get, or to create, "PLURAL/plan". The caller also needs the right to get the
// resource, or to write it, because the answer is read from the service with the credentials of its
// connection.

import type { Subresource, SubresourceRequest } from "../../../contract/subresource.ts";
import { accessTo } from "../../../intents/auth/access-to.ts";
import { forbiddenAccess } from "../../../intents/auth/forbidden.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { badRequest, notFound } from "../../../intents/refusals.ts";
import { keyOfTarget } from "../../../intents/request.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { resourceReferences } from "../kinds/secret-references.ts";
import { previewDocument } from "../loop/preview.ts";
import type { Planner } from "./planner.ts";
import { plannedResource } from "./planned-resource.ts";

export interface PlanInput {
  readonly planner: Planner;
  readonly authorizer: Authorizer;
  /** Whether the resources of a kind are kept in a service. */
  readonly isKept: (kind: string) => boolean;
}

export function planSubresource({ planner, authorizer, isKept }: PlanInput): Subresource {
  return {
    kind: "*",
    name: "plan",
    verbs: ["get", "create"],
    isServed: isKept,
    handle: async (request) => {
      const { verb: asked, target, caller, signal } = request;
      const { served, name } = target;
      const key = keyOfTarget(target);
      const stored = await planner.stored(key);
      const verb = asked === "get" ? "get" : stored === undefined ? "create" : "update";
      const access = { ...accessTo(served, key), verb };
      const { allowed, reason } = authorizer.authorize(caller.user, access);
      if (!allowed) throw forbiddenAccess(caller.user, access, reason);
      const resource = asked === "get" ? stored : await resourceSent(request, stored);
      if (resource === undefined) throw notFound(served.kind, name);
      // A document without a spec passes no admission.
      const named = asked === "get" ? [] : resourceReferences(resource, stored, key.namespace);
      checkReferences(authorizer, caller.user, target, named);
      const result = await planner.look(served.id, resource, signal);
      return { status: 200, document: previewDocument(resource, result) };
    },
  };
}

async function resourceSent(
  { body, target, caller, intents }: SubresourceRequest,
  stored: Resource | undefined,
): Promise<Resource> {
  const { value: given, problems, fieldValidation } = await body();
  if (!isJsonObject(given)) throw badRequest("the body of the request must be an object");
  return await plannedResource(intents, {
    caller,
    target: { ...target, subresource: "" },
    stored,
    given,
    strictness: { mode: fieldValidation, decodeProblems: problems },
  });
}
