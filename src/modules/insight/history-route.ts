// GET /api/v1/history/{kind}/{name}: the revisions of a resource, newest first.

import type { Route, RoutePorts } from "../../contract/route.ts";
import { decodeRevisionCursor, encodeCursor } from "../../kernel/cursor.ts";
import { isErased, lacksShownValues } from "../../intents/read/erased.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Change, HistoryOptions } from "../../store/port.ts";
import { addressedBy, missing, nameJson } from "./addressed.ts";
import type { Addressed } from "./addressed.ts";
import { causeJson, timeOf } from "./caused.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { historyInPages, inTurn } from "./log-pages.ts";
import {
  causeSchema,
  cursorField,
  limitField,
  nameParameters,
  namespaceField,
  nextField,
  objectSchema,
} from "./schemas.ts";
import { shownDifferences } from "./shown-diff.ts";

/** Each revision is read with its document. */
const mostRevisions = 100;
const mostPaths = 20;

const revisionSchema = objectSchema(
  {
    revision: { type: "integer" },
    type: { type: "string", enum: ["created", "updated", "deleted"] },
    time: { type: "string", format: "date-time" },
    generation: { type: "integer", description: "Changes with the spec." },
    uid: { type: "string" },
    cause: causeSchema,
    erased: { type: "boolean", description: "The content of this revision was erased." },
    changed: {
      type: "array",
      items: { type: "string" },
      description: `JSON Pointers of what changed, at most ${mostPaths}.`,
    },
  },
  ["revision", "type", "time"],
);

export function historyRoute(ports: RoutePorts, lives: Lives): Route {
  return {
    method: "GET",
    path: "/api/v1/history/{kind}/{name}",
    summary: "List the revisions of a resource, newest first.",
    description: "Revisions older than the history of the server are not included.",
    tag: "History",
    access: { kind: "addressed", verbs: ["get"] },
    parameters: nameParameters,
    query: objectSchema({
      namespace: namespaceField,
      limit: limitField(mostRevisions, 20),
      cursor: cursorField,
    }),
    etag: true,
    answers: {
      200: {
        description: "The revisions.",
        schema: objectSchema(
          {
            kind: { type: "string" },
            namespace: { type: "string" },
            name: { type: "string" },
            compactedTo: { type: "integer", description: "Older revisions were removed." },
            revisions: { type: "array", items: revisionSchema },
            next: nextField,
          },
          ["kind", "name", "compactedTo", "revisions"],
        ),
      },
    },
    errors: [403, 404],
    isList: true,
    handle: async (request) => {
      const addressed = addressedBy(ports.kinds, request);
      const text = textAt(request.query, "cursor");
      const bound = `history ${keyText(addressed.key)}`;
      const before = text === "" ? undefined : decodeRevisionCursor(text, bound);
      const limit = numberAt(request.query, "limit") ?? mostRevisions;
      const { user } = request.caller;
      const { pages } = request;
      const history = (options: HistoryOptions) => lives.history(user, addressed, options);
      const read = historyInPages(history, pages);
      const { page, shown } = await readRevisions(read, limit, before);
      // A resource that has not changed for long has no history left, and exists.
      const isEmpty = page.length === 0 && before === undefined;
      if (isEmpty && (await ports.store.get(addressed.key)) === undefined) throw missing(addressed);
      const { compacted } = await ports.store.head();
      const last = shown.at(-1);
      const revisions: JsonObject[] = [];
      for (const [at, change] of shown.entries()) {
        const previous = page[at + 1];
        const show = () => revisionJson(addressed, change, previous);
        revisions.push(await inTurn([change, previous], pages, show));
      }
      const hasMore = page.length > shown.length && last !== undefined;
      return {
        kind: "document",
        status: 200,
        etag: String(shown[0]?.revision ?? before ?? 0),
        document: {
          ...nameJson(addressed.key),
          compactedTo: compacted,
          revisions,
          ...(hasMore ? { next: encodeCursor(last.revision, bound) } : {}),
        },
      };
    },
  };
}

interface Revisions {
  readonly shown: readonly Change[];
  /** With one more, where there is one, so that the last one shown has its predecessor. */
  readonly page: readonly Change[];
}

async function readRevisions(
  read: (options: HistoryOptions) => Promise<readonly Change[]>,
  limit: number,
  before: number | undefined,
): Promise<Revisions> {
  const found = await read({ limit: limit + 1, ...(before === undefined ? {} : { before }) });
  if (found.length > limit) return { shown: found.slice(0, limit), page: found };
  const oldest = found.at(-1);
  if (oldest === undefined) return { shown: [], page: [] };
  // A page with large documents is shorter than its limit, although more follows.
  const rest = await read({ before: oldest.revision, limit: 1 });
  return { shown: found, page: [...found, ...rest] };
}

async function revisionJson(
  { served }: Addressed,
  change: Change,
  previous: Change | undefined,
): Promise<JsonObject> {
  const { revision, type, uid, body } = change;
  const isMissing = (state: Change): boolean => lacksShownValues(served, state);
  const { generation } = decodeDocument(body, revision).metadata;
  return {
    revision,
    type,
    time: timeOf(change),
    ...(typeof generation === "number" ? { generation } : {}),
    uid,
    ...causeJson(change),
    ...(isErased(change) ? { erased: true } : {}),
    ...(type === "updated" && previous !== undefined && !isMissing(change) && !isMissing(previous)
      ? { changed: await changedPaths(served, previous, change) }
      : {}),
  };
}

async function changedPaths(
  served: Addressed["served"],
  previous: Change,
  change: Change,
): Promise<string[]> {
  const differences = await shownDifferences(served, previous, change);
  return differences.slice(0, mostPaths).map((each) => textAt(each, "path"));
}
