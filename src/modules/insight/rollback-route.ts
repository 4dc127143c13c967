// POST /api/v1/rollback/{kind}/{name}: brings a resource back to what it was at an earlier
// revision. It is a write like any other: validation, admission, field rules and quotas apply, and
// it names the revision that it replaces. Metadata and status stay as they are, and so do hidden
// fields: an old password may have been replaced for a reason.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import { shownState } from "../../intents/read/erased.ts";
import { withoutHidden } from "../../intents/write/hidden-fields.ts";
import { replaceResource } from "../../intents/write/replace.ts";
import { readStored } from "../../intents/write/stored.ts";
import type { Written } from "../../intents/request.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { setOwn } from "../../kernel/json.ts";
import { isTrueAt, numberAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Change, StoredRecord } from "../../store/port.ts";
import { addressedBy, missing, nameJson } from "./addressed.ts";
import type { Addressed } from "./addressed.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { pastOf, requiredChangeAt } from "./revisions.ts";
import type { Past } from "./revisions.ts";
import { changeSchema, nameParameters, namespaceField, objectSchema } from "./schemas.ts";
import { shownDifferences } from "./shown-diff.ts";

export const rollbackManager = "setpoint-rollback";

export function rollbackRoute(ports: RoutePorts, lives: Lives): Route {
  return {
    method: "POST",
    path: "/api/v1/rollback/{kind}/{name}",
    summary: "Write the content of an earlier revision as a new revision.",
    description:
      "Everything but metadata and status is taken from the earlier revision. Hidden fields keep " +
      "their present values. Validation, admission, quotas and your rights apply as to any update.",
    tag: "History",
    access: { kind: "addressed", verbs: ["get", "update"] },
    parameters: nameParameters,
    query: objectSchema({ namespace: namespaceField }),
    body: objectSchema(
      {
        to: { type: "integer", minimum: 1, description: "The revision to return to." },
        dryRun: {
          type: "boolean",
          default: false,
          description: "Check everything and show the changes, without writing.",
        },
      },
      ["to"],
    ),
    idempotency: "by-key",
    command: "resources.rollback",
    etag: true,
    answers: {
      200: {
        description: "What was written, or would be written by a dry run.",
        schema: objectSchema(
          {
            kind: { type: "string" },
            namespace: { type: "string" },
            name: { type: "string" },
            outcome: { type: "string", enum: ["updated", "unchanged"] },
            dryRun: { type: "boolean" },
            replaced: { type: "integer", description: "The revision before." },
            revision: { type: "integer", description: "The new revision; absent for a dry run." },
            to: { type: "integer" },
            changes: { type: "array", items: changeSchema },
          },
          ["kind", "name", "outcome", "dryRun", "replaced", "to", "changes"],
        ),
      },
    },
    errors: [403, 404, 409, 410, 412, 422],
    handle: (request) => rollBack(ports, lives, request),
  };
}

async function rollBack(
  ports: RoutePorts,
  lives: Lives,
  request: RouteRequest,
): Promise<RouteAnswer> {
  const addressed = addressedBy(ports.kinds, request);
  const to = numberAt(request.body, "to") ?? 0;
  const isDryRun = isTrueAt(request.body, "dryRun");
  const record = await ports.store.get(addressed.key);
  const past = pastOf(ports, lives, request.caller.user, addressed);
  if (record === undefined) throw await absent(past, addressed);
  checkIfMatch(request, record);
  const change = await requiredChangeAt(past, to, "body.to");
  const written = await writeOld(ports, request, { addressed, record, change, isDryRun });
  const revision = isDryRun ? record.revision : written.revision;
  const after = { revision, body: written.body };
  const differences = await shownDifferences(addressed.served, record, after);
  return {
    kind: "document",
    status: 200,
    etag: String(revision),
    document: {
      ...nameJson(addressed.key),
      outcome: written.outcome === "unchanged" ? "unchanged" : "updated",
      dryRun: isDryRun,
      replaced: record.revision,
      ...(isDryRun ? {} : { revision }),
      to,
      changes: [...differences],
    },
  };
}

interface Rollback {
  readonly addressed: Addressed;
  readonly record: StoredRecord;
  readonly change: Change;
  readonly isDryRun: boolean;
}

async function writeOld(
  ports: RoutePorts,
  { caller, ifMatch }: RouteRequest,
  { addressed, record, change, isDryRun }: Rollback,
): Promise<Written> {
  const { served, target } = addressed;
  const old = await readStored(served, target.version, shownState(served, change));
  const now = await readStored(served, target.version, record);
  const body = rolledBack(withoutHidden(served.kind, now), withoutHidden(served.kind, old));
  try {
    return await replaceResource(ports.intents, {
      caller,
      target,
      body,
      options: { isDryRun, fieldManager: rollbackManager, fieldValidation: "Warn" },
      decodeProblems: [],
    });
  } catch (error) {
    // Another writer was faster than this request, which is what If-Match guards against.
    if (ifMatch !== undefined && isSetpointError(error, "resource.conflict")) {
      throw new SetpointError("precondition.failed", error.message, {
        cause: error,
        details: { field: "If-Match" },
      });
    }
    throw error;
  }
}

const kept: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** The present envelope with the earlier content. Its resourceVersion is the precondition. */
export function rolledBack(now: Resource, old: Resource): JsonObject {
  const document: MutableJsonObject = {};
  for (const [key, value] of Object.entries(now)) if (kept.has(key)) setOwn(document, key, value);
  for (const [key, value] of Object.entries(old)) if (!kept.has(key)) setOwn(document, key, value);
  return document;
}

async function absent(past: Past, addressed: Addressed): Promise<SetpointError> {
  const [last] = await past.changes({ limit: 1 });
  if (last?.type !== "deleted") return missing(addressed);
  const { kind, name } = addressed.key;
  const message = `${kind} ${JSON.stringify(name)} was deleted at revision ${last.revision}`;
  return new SetpointError("resource.not_found", message, {
    suggestion: "create it again first: a rollback changes only a resource that exists",
  });
}

function checkIfMatch({ ifMatch }: RouteRequest, { revision }: StoredRecord): void {
  if (ifMatch === undefined || ifMatch === "*" || ifMatch === String(revision)) return;
  const message = `the resource is at revision ${revision}, and If-Match names ${ifMatch}`;
  throw new SetpointError("precondition.failed", message, { details: { field: "If-Match" } });
}
