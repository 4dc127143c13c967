// GET /api/v1/timeline: changes and Events on one axis, newest first. Both come from the log, so
// the order is that of the commits. The repeats of an Event are changes of it, and are entries too.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import { readAuditRecords } from "../../intents/audit/audit-records.ts";
import type { AuditPage, AuditRecord } from "../../intents/audit/audit-records.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { recordsInTurns } from "../../intents/read/records-in-turns.ts";
import { decodeRevisionCursor, encodeCursor } from "../../kernel/cursor.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import { kindNamed } from "./addressed.ts";
import { logWithoutDocuments } from "./log-pages.ts";
import { causeSchema, cursorField, kindParameter, limitField } from "./schemas.ts";
import { nextField, objectSchema } from "./schemas.ts";
import { visibleTo } from "./visible-changes.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const outcomes = ["created", "updated", "deleted", "erased", "normal", "warning"] as const;
const eventKinds: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
const actors = ["users", "all"] as const;
/** Of the server itself: reconcilers write the status of a resource with each run. */
const ownActor = "system:setpoint";

const entrySchema = objectSchema(
  {
    revision: { type: "integer" },
    time,
    type: { type: "string", enum: ["change", "event"] },
    outcome: { type: "string", enum: [...outcomes] },
    kind: { ...text, description: "Of the resource that it is about: plural and group." },
    namespace: text,
    name: text,
    reason: { ...text, description: "Of an Event." },
    message: { ...text, description: "Of an Event." },
    count: { type: "integer", description: "How often the Event has occurred." },
    cause: causeSchema,
  },
  ["revision", "time", "type", "outcome", "kind", "name"],
);

const filterNames = [
  "kind",
  "namespace",
  "name",
  "actor",
  "by",
  "outcome",
  "trace",
  "from",
  "to",
] as const;

export function timelineRoute(ports: RoutePorts, lives: Lives): Route {
  return {
    method: "GET",
    path: "/api/v1/timeline",
    summary: "List changes and Events together, newest first.",
    description:
      "Entries are derived from the log, as far back as the history of the server reaches. Only " +
      "what you may get is shown. A page may be short, or empty, and still have a `next`. Runs " +
      "in progress are at `/operations`.",
    tag: "History",
    access: { kind: "authenticated" },
    query: objectSchema({
      kind: { ...text, description: `Only about resources of this kind. ${kindParameter}` },
      namespace: { ...text, description: "Only this namespace." },
      name: { ...text, description: "Only about resources with this name." },
      actor: { ...text, description: "Only changes by this user." },
      by: {
        type: "string",
        enum: [...actors],
        default: "all",
        description: "`users` leaves out what the server itself has written, such as statuses.",
      },
      outcome: {
        type: "string",
        enum: [...outcomes],
        description: "Only this: created, updated, deleted, erased; normal or warning Events.",
      },
      trace: { ...text, description: "Only changes of this trace." },
      from: { ...time, description: "Only at this time or later." },
      to: { ...time, description: "Only before this time." },
      limit: limitField(limits.maxRestPageItems, limits.defaultRestPageItems),
      cursor: cursorField,
    }),
    answers: {
      200: {
        description: "One page of entries.",
        schema: objectSchema(
          {
            items: { type: "array", items: entrySchema },
            compactedTo: { type: "integer", description: "Older entries were removed." },
            next: nextField,
          },
          ["items", "compactedTo"],
        ),
      },
    },
    errors: [400, 404],
    isList: true,
    handle: (request) => timelinePage(ports, lives, request),
  };
}

async function timelinePage(
  ports: RoutePorts,
  lives: Lives,
  { query, caller, pages }: RouteRequest,
): Promise<RouteAnswer> {
  const bound = JSON.stringify(["timeline", ...filterNames.map((name) => textAt(query, name))]);
  const cursor = textAt(query, "cursor");
  const kind = textAt(query, "kind");
  const served = kind === "" ? undefined : kindNamed(ports.kinds, kind, "query.kind");
  const name = textAt(query, "name");
  const isVisible = visibleTo(ports, lives, caller.user, { namespace: query["namespace"] ?? "" });
  const page = await readAuditRecords(logWithoutDocuments(ports.store, pages), {
    namespace: textOr(query, "namespace"),
    actor: textOr(query, "actor"),
    traceId: textOr(query, "trace"),
    sinceMs: timeOr(query, "from"),
    untilMs: timeOr(query, "to"),
    before: cursor === "" ? undefined : decodeRevisionCursor(cursor, bound),
    limit: numberAt(query, "limit"),
    mayRead: async (change) => {
      const { key, type, cause } = change;
      const isEvent = eventKinds.has(key.kind);
      if (!mayHaveOutcome(textAt(query, "outcome"), isEvent, type)) return false;
      if (isEvent && (type === "deleted" || type === "erased")) return false;
      if (textAt(query, "by") === "users" && isOwn(cause?.actor)) return false;
      // An Event has the name of its resource and a suffix; its document decides below.
      const isAbout = isEvent
        ? name === "" || key.name.startsWith(name)
        : (served === undefined || key.kind === served.id) && (name === "" || key.name === name);
      return isAbout && (await isVisible(change));
    },
  });
  return await answerOf(ports, page, { query, bound, tenant: caller.tenant ?? "" });
}

