// POST .../connections/NAME/events: a service, or somebody in its name, tells what has changed. The
// caller needs the right to create "connections/events", which the surface has checked; it learns
// how many resources were woken, and nothing about them.

import { badRequest, notFound } from "../../intents/refusals.ts";
import type { Intents } from "../../intents/request.ts";
import { jsonProblem } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { connectionsKind } from "../../modules/connect/kinds/connection-kind.ts";
import { wakeByEvent } from "../../modules/connect/kinds/wake-by-event.ts";
import type { SpecialHandler } from "../../surfaces/kube/api.ts";
import { readBody } from "../../surfaces/kube/body.ts";
import { formOf } from "../../surfaces/kube/context.ts";
import { sendJson } from "../../surfaces/kube/respond.ts";
import { notAllowed } from "../../surfaces/kube/routing.ts";

export const eventsSubresource = `${connectionsKind}/events`;

export function eventsHandler(intents: Pick<Intents, "store" | "live">): SpecialHandler {
  return async (surface, request) => {
    const { info, found, exchange } = request;
    if (info.verb !== "create") throw notAllowed();
    const key = { kind: connectionsKind, namespace: "", name: info.name };
    if (intents.live.get(key) === undefined) throw notFound(found.served.kind, info.name);
    const event = eventIn((await readBody(exchange)).toString("utf8"));
    const woken = await wakeByEvent(intents, info.name, event, surface.stopping);
    const form = { ...formOf(request, false), as: "object" as const };
    const document = { kind: "EventsTaken", apiVersion: "setpoint.dev/v1", woken };
    await sendJson(exchange, { status: 202, form, headers: request.headers() }, document);
  };
}

function eventIn(text: string): Json {
  try {
    const event: unknown = JSON.parse(text);
    if (jsonProblem(event, limits.maxJsonDepth) === undefined) return event as Json;
  } catch {
    // Told below, without what was sent.
  }
  throw badRequest("the body must be an event as JSON, or a list of them");
}
