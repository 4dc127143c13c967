// GET /api/v1/audit: who changed what, newest first. The records are derived from the log, so
// there is one for every change that the log still has, and none can be missing.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import { readAuditRecords } from "../../intents/audit/audit-records.ts";
import type { AuditRecord } from "../../intents/audit/audit-records.ts";
import { decodeRevisionCursor, encodeCursor } from "../../kernel/cursor.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { logWithoutDocuments } from "./log-pages.ts";
import { cursorField, limitField, nextField, objectSchema } from "./schemas.ts";
import {
  changeFilterFields,
  changeLineSchemaFor,
  changesOfKind,
  visibleTo,
} from "./visible-changes.ts";

const outcomes = ["created", "updated", "deleted", "erased"] as const;

const recordSchema = changeLineSchemaFor(outcomes);

export function auditRoute(ports: RoutePorts, lives: Lives): Route {
  return {
    method: "GET",
    path: "/api/v1/audit",
    summary: "List who changed what, newest first.",
    description:
      "Records are derived from the log of changes, as far back as the history of the server " +
      "reaches. Only changes of resources that you may get are shown. A page may be short. The " +
      "type `erased` means that earlier states were erased; the name is `*` if it was about all " +
      "deleted resources.",
    tag: "History",
    access: { kind: "authenticated" },
    query: objectSchema({
      ...changeFilterFields,
      actor: { type: "string", description: "Only changes by this user." },
      surface: { type: "string", description: "Only changes through this surface, such as kube." },
      type: {
        type: "string",
        enum: [...outcomes],
        description: "Only changes of this type: created, updated, deleted or erased.",
      },
      since: {
        type: "string",
        format: "date-time",
        description: "Only changes at this time or later, such as 2026-01-31T08:00:00Z.",
      },
      until: {
        type: "string",
        format: "date-time",
        description: "Only changes before this time.",
      },
      traceId: { type: "string", description: "Only changes of this trace." },
      limit: limitField(limits.maxRestPageItems, limits.defaultRestPageItems),
      cursor: cursorField,
    }),
    answers: {
      200: {
        description: "One page of records.",
        schema: objectSchema(
          {
            items: { type: "array", items: recordSchema },
            compactedTo: { type: "integer", description: "Older records were removed." },
            next: nextField,
          },
          ["items", "compactedTo"],
        ),
      },
    },
    errors: [400, 404],
    isList: true,
    handle: (request) => auditPage(ports, lives, request),
  };
}

async function auditPage(
  ports: RoutePorts,
  lives: Lives,
  { query, caller, pages }: RouteRequest,
): Promise<RouteAnswer> {
  const kind = changesOfKind(ports, query);
  const bound = JSON.stringify(["audit", ...filters.map((name) => textAt(query, name))]);
  const cursor = textAt(query, "cursor");
  const isVisible = visibleTo(ports, lives, caller.user, query);
  if (!ports.readers.mayGetAny(caller.user)) return await noRecords(ports);
  const page = await readAuditRecords(logWithoutDocuments(ports.store, pages), {
    kind,
    namespace: textOr(query, "namespace"),
    name: textOr(query, "name"),
    actor: textOr(query, "actor"),
    surface: textOr(query, "surface"),
    traceId: textOr(query, "traceId"),
    outcome: outcomes.find((outcome) => outcome === textAt(query, "type")),
    sinceMs: timeOr(query, "since"),
    untilMs: timeOr(query, "until"),
    before: cursor === "" ? undefined : decodeRevisionCursor(cursor, bound),
    limit: numberAt(query, "limit"),
    mayRead: isVisible,
  });
  const { records, compacted, next } = page;
  const items = records.map((record) => recordJson(ports, record));
  const more = next === undefined ? {} : { next: encodeCursor(next, bound) };
  return { kind: "document", status: 200, document: { items, compactedTo: compacted, ...more } };
}

/** For a caller that may get nothing: the log is not read. */
async function noRecords({ store }: RoutePorts): Promise<RouteAnswer> {
  const { compacted } = await store.head();
  return { kind: "document", status: 200, document: { items: [], compactedTo: compacted } };
}

/** Everything in the query that decides which records there are. */
const filters = [
  "kind",
  "namespace",
  "name",
  "actor",
  "surface",
  "traceId",
  "type",
  "since",
  "until",
];

function textOr(query: JsonObject, name: string): string | undefined {
  const text = textAt(query, name);
  return text === "" ? undefined : text;
}

function timeOr(query: JsonObject, name: string): number | undefined {
  const text = textAt(query, name);
  return text === "" ? undefined : Date.parse(text);
}

/** The same form as an item of the stream of changes. */
function recordJson({ kinds }: RoutePorts, record: AuditRecord): JsonObject {
  const { revision, time, outcome, kind, namespace, name, uid, actor, surface } = record;
  const { impersonator, traceId, correlationId } = record;
  const served = kinds.byId(kind);
  const cause = {
    ...(actor === undefined ? {} : { actor }),
    ...(surface === undefined ? {} : { surface }),
    ...(impersonator === undefined ? {} : { impersonator }),
    ...(traceId === undefined ? {} : { traceId }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  return {
    revision,
    type: outcome,
    time,
    kind: served === undefined ? kind : kindId(served.kind),
    ...(namespace === "" ? {} : { namespace }),
    name,
    uid,
    ...(actor === undefined ? {} : { cause }),
  };
}
