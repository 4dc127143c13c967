// The OpenAPI 3.1 document of the REST API, built from the routes. Each route is one operation.
// Errors have one schema, since every error is a problem document.

import type { Route } from "../../contract/route.ts";
import { getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { parameterNames, parseTemplate } from "./path-template.ts";
import { problemType } from "./problem.ts";
import { eventStreamType, ndjsonType } from "./stream.ts";

export interface OpenApiInput {
  readonly routes: readonly Route[];
  readonly version: string;
}

export function openApiDocument({ routes, version }: OpenApiInput): JsonObject {
  const paths: MutableJsonObject = {};
  for (const route of routes) {
    const before = objectAt(paths, route.path);
    setOwn(paths, route.path, { ...before, [route.method.toLowerCase()]: operationOf(route) });
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Setpoint REST API",
      version,
      description:
        "History, state and problems of the resources of this server. " +
        "The resources themselves are served by the Kubernetes API.",
    },
    tags,
    paths,
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
    security: [{ bearer: [] }],
  };
}

function operationOf(route: Route): JsonObject {
  const { summary, description, tag, body, access } = route;
  const parameters = parametersOf(route);
  return {
    operationId: operationId(route),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(access.kind === "public" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: responsesOf(route),
  };
}

/** "getHistoryByKindByName" from GET /api/v1/history/{kind}/{name}. */
export function operationId({ method, path }: Pick<Route, "method" | "path">): string {
  const words = path
    .replace(/^\/api\/(?:v1\/)?/, "")
    .split(/[/._-]/)
    .flatMap((part) => (part.startsWith("{") ? ["by", part.slice(1, -1)] : [part]));
  const named = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${method.toLowerCase()}${named.join("")}`;
}

function parametersOf(route: Route): readonly Json[] {
  const { path, query = {}, parameters: described = {}, idempotency, etag, stream } = route;
  const template = parseTemplate(path);
  const inPath = template === undefined ? [] : parameterNames(template);
  const properties = objectAt(query, "properties");
  const required = textsAt(query, "required");
  return [
    ...inPath.map((name) => pathParameter(name, described[name] ?? "")),
    ...Object.keys(properties).map((name) => {
      return queryParameter(name, getOwn(properties, name), required.includes(name));
    }),
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

function conditionOf({ method }: Route): JsonObject {
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

function responsesOf(route: Route): JsonObject {
  const responses: MutableJsonObject = {};
  for (const [status, { description, schema }] of Object.entries(route.answers)) {
    responses[status] = { description, ...contentOf(route, schema) };
  }
  if (route.etag === true && route.method === "GET") {
    responses["304"] = { description: "Not modified." };
  }
  for (const status of route.errors ?? []) responses[String(status)] = problemAnswer;
  responses["default"] = problemAnswer;
  return responses;
}

function contentOf(route: Route, schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return {};
  const types =
    route.stream === true
      ? [ndjsonType, eventStreamType]
      : [textAt(schema, "contentMediaType") || "application/json"];
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

const problemAnswer: JsonObject = {
  description: "A problem (RFC 9457).",
  content: { [problemType]: { schema: { $ref: "#/components/schemas/Problem" } } },
};

const problemSchema: JsonObject = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "suggestion", "traceId"],
  properties: {
    type: { type: "string", description: "Where the code is documented." },
    title: { type: "string", description: "What the code means." },
    status: { type: "integer" },
    detail: { type: "string", description: "Explanation of this problem." },
    code: { type: "string", description: "Stable machine-readable code." },
    field: { type: "string", description: "The field or parameter that caused the problem." },
    suggestion: { type: "string", description: "Suggested action." },
    traceId: {
      type: "string",
      description: "Id of the trace, to find the request in the log of the server.",
    },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          field: { type: "string" },
          kind: { type: "string", description: "As in required, type, unsupported, unknown." },
          detail: { type: "string" },
        },
      },
    },
  },
};
