// GET .../NAME/plan: what the next run would do about a resource that is kept in a service, with
// the reasons; POST, with a document, the same for what is not stored yet. Whoever asks needs the
// right to get, or to create, "PLURAL/plan", which the surface checked; and to get the resource,
// or to write it: what is answered is read from the service in the name of its connection.

import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import { badRequest, notFound } from "../../intents/refusals.ts";
import { keyOfTarget } from "../../intents/request.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Strictness } from "../../intents/write/unknown-fields.ts";
import { previewDocument } from "../../modules/connect/loop/preview.ts";
import type { SpecialHandler } from "../../surfaces/kube/api.ts";
import { formOf, targetOf } from "../../surfaces/kube/context.ts";
import type { ResourceRequest } from "../../surfaces/kube/context.ts";
import { bodyOf } from "../../surfaces/kube/objects.ts";
import { writeOptions } from "../../surfaces/kube/options.ts";
import { sendJson } from "../../surfaces/kube/respond.ts";
import { noSuchResource, notAllowed } from "../../surfaces/kube/routing.ts";
import type { ControlPlane } from "../control-plane.ts";
import { accessTo } from "../operations/observer.ts";
import type { Planner } from "./planner.ts";
import { plannedResource } from "./planned-resource.ts";

export const planSubresource = "*/plan";

export function planHandler(
  plane: Pick<ControlPlane, "intents" | "rbac">,
  planner: Planner,
): SpecialHandler {
  return async (surface, request) => {
    const { info, found, caller } = request;
    const { served } = found;
    const target = targetOf(request);
    if (!served.isKeptOutside) throw noSuchResource();
    if (info.verb !== "get" && info.verb !== "create") throw notAllowed();
    const key = keyOfTarget(target);
    const stored = await planner.stored(key);
    const verb = info.verb === "get" ? "get" : stored === undefined ? "create" : "update";
    const access = { ...accessTo(served, key), verb };
    const { allowed, reason } = plane.rbac.authorize(caller.user, access);
    if (!allowed) throw forbiddenAccess(caller.user, access, reason);
    const given = info.verb === "get" ? undefined : await givenBy(request);
    const resource =
      given === undefined
        ? stored
        : await plannedResource(plane.intents, {
            caller,
            target: { ...target, subresource: "" },
            stored,
            given: given.document,
            strictness: given.strictness,
          });
    if (resource === undefined) throw notFound(served.kind, target.name);
    const result = await planner.look(served.id, resource, surface.stopping);
    const form = { ...formOf(request, false), as: "object" as const };
    const headers = request.headers();
    const document = previewDocument(resource, result);
    await sendJson(request.exchange, { status: 200, form, headers }, document);
  };
}

interface Given {
  readonly document: JsonObject;
  readonly strictness: Strictness;
}

async function givenBy(request: ResourceRequest): Promise<Given> {
  const { exchange, info } = request;
  const userAgent = exchange.headers["user-agent"];
  const kind = "CreateOptions";
  const options = writeOptions(info.query, { kind, userAgent, isApply: false });
  const { value: document, problems } = await bodyOf(request, options);
  if (!isJsonObject(document)) throw badRequest("the body of the request must be an object");
  const strictness = { mode: options.fieldValidation, decodeProblems: problems };
  return { document, strictness };
}
