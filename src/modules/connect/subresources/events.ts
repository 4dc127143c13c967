// POST .../connections/NAME/events: a service, or a program on its behalf, reports changes. The
// surface has checked the right to create "connections/events". The answer has the number of
// resources that were woken, and nothing about them.

import type { Subresource } from "../../../contract/subresource.ts";
import { badRequest, notFound } from "../../../intents/refusals.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { jsonProblem } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import { connectionsKind } from "../kinds/connection-kind.ts";
import { wakeByEvent } from "../kinds/wake-by-event.ts";

export const eventsSubresource: Subresource = {
  kind: connectionsKind,
  name: "events",
  verbs: ["create"],
  handle: async ({ target, intents, text, signal }) => {
    const { served, name } = target;
    const key = { kind: connectionsKind, namespace: "", name };
    if (intents.live.get(key) === undefined) throw notFound(served.kind, name);
    const woken = await wakeByEvent(intents, name, eventIn(await text()), signal);
    return { status: 202, document: { kind: "EventsTaken", apiVersion: "setpoint.dev/v1", woken } };
  },
};

function eventIn(text: string): Json {
  try {
    const event: unknown = parseExact(text);
    if (jsonProblem(event, limits.maxJsonDepth) === undefined) return event as Json;
  } catch {
    // Refused below, without the text, which may have secrets.
  }
  throw badRequest("the body must be an event as JSON, or a list of them");
}
