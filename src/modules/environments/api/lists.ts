// Lists of a kind in pages of one snapshot: what is created or deleted meanwhile does not move a
// page. Filters on fields without an index are applied to what was read, so a page may be short.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { decodeCursor, encodeCursor, notOfQuery } from "../../../kernel/cursor.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Requirement } from "../../../kernel/selector.ts";
import type { FieldRequirement, Position } from "../../../store/port.ts";
import { environmentsGroup } from "../names.ts";
import { documentOf, servedKind, shownRecord } from "./documents.ts";
import { documentSchema, kindIdOf } from "./nouns.ts";
import type { Noun } from "./nouns.ts";

/** A parameter of the query that restricts the list. */
export type Filter =
  | { readonly kind: "field"; readonly path: string; readonly summary: string }
  | { readonly kind: "label"; readonly key: string; readonly summary: string }
  | {
      readonly kind: "test";
      readonly summary: string;
      readonly matches: (document: JsonObject, value: string) => boolean;
    };

export type Filters = Readonly<Record<string, Filter>>;

const cursorField = {
  type: "string",
  maxLength: limits.maxCursorChars,
  description: "The value of `next` in the previous page.",
};

export function listRoute(ports: RoutePorts, noun: Noun, filters: Filters): Route {
  const { word, many, kind } = noun;
  const filterFields = Object.fromEntries(
    Object.entries(filters).map(([name, { summary }]) => [
      name,
      { type: "string", maxLength: limits.maxFilterChars, description: summary },
    ]),
  );
  return {
    method: "GET",
    path: `/api/v1/${word}`,
    summary: `List ${many}.`,
    tag: "Environments",
    access: {
      kind: "resource",
      verb: "list",
      group: environmentsGroup,
      resource: kind.names.plural,
      namespace: "{namespace}",
    },
    query: {
      type: "object",
      properties: {
        namespace: {
          type: "string",
          maxLength: limits.maxNameLength,
          default: "",
          description: "Only this namespace. Default: all, if you may list all.",
        },
        ...filterFields,
        limit: {
          type: "integer",
          minimum: 1,
          maximum: limits.maxRestPageItems,
          default: limits.defaultRestPageItems,
          description: `The page size. Maximum: ${limits.maxRestPageItems}.`,
        },
        cursor: cursorField,
      },
    },
    answers: { 200: { description: "One page.", schema: pageSchema(noun) } },
    errors: [400, 403, 410],
    isList: true,
    command: `${word}.list`,
    handle: (request) => listPage(ports, noun, filters, request),
  };
}

function pageSchema(noun: Noun): JsonObject {
  return {
    type: "object",
    required: ["revision", "items"],
    properties: {
      revision: { type: "integer", description: "The snapshot that the pages show." },
      items: { type: "array", items: documentSchema(noun) },
      next: { type: "string", description: "The cursor of the next page; absent on the last." },
    },
  };
}

async function listPage(
  ports: RoutePorts,
  noun: Noun,
  filters: Filters,
  { query, pages }: RouteRequest,
): Promise<RouteAnswer> {
  const served = servedKind(ports, noun);
  const namespace = textAt(query, "namespace");
  const given = Object.entries(filters).flatMap(([name, filter]) => {
    const value = textAt(query, name);
    return value === "" ? [] : [{ name, filter, value }];
  });
  const bound = JSON.stringify([
    noun.word,
    namespace,
    given.map(({ name, value }) => [name, value]),
  ]);
  const cursor = textAt(query, "cursor");
  await pages.before();
  const page = await ports.store.list({
    kind: kindIdOf(noun),
    ...(namespace === "" ? {} : { namespace }),
    labels: given.flatMap(({ filter, value }): readonly Requirement[] =>
      filter.kind === "label" ? [{ key: filter.key, operator: "in", values: [value] }] : [],
    ),
    fields: given.flatMap(({ filter, value }): readonly FieldRequirement[] =>
      filter.kind === "field" ? [{ path: filter.path, operator: "in", values: [value] }] : [],
    ),
    limit: numberAt(query, "limit") ?? limits.defaultRestPageItems,
    ...(cursor === "" ? {} : { from: positionFrom(decodeCursor(cursor, bound)) }),
  });
  pages.after(
    page.records.reduce((sum, { body }) => sum + body.length, 0),
    page.next !== undefined,
  );
  const shown = await Promise.all(
    page.records.map(async (record) => documentOf(await shownRecord(served, record))),
  );
  const tests = given.flatMap(({ filter, value }) =>
    filter.kind === "test" ? [(document: JsonObject) => filter.matches(document, value)] : [],
  );
  const { revision, next } = page;
  return {
    kind: "document",
    status: 200,
    document: {
      revision,
      items: shown.filter((document) => tests.every((matches) => matches(document))),
      ...(next === undefined ? {} : { next: encodeCursor({ ...next }, bound) }),
    },
  };
}

function positionFrom(position: Json): Position {
  const revision = numberAt(position, "revision");
  const name = textAt(position, "name");
  if (revision === undefined || name === "") throw notOfQuery();
  return { revision, namespace: textAt(position, "namespace"), name };
}

/** "team=a,stage=test": every tag must have this value. Throws request.invalid. */
export function hasTags(tags: JsonObject, wanted: string): boolean {
  return wanted.split(",").every((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw invalidTags(pair);
    return tags[pair.slice(0, at)] === pair.slice(at + 1);
  });
}

function invalidTags(pair: string): SetpointError {
  const message = `tags: ${JSON.stringify(pair.slice(0, 100))} is not of the form NAME=VALUE`;
  return new SetpointError("request.invalid", message, {
    details: { field: "query.tags" },
    suggestion: "write tags=team=payments,stage=test",
  });
}