function isOwn(actor: string | undefined): boolean {
  return actor === ownActor || actor?.startsWith(`${ownActor}:`) === true;
}

function mayHaveOutcome(wanted: string, isEvent: boolean, type: string): boolean {
  if (wanted === "") return true;
  return isEvent ? wanted === "normal" || wanted === "warning" : wanted === type;
}

interface Asked {
  readonly query: JsonObject;
  /** What a cursor is valid for. */
  readonly bound: string;
  readonly tenant: string;
}

async function answerOf(
  ports: RoutePorts,
  { records, compacted, next }: AuditPage,
  { query, bound, tenant }: Asked,
): Promise<RouteAnswer> {
  const events = await eventsOf(ports, records, tenant);
  const items = records.flatMap((record) => {
    if (!eventKinds.has(record.kind)) return [entryOf(ports, record)];
    const event = events.get(`${record.namespace}/${record.name}`);
    const entry = event && { revision: record.revision, time: record.time, ...event };
    return entry !== undefined && isWanted(entry, query) ? [entry] : [];
  });
  const more = next === undefined ? {} : { next: encodeCursor(next, bound) };
  return { kind: "document", status: 200, document: { items, compactedTo: compacted, ...more } };
}

/** As they are now: an Event changes its count only. Deleted ones have nothing to show. */
async function eventsOf(
  { store, kinds }: RoutePorts,
  records: readonly AuditRecord[],
  tenant: string,
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  const keys = [
    ...new Map(
      records
        .filter(({ kind }) => eventKinds.has(kind))
        .map(({ kind, namespace, name }) => [`${namespace}/${name}`, { kind, namespace, name }]),
    ).values(),
  ];
  for await (const record of recordsInTurns(store, keys, tenant)) {
    if (record === undefined) continue;
    const { namespace, name } = record.key;
    const event = decodeDocument(record.body, record.revision);
    found.set(`${namespace}/${name}`, eventFacts(kinds, event));
  }
  return found;
}

const maxMessageChars = 1_024;

function eventFacts(kinds: RoutePorts["kinds"], event: JsonObject): JsonObject {
  const about = { ...objectAt(event, "regarding"), ...objectAt(event, "involvedObject") };
  const [group, version] = splitVersion(textAt(about, "apiVersion"));
  const served = kinds.findKind(group, version, textAt(about, "kind"))?.served;
  const namespace = textAt(about, "namespace");
  const message = textAt(event, "message") || textAt(event, "note");
  return {
    type: "event",
    outcome: textAt(event, "type") === "Warning" ? "warning" : "normal",
    kind: served === undefined ? textAt(about, "kind") : kindId(served.kind),
    ...(namespace === "" ? {} : { namespace }),
    name: textAt(about, "name"),
    reason: textAt(event, "reason"),
    message: message.slice(0, maxMessageChars),
    count: numberAt(event, "count") ?? numberAt(objectAt(event, "series"), "count") ?? 1,
  };
}

/** "apps/v1" and "v1". */
function splitVersion(apiVersion: string): readonly [group: string, version: string] {
  const at = apiVersion.indexOf("/");
  return at === -1 ? ["", apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}

function isWanted(entry: JsonObject, query: JsonObject): boolean {
  return ["kind", "name", "outcome"].every((name) => {
    const wanted = textAt(query, name);
    return wanted === "" || wanted === textAt(entry, name);
  });
}

function entryOf({ kinds }: RoutePorts, record: AuditRecord): JsonObject {
  const { revision, time: at, outcome, kind, namespace, name } = record;
  const { actor, surface, impersonator, traceId, correlationId } = record;
  const served = kinds.byId(kind);
  const cause = { actor, surface, impersonator, traceId, correlationId };
  const known = Object.entries(cause).filter(([, value]) => value !== undefined);
  return {
    revision,
    time: at,
    type: "change",
    outcome,
    kind: served === undefined ? kind : kindId(served.kind),
    ...(namespace === "" ? {} : { namespace }),
    name,
    ...(actor === undefined ? {} : { cause: Object.fromEntries(known) as JsonObject }),
  };
}

function textOr(query: JsonObject, name: string): string | undefined {
  return textAt(query, name) || undefined;
}

function timeOr(query: JsonObject, name: string): number | undefined {
  const given = textAt(query, name);
  return given === "" ? undefined : Date.parse(given);
}
