// GET /api/v1/changes: a stream of changes that resumes by revision. It names what changed, and
// shows the rows of changed resources on request; the Kubernetes API has the documents. A bookmark
// has the position of the stream while nothing visible changes, so that a client resumes without
// reading the same part of the log again.

import type { Route, RoutePorts, StreamItem } from "../../contract/route.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { ChangePage } from "../../store/port.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { checkBeginning, isAdvanced, tooOld } from "../../intents/read/log-stream.ts";
import { ChangedRows } from "./changed-rows.ts";
import { logWithoutDocuments } from "./log-pages.ts";
import { rowSchema } from "./row-json.ts";
import { objectSchema } from "./schemas.ts";
import {
  changeFilterFields,
  changeLine,
  changeLineSchema,
  changesOfKinds,
  visibleTo,
} from "./visible-changes.ts";
import type { ChangeFilter } from "./visible-changes.ts";

export function changesRoute(ports: RoutePorts, lives: Lives): Route {
  return {
    method: "GET",
    path: "/api/v1/changes",
    summary: "Follow the changes of resources as a stream.",
    description:
      "The stream begins after the revision `after`, or now. Each item has the revision to " +
      `resume after. A bookmark follows after ${limits.streamBookmarkMs / 1_000} s without one.`,
    tag: "History",
    access: { kind: "authenticated" },
    query: objectSchema({
      ...changeFilterFields,
      kinds: {
        type: "string",
        maxLength: limits.maxFilterChars,
        description: "Only these kinds, with commas between them, instead of `kind`.",
      },
      rows: {
        type: "boolean",
        default: false,
        description:
          "Items have the field `row`, as in `/api/v1/resources/{kind}`, unless the resource was " +
          "deleted.",
      },
      after: { type: "integer", minimum: 0, description: "Only changes after this revision." },
    }),
    stream: true,
    answers: { 200: { description: "One item for each change.", schema: itemSchema } },
    errors: [400, 404, 410, 504],
    handle: async ({ query, caller, signal, pages }) => {
      const kinds = changesOfKinds(ports, query);
      const isVisible = visibleTo(ports, lives, caller.user, query);
      const head = await ports.store.head();
      const after = numberAt(query, "after") ?? head.revision;
      checkBeginning(after, head);
      const rows = isTrueAt(query, "rows") ? new ChangedRows(ports) : undefined;
      const log = logWithoutDocuments(ports.store, pages, rows?.note);
      const following = { kinds, isVisible, signal, log, rows, user: caller.user };
      return { kind: "stream", items: follow(ports, after, following) };
    },
  };
}

const itemSchema: JsonObject = {
  ...changeLineSchema,
  properties: { ...objectAt(changeLineSchema, "properties"), row: rowSchema },
};

interface Following {
  /** Undefined: all. */
  readonly kinds: readonly string[] | undefined;
  readonly rows: ChangedRows | undefined;
  readonly isVisible: ChangeFilter;
  readonly signal: AbortSignal;
  readonly log: Pick<RoutePorts["store"], "head" | "changes">;
  readonly user: UserInfo;
}

async function* follow(
  ports: RoutePorts,
  from: number,
  following: Following,
): AsyncGenerator<StreamItem> {
  const { isVisible, signal, rows } = following;
  let after = from;
  // The first bookmark says where the stream begins, and makes the answer begin at once.
  yield bookmark(after);
  while (!signal.aborted) {
    const page = await pageAfter(ports, after, following);
    for (const change of page.changes) {
      if (!(await isVisible(change))) continue;
      const item = { ...changeLine(ports, change), ...rows?.of(change) };
      yield { revision: change.revision, type: change.type, item };
    }
    rows?.clear();
    after = Math.max(after, page.through);
    if (after >= page.revision && !(await isAdvanced(ports, after, signal))) yield bookmark(after);
  }
}

async function pageAfter(
  { readers }: RoutePorts,
  after: number,
  { kinds, log, user }: Following,
): Promise<ChangePage> {
  if (!readers.mayGetAny(user)) return await unread(log);
  try {
    const options = kinds === undefined ? {} : { kinds };
    return await log.changes(after, limits.streamPageItems, options);
  } catch (error) {
    if (!isSetpointError(error, "history.gone")) throw error;
    throw tooOld(after, (await log.head()).compacted);
  }
}

/** The rest of the log, for a caller that may get nothing of it. */
async function unread(log: Following["log"]): Promise<ChangePage> {
  const head = await log.head();
  return { ...head, changes: [], through: head.revision };
}

function bookmark(revision: number): StreamItem {
  const item: JsonObject = { type: "bookmark", revision };
  return { revision, type: "bookmark", item };
}
