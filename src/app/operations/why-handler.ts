// GET .../NAME/why, a part of every resource: why it is not ready, and what holds it up. Whoever
// asks needs the right to get "PLURAL/why", which the surface has checked, and to get the resource
// and each one that is shown with it.

import { explain } from "../../engine/why/explain.ts";
import { accessTo } from "../../intents/auth/access-to.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import { notFound } from "../../intents/refusals.ts";
import { keyOfTarget } from "../../intents/request.ts";
import type { SpecialHandler } from "../../surfaces/kube/api.ts";
import { formOf, targetOf } from "../../surfaces/kube/context.ts";
import { sendJson } from "../../surfaces/kube/respond.ts";
import { noSuchResource, notAllowed } from "../../surfaces/kube/routing.ts";
import { observerFor } from "./observer.ts";
import type { Observed } from "./observer.ts";
import { whyDocument } from "./why-document.ts";

/** As the surface takes it: a subresource of every kind. */
export const whySubresource = "*/why";

export function whyHandler(plane: Observed): SpecialHandler {
  return async (surface, request) => {
    const { info, found, caller, exchange } = request;
    const { served } = found;
    const target = targetOf(request);
    const isMisplaced = served.kind.scope === "Namespaced" && target.namespace === "";
    if (!served.verbs.includes("get") || isMisplaced) throw noSuchResource();
    if (info.verb !== "get") throw notAllowed();
    const form = { ...formOf(request, false), as: "object" as const };
    const key = keyOfTarget(target);
    const access = accessTo(served, key);
    const { allowed, reason } = plane.rbac.authorize(caller.user, access);
    if (!allowed) throw forbiddenAccess(caller.user, access, reason);
    const observer = observerFor(plane, caller.user);
    const explanation = await explain(observer, key, surface.intents.clock.nowMs());
    if (explanation === undefined) throw notFound(served.kind, target.name);
    const headers = request.headers();
    await sendJson(exchange, { status: 200, form, headers }, whyDocument(explanation));
  };
}
