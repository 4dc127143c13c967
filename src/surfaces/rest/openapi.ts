// The OpenAPI 3.1 document of an API, built from its routes. Each route is one operation, and all
// errors have one schema.

import type { RouteDescription } from "../../contract/route.ts";
import { getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { ApiDescription, ErrorDescription } from "./api-description.ts";
import { parameterNames, parseTemplate } from "./path-template.ts";
import { eventStreamType, ndjsonType } from "./stream.ts";

export function openApiDocument(
  routes: readonly RouteDescription[],
  api: ApiDescription,
): JsonObject {
  const { title, version, description, base = "", errors, schemas = {}, securitySchemes } = api;
  const paths: MutableJsonObject = {};
  for (const route of routes) {
    const path = pathOf(base, route);
    const operation = operationOf(route, errors);
    setOwn(paths, path, { ...objectAt(paths, path), [methodKey(route)]: operation });
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: "3.1.0",
    info: { title, version, description },
    tags,
    paths,
    components: { schemas: { ...schemas, [errors.name]: errors.schema }, securitySchemes },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  };
}

/** OpenAPI has no LOCK and UNLOCK; extensions describe them. */
function methodKey({ method }: RouteDescription): string {
  const key = method.toLowerCase();
  return method === "LOCK" || method === "UNLOCK" ? `x-${key}` : key;
}

/** The path "/" of a mounted route is the base path itself. */
export function pathOf(base: string, { path }: Pick<RouteDescription, "path">): string {
  return base !== "" && path === "/" ? base : `${base}${path}`;
}

function operationOf(route: RouteDescription, errors: ErrorDescription): JsonObject {
  const { summary, description, tag, body, access, command } = route;
  const parameters = parametersOf(route);
  return {
    operationId: operationId(route),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(command === undefined ? {} : { "x-setpoint-command": command }),
    ...(access.kind === "public" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: responsesOf(route, errors),
  };
}

/** "getHistoryByKindByName" from GET /api/v1/history/{kind}/{name}; "getRoot" from GET /. */
export function operationId({ method, path }: Pick<RouteDescription, "method" | "path">): string {
  if (path === "/") return `${method.toLowerCase()}Root`;
  const words = path
    .replace(/^\/api\/(?:v1\/)?/, "")
    .split(/[/._-]/)
    .flatMap((part) => (part.startsWith("{") ? ["by", part.slice(1, -1)] : [part]));
  const named = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${method.toLowerCase()}${named.join("")}`;
}

function parametersOf(route: RouteDescription): readonly Json[] {
  const { path, query = {}, parameters: described = {}, idempotency, etag, stream } = route;
  const headers = Object.entries(route.headers ?? {});
  const template = parseTemplate(path);
  const inPath = template === undefined ? [] : parameterNames(template);
  const properties = objectAt(query, "properties");
  const required = textsAt(query, "required");
  return [
    ...inPath.map((name) => pathParameter(name, described[name] ?? "")),
    ...Object.keys(properties).map((name) => {
      return queryParameter(name, getOwn(properties, name), required.includes(name));
    }),
    ...headers.map(([name, description]) => header(name, description)),
    ...(idempotency === undefined ? [] : [header("Idempotency-Key", idempotencyText)]),
    ...(etag === true ? [conditionOf(route)] : []),
    ...(stream === true ? [header("Last-Event-ID", "The revision to resume after.")] : []),
  ];
}

function pathParameter(name: string, description: string): JsonObject {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function queryParameter(name: string, schema: Json | undefined, required: boolean): JsonObject {
  const description = textAt(schema, "description");
  const shape = isJsonObject(schema) ? withoutDescription(schema) : {};
  return { name, in: "query", required, description, schema: shape };
}

const idempotencyText =
  "A key of your choice, such as a UUID. A repeat with the same key gets the stored outcome.";

function conditionOf({ method }: RouteDescription): JsonObject {
  return method === "GET"
    ? header("If-None-Match", "The ETag of an earlier response; 304 if nothing has changed.")
    : header("If-Match", "The ETag of the resource; 412 when it has changed.");
}

function header(name: string, description: string): JsonObject {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

function withoutDescription(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "description"));
}

function responsesOf(
  route: RouteDescription,
  { name, mediaType, description: ofError }: ErrorDescription,
): JsonObject {
  const problem = {
    description: ofError,
    content: { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } },
  };
  const responses: MutableJsonObject = {};
  for (const [status, { description, schema }] of Object.entries(route.answers)) {
    responses[status] = { description, ...contentOf(route, schema) };
  }
  if (route.etag === true && route.method === "GET") {
    responses["304"] = { description: "Not modified." };
  }
  for (const status of route.errors ?? []) responses[String(status)] = problem;
  responses["default"] = problem;
  return responses;
}

function contentOf(route: RouteDescription, schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return {};
  const types =
    route.stream === true
      ? [ndjsonType, eventStreamType]
      : [textAt(schema, "contentMediaType") || "application/json"];
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}
