// GET /api/v1/problems: the resources that are not ready, grouped by kind, state and reason.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import type { Row } from "../../intents/read-model/row.ts";
import { isProblem } from "../../intents/read-model/state.ts";
import type { ResourceState } from "../../intents/read-model/state.ts";
import { recordsInTurns } from "../../intents/read/records-in-turns.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import { stateSchema } from "./row-json.ts";
import { objectSchema } from "./schemas.ts";
import { idOf, reportFields, visitKinds } from "./visited-kinds.ts";

interface Group {
  readonly kind: string;
  readonly name: string;
  readonly storedKind: string;
  readonly state: ResourceState;
  readonly reason: string;
  count: number;
  readonly examples: Pick<Row, "namespace" | "name">[];
}

export function problemsRoute(ports: RoutePorts): Route {
  const properties = { namespace: { type: "string" }, name: { type: "string" } };
  const example = objectSchema(properties, ["name"]);
  return {
    method: "GET",
    path: "/api/v1/problems",
    summary: "Group the resources that are not ready by reason.",
    description:
      "The largest groups come first. Each has up to " +
      `${limits.maxReportExamples} examples, and the message of the first one.`,
    tag: "State",
    access: { kind: "authenticated" },
    query: objectSchema(reportFields),
    answers: {
      200: {
        description: "The groups.",
        schema: objectSchema(
          {
            revision: { type: "integer" },
            total: { type: "integer", description: "Resources that are not ready." },
            groups: {
              type: "array",
              items: objectSchema(
                {
                  kind: { type: "string" },
                  name: { type: "string" },
                  state: stateSchema,
                  reason: { type: "string" },
                  count: { type: "integer" },
                  message: { type: "string" },
                  examples: { type: "array", items: example },
                },
                ["kind", "name", "state", "reason", "count", "examples"],
              ),
            },
            omitted: { type: "integer", description: "Groups that are not shown." },
          },
          ["revision", "total", "groups"],
        ),
      },
    },
    errors: [403, 404],
    isList: true,
    handle: (request) => groupProblems(ports, request),
  };
}

async function groupProblems(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const groups = new Map<string, Group>();
  let total = 0;
  const revision = await visitKinds(ports, request, (served, row) => {
    const { state, reason, namespace, name } = row;
    if (!isProblem(state)) return;
    total += 1;
    const kind = idOf(served);
    const id = JSON.stringify([kind, state, reason]);
    let group = groups.get(id);
    if (group === undefined) {
      const names = { kind, name: served.kind.names.kind, storedKind: served.id };
      group = { ...names, state, reason, count: 0, examples: [] };
      groups.set(id, group);
    }
    group.count += 1;
    if (group.examples.length < limits.maxReportExamples) {
      group.examples.push({ namespace, name });
    }
  });
  const sorted = [...groups.values()].sort((one, other) => other.count - one.count);
  const shown = sorted.slice(0, limits.maxReportGroups);
  const messages = await messagesOf(ports, request, shown);
  const omitted = sorted.length - shown.length;
  const document = {
    revision,
    total,
    groups: shown.map((group, at) => groupJson(group, messages[at] ?? "")),
    ...(omitted === 0 ? {} : { omitted }),
  };
  return { kind: "document", status: 200, document };
}

function groupJson(group: Group, message: string): JsonObject {
  const { kind, name, state, reason, count, examples } = group;
  return {
    kind,
    name,
    state,
    reason,
    count,
    ...(message === "" ? {} : { message }),
    examples: examples.map(({ namespace, name: own }) => {
      return namespace === "" ? { name: own } : { namespace, name: own };
    }),
  };
}

const maxMessageChars = 500;

/** What the first example of each group reports. */
async function messagesOf(
  { store }: RoutePorts,
  { caller }: RouteRequest,
  groups: readonly Group[],
): Promise<readonly string[]> {
  const keys = groups.map(({ storedKind, examples: [first] }): ResourceKey => {
    return { kind: storedKind, namespace: first?.namespace ?? "", name: first?.name ?? "" };
  });
  const messages: string[] = [];
  for await (const record of recordsInTurns(store, keys, caller.tenant ?? "")) {
    messages.push(messageOf(record, groups[messages.length]?.reason));
  }
  return messages;
}

function messageOf(record: StoredRecord | undefined, reason: string | undefined): string {
  if (record === undefined) return "";
  const { status } = decodeDocument(record.body, record.revision);
  const conditions = objectsAt(status, "conditions");
  const found = conditions.find((condition) => textAt(condition, "reason") === reason);
  return textAt(found, "message").slice(0, maxMessageChars);
}
