// GET /api/v1/diff/{kind}/{name}: what differs between two revisions of a resource.

import type { Route, RoutePorts } from "../../contract/route.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { numberAt } from "../../kernel/json-read.ts";
import type { Change } from "../../store/port.ts";
import { addressedBy, missing, nameJson } from "./addressed.ts";
import type { Addressed } from "./addressed.ts";
import { timeOf } from "./caused.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { historyInPages, inTurn } from "./log-pages.ts";
import { changeAt, didNotExist, gone, pastOf } from "./revisions.ts";
import type { Past } from "./revisions.ts";
import { changeSchema, nameParameters, namespaceField, objectSchema } from "./schemas.ts";
import { shownDifferences } from "./shown-diff.ts";

export function diffRoute(ports: RoutePorts, lives: Lives): Route {
  const revision = (description: string): object => ({ type: "integer", minimum: 1, description });
  return {
    method: "GET",
    path: "/api/v1/diff/{kind}/{name}",
    summary: "Show what differs between two revisions of a resource.",
    description:
      "Without revisions, the newest is compared with the one before. Hidden fields are left " +
      "out, and sealed values are named but not shown.",
    tag: "History",
    access: { kind: "addressed", verbs: ["get"] },
    parameters: nameParameters,
    query: objectSchema({
      namespace: namespaceField,
      from: { ...revision("The older revision. Default: the one before `to`.") },
      to: { ...revision("The newer revision. Default: the newest.") },
    }),
    answers: {
      200: {
        description: "The changes that turn the state at `from` into the state at `to`.",
        schema: objectSchema(
          {
            kind: { type: "string" },
            namespace: { type: "string" },
            name: { type: "string" },
            from: sideSchema,
            to: sideSchema,
            changes: { type: "array", items: changeSchema },
          },
          ["kind", "name", "from", "to", "changes"],
        ),
      },
    },
    errors: [403, 404, 410],
    isList: true,
    handle: async (request) => {
      const addressed = addressedBy(ports.kinds, request);
      const { pages } = request;
      const whole = pastOf(ports, lives, request.caller.user, addressed);
      const changes = historyInPages((options) => whole.changes(options), pages);
      const past = { ...whole, changes };
      const end = numberAt(request.query, "to");
      const start = numberAt(request.query, "from");
      checkOrder(start, end);
      const to = await endOf(past, addressed, end);
      const from = await startOf(past, start, to);
      const after = to.type === "deleted" ? undefined : to;
      const compare = () => shownDifferences(addressed.served, from, after);
      const differences = await inTurn([from, after], pages, compare);
      return {
        kind: "document",
        status: 200,
        document: {
          ...nameJson(addressed.key),
          from: from === undefined ? { isAbsent: true } : sideJson(from),
          to: to.type === "deleted" ? { ...sideJson(to), isAbsent: true } : sideJson(to),
          changes: [...differences],
        },
      };
    },
  };
}

const sideSchema = objectSchema({
  revision: { type: "integer" },
  time: { type: "string", format: "date-time" },
  isAbsent: { type: "boolean", description: "The resource did not exist." },
});

function sideJson(change: Change): { revision: number; time: string } {
  return { revision: change.revision, time: timeOf(change) };
}

/** The change at `to`, or the newest change, which may be the deletion. */
async function endOf(
  past: Past,
  addressed: Addressed,
  revision: number | undefined,
): Promise<Change> {
  if (revision !== undefined) {
    const change = await changeAt(past, revision, "query.to");
    if (change !== undefined) return change;
  }
  const before = revision === undefined ? {} : { before: revision + 1 };
  const [newest] = await past.changes({ limit: 1, ...before });
  if (newest !== undefined) return newest;
  const [later] = await past.changes({ limit: 1 });
  if (revision !== undefined && later !== undefined) {
    throw didNotExist(addressed.key, revision, "query.to");
  }
  const present = revision === undefined ? await past.present() : undefined;
  if (present === undefined) throw missing(addressed);
  throw gone(present, "query.to");
}

/** Undefined when the resource did not exist: every field was added. */
async function startOf(
  past: Past,
  revision: number | undefined,
  to: Change,
): Promise<Change | undefined> {
  if (revision === undefined) {
    const [previous] = await past.changes({ limit: 1, before: to.revision });
    if (previous === undefined && to.previous !== undefined) throw gone(to.previous, "query.from");
    return previous === undefined || previous.type === "deleted" ? undefined : previous;
  }
  return await changeAt(past, revision, "query.from");
}

function checkOrder(start: number | undefined, end: number | undefined): void {
  if (start === undefined || end === undefined || start <= end) return;
  throw new SetpointError("request.invalid", `from: revision ${start} is newer than ${end}`, {
    details: { field: "query.from" },
    suggestion: "swap the two revisions",
  });
}
