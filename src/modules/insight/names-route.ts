// GET /api/v1/names: finds resources of all kinds by a part of their name, the best matches first.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import type { Row } from "../../intents/read-model/row.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { stateSchema } from "./row-json.ts";
import { limitField, objectSchema } from "./schemas.ts";
import { idOf, reportFields, visitKinds } from "./visited-kinds.ts";

const mostNames = 100;
const usualNames = 20;

interface Match {
  readonly kind: string;
  readonly name: string;
  readonly row: Row;
  /** Smaller is better. */
  readonly rank: number;
}

export function namesRoute(ports: RoutePorts): Route {
  return {
    method: "GET",
    path: "/api/v1/names",
    summary: "Find resources of all kinds by a part of their name.",
    description:
      "Equal names come first, then names that begin with the text, then shorter ones. Of equal " +
      "matches, built-in kinds come after others. Events come last. Only resources that you may " +
      "list are found. Upper and lower case are the same.",
    tag: "State",
    access: { kind: "authenticated" },
    query: objectSchema(
      {
        q: { type: "string", minLength: 1, maxLength: limits.maxNameLength },
        ...reportFields,
        limit: limitField(mostNames, usualNames),
      },
      ["q"],
    ),
    answers: {
      200: {
        description: "The best matches.",
        schema: objectSchema(
          {
            items: {
              type: "array",
              items: objectSchema(
                {
                  kind: { type: "string", description: "Plural and group." },
                  kindName: { type: "string" },
                  name: { type: "string" },
                  namespace: { type: "string" },
                  uid: { type: "string" },
                  state: stateSchema,
                },
                ["kind", "kindName", "name", "uid", "state"],
              ),
            },
            total: { type: "integer", description: "All matches, shown or not." },
            revision: { type: "integer" },
          },
          ["items", "total", "revision"],
        ),
      },
    },
    errors: [400, 403, 404],
    isList: true,
    handle: (request) => findNames(ports, request),
  };
}

async function findNames(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const { query } = request;
  const wanted = textAt(query, "q").toLowerCase();
  const most = numberAt(query, "limit") ?? usualNames;
  let best: Match[] = [];
  let total = 0;
  const revision = await visitKinds(ports, request, (served, row) => {
    const place = placeOf(row.name, wanted);
    if (place === undefined) return;
    total += 1;
    const rank = rankOf(served, place, row.name.length);
    best.push({ kind: idOf(served), name: served.kind.names.kind, row, rank });
    // Sorted now and then, so that a text in every name costs no large array.
    if (best.length >= 2 * mostNames) best = best.toSorted(byRank).slice(0, most);
  });
  const items = best.toSorted(byRank).slice(0, most).map(matchJson);
  return { kind: "document", status: 200, document: { items, total, revision } };
}

/** 0: equal; 1: at the beginning; 2: elsewhere. */
function placeOf(name: string, wanted: string): number | undefined {
  const at = name.toLowerCase().indexOf(wanted);
  if (at === -1) return undefined;
  if (at > 0) return 2;
  return name.length === wanted.length ? 0 : 1;
}

/** An Event begins with the name of its resource, and there are many. */
const eventPlace = 3;

function rankOf({ kind }: ServedKind, place: number, length: number): number {
  const isBuiltIn = kind.origin === "built-in";
  const isEvent = isBuiltIn && kind.names.kind === "Event";
  return ((isEvent ? eventPlace : place) * 1_000 + length) * 2 + (isBuiltIn ? 1 : 0);
}

function byRank(one: Match, other: Match): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  const [left, right] = [keyOf(one), keyOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function keyOf({ kind, row }: Match): string {
  return `${row.name} ${kind} ${row.namespace}`;
}

function matchJson({ kind, name, row }: Match): JsonObject {
  const { namespace, uid, state } = row;
  const place = namespace === "" ? {} : { namespace };
  return { kind, kindName: name, name: row.name, ...place, uid, state };
}
