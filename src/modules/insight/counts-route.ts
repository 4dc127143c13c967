// GET /api/v1/counts: how many resources there are, by kind and state.

import type { Route, RoutePorts } from "../../contract/route.ts";
import type { ResourceState } from "../../intents/read-model/state.ts";
import { resourceStates } from "../../intents/read-model/state.ts";
import { objectSchema } from "./schemas.ts";
import { idOf, reportFields, visitKinds } from "./visited-kinds.ts";

interface Count {
  readonly name: string;
  total: number;
  readonly states: Map<ResourceState, number>;
}

export function countsRoute(ports: RoutePorts): Route {
  const states = Object.fromEntries(resourceStates.map((state) => [state, { type: "integer" }]));
  return {
    method: "GET",
    path: "/api/v1/counts",
    summary: "Count resources by kind and state.",
    description: "Only resources that you may list are counted.",
    tag: "State",
    access: { kind: "authenticated" },
    query: objectSchema(reportFields),
    answers: {
      200: {
        description: "The counts. A state without resources is left out.",
        schema: objectSchema(
          {
            revision: { type: "integer" },
            kinds: {
              type: "array",
              items: objectSchema(
                {
                  kind: { type: "string", description: "Plural and group." },
                  name: { type: "string", description: "As in the field `kind` of a resource." },
                  total: { type: "integer" },
                  states: objectSchema(states),
                },
                ["kind", "name", "total", "states"],
              ),
            },
          },
          ["revision", "kinds"],
        ),
      },
    },
    errors: [403, 404],
    isList: true,
    handle: async (request) => {
      const counts = new Map<string, Count>();
      const revision = await visitKinds(ports, request, (served, { state }) => {
        const id = idOf(served);
        let count = counts.get(id);
        if (count === undefined) {
          count = { name: served.kind.names.kind, total: 0, states: new Map() };
          counts.set(id, count);
        }
        count.total += 1;
        count.states.set(state, (count.states.get(state) ?? 0) + 1);
      });
      const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
      const kinds = sorted.map(([kind, { name, total, states: own }]) => {
        return { kind, name, total, states: Object.fromEntries(own) };
      });
      return { kind: "document", status: 200, document: { revision, kinds } };
    },
  };
}
