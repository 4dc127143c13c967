// GET /api/v1/resources/{kind}: rows of a kind, filtered, sorted and in pages.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { fieldsOf } from "../../intents/read-model/fields.ts";
import { parseFilter } from "../../intents/read-model/filter.ts";
import type { RowFilter } from "../../intents/read-model/filter.ts";
import { parseOrder, placeFrom, placeJson } from "../../intents/read-model/order.ts";
import { pageOfRows } from "../../intents/read-model/query.ts";
import { requireScope, scopeOf } from "../../intents/read-model/scope.ts";
import { decodeCursor, encodeCursor } from "../../kernel/cursor.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { isTrueAt, numberAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { bytePauses } from "../../kernel/pauses.ts";
import { matchesSelector, parseSelector } from "../../kernel/selector.ts";
import { kindNamed } from "./addressed.ts";
import { rowJson, rowSchema } from "./row-json.ts";
import {
  atLeastField,
  cursorField,
  kindParameter,
  limitField,
  nextField,
  objectSchema,
  onlyNamespaceField,
} from "./schemas.ts";

const filterField = {
  type: "string",
  maxLength: limits.maxFilterChars,
  description:
    "Conditions that must all be true, such as state=Failed,columns.size>=10,labels.tier=gold. " +
    "The operators are = != < <= > >= and ~ (contains).",
};
const selectorField = {
  type: "string",
  maxLength: limits.maxFilterChars,
  description: "A selector of Kubernetes, such as tier in (gold,silver),!deprecated.",
};
const sortField = {
  type: "string",
  maxLength: limits.maxFilterChars,
  description: "Fields to sort by, such as -created,name. A minus sign means descending.",
};

const columnSchema = objectSchema(
  {
    key: { type: "string", description: "In the rows, in filters and for sorting." },
    title: { type: "string" },
    type: { type: "string", enum: ["text", "number", "boolean"] },
  },
  ["key", "title", "type"],
);

export function listRoute(ports: RoutePorts): Route {
  return {
    method: "GET",
    path: "/api/v1/resources/{kind}",
    summary: "List the resources of a kind as rows.",
    description:
      "Rows have the state of the resource and the printer columns of its kind. A kind with more " +
      `than ${limits.maxReadModelKindRows.toLocaleString("en")} resources can be filtered but ` +
      "not sorted, and its pages may be short.",
    tag: "State",
    access: { kind: "authenticated" },
    parameters: { kind: kindParameter },
    query: objectSchema({
      namespace: onlyNamespaceField,
      filter: filterField,
      labelSelector: selectorField,
      sort: sortField,
      limit: limitField(limits.maxRestPageItems, limits.defaultRestPageItems),
      cursor: cursorField,
      atLeast: atLeastField,
      labels: { type: "boolean", default: false, description: "Show the labels of each row." },
    }),
    answers: {
      200: {
        description: "One page of rows.",
        schema: objectSchema(
          {
            kind: { type: "string" },
            revision: {
              type: "integer",
              description: "The response includes all changes up to this revision.",
            },
            columns: { type: "array", items: columnSchema },
            items: { type: "array", items: rowSchema },
            next: nextField,
          },
          ["kind", "revision", "columns", "items"],
        ),
      },
    },
    errors: [400, 403, 404],
    isList: true,
    handle: (request) => listRows(ports, request),
  };
}

function hasNoNamespace({ kind }: ServedKind): SetpointError {
  const message = `${kind.names.kind} is a cluster-wide kind and has no namespace`;
  return new SetpointError("request.invalid", message, {
    details: { field: "query.namespace" },
    suggestion: "leave out namespace",
  });
}

function withSelector(filter: RowFilter, selector: string): RowFilter {
  const requirements = parseSelector(selector);
  if (requirements.length === 0) return filter;
  return (row) => matchesSelector(requirements, row.labels) && filter(row);
}

async function listRows(
  ports: RoutePorts,
  { path, query, caller, signal }: RouteRequest,
): Promise<RouteAnswer> {
  const served = kindNamed(ports.kinds, path["kind"] ?? "", "path.kind");
  const { authorizer, readModel } = ports;
  const namespace = textAt(query, "namespace");
  if (namespace !== "" && served.kind.scope !== "Namespaced") throw hasNoNamespace(served);
  const asked = { authorizer, user: caller.user, served, namespace };
  const scope = scopeOf(asked);
  requireScope(asked, scope);
  const pauses = bytePauses(caller.tenant ?? "");
  const atLeast = numberAt(query, "atLeast");
  const open = await readModel.open(served, { atLeast, signal, pauses });
  const { columns } = open.projection;
  const fields = fieldsOf(columns);
  const [filterText, sortText] = [textAt(query, "filter"), textAt(query, "sort")];
  const selectorText = textAt(query, "labelSelector");
  const selected = ["resources", path["kind"], namespace, filterText, sortText, selectorText];
  const bound = JSON.stringify(selected);
  const cursor = textAt(query, "cursor");
  const page = await pageOfRows(ports, open, {
    scope,
    filter: withSelector(parseFilter(filterText, fields), selectorText),
    order: parseOrder(sortText, fields),
    after: cursor === "" ? undefined : placeFrom(decodeCursor(cursor, bound)),
    limit: numberAt(query, "limit") ?? limits.defaultRestPageItems,
    signal,
    pauses,
  });
  const { rows, revision, next } = page;
  const hasLabels = isTrueAt(query, "labels");
  return {
    kind: "document",
    status: 200,
    document: {
      kind: path["kind"] ?? "",
      revision,
      columns: columns.map(({ key, title, type }) => ({ key, title, type })),
      items: rows.map((row) => rowJson(columns, row, { hasLabels })),
      ...(next === undefined ? {} : { next: encodeCursor(placeJson(next), bound) }),
    },
  };
}
