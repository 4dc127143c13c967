// The routes of one resource that several collections share: get, create, replace, change, delete.

import type { Route, RouteAccess, RoutePorts } from "../../../contract/route.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { environmentsGroup } from "../names.ts";
import { addressed, documentOf, readOne, targetOf } from "./documents.ts";
import { documentSchema, partSchema } from "./nouns.ts";
import type { Noun } from "./nouns.ts";
import { change, create, remove, replaceSpec, writtenAnswer } from "./writes.ts";

export const apiTag = "Environments";

export const namespaceQuery: JsonObject = {
  type: "object",
  properties: {
    namespace: {
      type: "string",
      minLength: 1,
      maxLength: limits.maxNameLength,
      default: "default",
      description: "The namespace. Default: default.",
    },
  },
};

export function accessTo(noun: Noun, verb: string): RouteAccess {
  const resource = noun.kind.names.plural;
  const common = { kind: "resource", verb, group: environmentsGroup, resource } as const;
  const namespace = "{namespace}";
  return verb === "create" ? { ...common, namespace } : { ...common, namespace, name: "{id}" };
}

export function itemAnswer(noun: Noun, description: string): Route["answers"][number] {
  return { description, schema: documentSchema(noun) };
}

/** What the routes of one collection have in common. */
function shared(noun: Noun, verb: string): Pick<Route, "tag" | "query" | "access" | "parameters"> {
  const parameters = verb === "create" ? {} : { parameters: { id: `The id of ${noun.one}.` } };
  return { tag: apiTag, query: namespaceQuery, access: accessTo(noun, verb), ...parameters };
}

export function getRoute(ports: RoutePorts, noun: Noun): Route {
  return {
    method: "GET",
    path: `/api/v1/${noun.word}/{id}`,
    summary: `Read ${noun.one}.`,
    ...shared(noun, "get"),
    etag: true,
    answers: { 200: itemAnswer(noun, "The current state.") },
    errors: [403, 404],
    command: `${noun.word}.get`,
    handle: async (request) => {
      const resource = await readOne(ports, addressed(ports, noun, request));
      const document = documentOf(resource);
      const etag = resource.metadata.resourceVersion ?? "";
      return { kind: "document", status: 200, document, etag };
    },
  };
}

export function createRoute(ports: RoutePorts, noun: Noun): Route {
  return {
    method: "POST",
    path: `/api/v1/${noun.word}`,
    summary: `Create ${noun.one}.`,
    ...shared(noun, "create"),
    body: {
      type: "object",
      required: ["spec"],
      properties: {
        id: {
          type: "string",
          maxLength: limits.maxNameLength,
          description: "The server generates an id when it is absent.",
        },
        labels: { type: "object", additionalProperties: { type: "string" } },
        spec: { ...partSchema(noun, "spec") },
      },
    },
    etag: true,
    idempotency: "by-key",
    answers: { 201: itemAnswer(noun, "What was created.") },
    errors: [400, 403, 409, 422],
    command: `${noun.word}.create`,
    handle: async (request) => {
      const { query, body = {} } = request;
      const namespace = textAt(query, "namespace");
      const written = await create(ports, request, noun, { namespace, body });
      return writtenAnswer(201, targetOf(ports, noun, { namespace, name: "" }), written);
    },
  };
}

const specBody = (noun: Noun): JsonObject => ({
  type: "object",
  required: ["spec"],
  properties: { spec: partSchema(noun, "spec") },
});

export function replaceRoute(ports: RoutePorts, noun: Noun): Route {
  return {
    method: "PUT",
    path: `/api/v1/${noun.word}/{id}`,
    summary: `Replace the spec of ${noun.one}.`,
    description: "Needs If-Match. Secret fields that the body leaves out keep their values.",
    ...shared(noun, "update"),
    body: specBody(noun),
    etag: true,
    idempotency: "by-key",
    answers: { 200: itemAnswer(noun, "What was written.") },
    errors: [403, 404, 412, 422, 428],
    command: `${noun.word}.replace`,
    handle: async (request) => {
      const target = addressed(ports, noun, request);
      const spec = objectAt(request.body, "spec");
      return writtenAnswer(200, target, await replaceSpec(ports, request, target, spec));
    },
  };
}

export function changeRoute(ports: RoutePorts, noun: Noun): Route {
  return {
    method: "PATCH",
    path: `/api/v1/${noun.word}/{id}`,
    summary: `Change fields of ${noun.one}.`,
    description: "The body is a JSON merge patch: null removes a field. If-Match is optional.",
    ...shared(noun, "patch"),
    body: {
      type: "object",
      required: ["spec"],
      properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    etag: true,
    idempotency: "by-key",
    answers: { 200: itemAnswer(noun, "What was written.") },
    errors: [403, 404, 412, 422],
    command: `${noun.word}.update`,
    handle: async (request) => {
      const target = addressed(ports, noun, request);
      const patch = { spec: objectAt(request.body, "spec") };
      return writtenAnswer(200, target, await change(ports, request, target, patch));
    },
  };
}

export function deleteRoute(ports: RoutePorts, noun: Noun, description?: string): Route {
  return {
    method: "DELETE",
    path: `/api/v1/${noun.word}/{id}`,
    summary: `Delete ${noun.one}.`,
    ...(description === undefined ? {} : { description }),
    ...shared(noun, "delete"),
    idempotency: "by-key",
    answers: { 202: { description: "The deletion has begun, or is complete." } },
    errors: [403, 404, 409, 412],
    command: `${noun.word}.delete`,
    handle: async (request) => {
      await remove(ports, request, addressed(ports, noun, request));
      return { kind: "document", status: 202, document: {} };
    },
  };
}
