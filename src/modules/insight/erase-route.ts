// POST /api/v1/erase and /api/v1/erase/{kind}/{name}: removes values from the past before the log
// forgets it. What is current is never erased. It cannot be undone, so it has a verb of its own.

import type { Route, RoutePorts } from "../../contract/route.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { allNames, recordErasure } from "../../intents/audit/erasures.ts";
import { causeOf } from "../../intents/write/cause-of.ts";
import { textAt } from "../../kernel/json-read.ts";
import { addressedBy } from "./addressed.ts";
import { nameParameters, namespaceField, objectSchema } from "./schemas.ts";

const answers = {
  200: {
    description: "What was erased.",
    schema: objectSchema(
      { erased: { type: "integer", description: "The number of revisions that were erased." } },
      ["erased"],
    ),
  },
};

export function eraseRoutes({ intents }: RoutePorts): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/api/v1/erase",
      summary: "Erase the secrets of deleted resources from the history.",
      description:
        "Needs the verb `erase` on secrets, in the namespace or in all of them. Backups that " +
        "exist keep the values.",
      tag: "History",
      access: {
        kind: "resource",
        verb: "erase",
        group: "",
        resource: "secrets",
        namespace: "{namespace}",
      },
      query: objectSchema({
        namespace: { type: "string", description: "Only resources of this namespace." },
      }),
      answers,
      command: "resources.erase-deleted",
      errors: [403],
      handle: async ({ query, caller, signal }) => {
        const namespace = textAt(query, "namespace");
        const target = { kind: "secrets", namespace, name: allNames };
        await recordErasure(intents, target, causeOf(caller));
        const where = namespace === "" ? {} : { namespace };
        return erased(
          await intents.store.erase({ kind: "deleted", minAgeMs: 0, ...where }, signal),
        );
      },
    },
    {
      method: "POST",
      path: "/api/v1/erase/{kind}/{name}",
      summary: "Erase every state of a resource but the current one.",
      description:
        "Needs the verb `erase` on the resource, which may have been deleted. The history still " +
        "lists the revisions. Backups that exist keep the values.",
      tag: "History",
      access: { kind: "addressed", verbs: ["erase"] },
      parameters: nameParameters,
      query: objectSchema({ namespace: namespaceField }),
      answers,
      command: "resources.erase",
      errors: [403, 404],
      handle: async (request) => {
        const { key } = addressedBy(intents.kinds, request);
        await recordErasure(intents, key, causeOf(request.caller));
        return erased(await intents.store.erase({ kind: "earlier", key }, request.signal));
      },
    },
  ];
}

function erased(count: number): {
  readonly kind: "document";
  readonly status: number;
  readonly document: JsonObject;
} {
  return { kind: "document", status: 200, document: { erased: count } };
}
