// Serves the subresources that modules contribute: see contract/subresource.ts.

import type { Subresource, SubresourceBody } from "../../contract/subresource.ts";
import type { SpecialHandler } from "./api.ts";
import { readBody } from "./body.ts";
import { formOf, targetOf } from "./context.ts";
import type { ResourceRequest } from "./context.ts";
import { bodyOf } from "./objects.ts";
import { writeOptions } from "./options.ts";
import { sendJson } from "./respond.ts";
import { noSuchResource, notAllowed } from "./routing.ts";

/** The handlers by their names, such as "widgets.example.com/plan", as the surface takes them. */
export function subresourceHandlers(
  subresources: readonly Subresource[],
): readonly (readonly [string, SpecialHandler])[] {
  return subresources.map((each) => [`${each.kind}/${each.name}`, handlerOf(each)]);
}

function handlerOf(subresource: Subresource): SpecialHandler {
  return async (surface, request) => {
    const { info, found, caller, exchange } = request;
    if (subresource.isServed?.(found.served.id) === false) throw noSuchResource();
    const verb = subresource.verbs.find((each) => each === info.verb);
    if (verb === undefined) throw notAllowed();
    const { status, document } = await subresource.handle({
      verb,
      target: targetOf(request),
      caller,
      query: info.query,
      intents: surface.intents,
      body: () => decodedBody(request),
      text: async () => (await readBody(request)).toString("utf8"),
      signal: surface.stopping,
    });
    const form = { ...formOf(request, false), as: "object" as const };
    await sendJson(exchange, { status, form, headers: request.headers() }, document);
  };
}

async function decodedBody(request: ResourceRequest): Promise<SubresourceBody> {
  const { exchange, info } = request;
  const userAgent = exchange.headers["user-agent"];
  const kind = info.verb === "update" ? "UpdateOptions" : "CreateOptions";
  const options = writeOptions(info.query, { kind, userAgent, isApply: false });
  const { value, problems } = await bodyOf(request, options);
  return { value, problems, fieldValidation: options.fieldValidation };
}
