// The routes of the REST surface about itself. They describe all routes, and themselves.

import { hash } from "node:crypto";
import type { Route, RouteDescription } from "../../contract/route.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ApiDescription } from "./api-description.ts";
import { docPage } from "./doc-page.ts";
import { openApiDocument } from "./openapi.ts";
import { restApi } from "./rest-api.ts";

/** All routes: those of the modules, and those about the API. */
export function withDocRoutes(routes: readonly Route[], version: string): readonly Route[] {
  const all: Route[] = [...routes];
  const { document, etag, page } = apiDocuments(all, restApi(version));
  all.push(
    {
      method: "GET",
      path: "/api/v1/openapi.json",
      summary: "Read the OpenAPI 3.1 document of this API.",
      tag: "About this API",
      access: { kind: "authenticated" },
      etag: true,
      answers: { 200: { description: "The document.", schema: { type: "object" } } },
      handle: () =>
        Promise.resolve({ kind: "document", status: 200, document: document(), etag: etag() }),
    },
    {
      method: "GET",
      path: "/api/v1/doc",
      summary: "Read this documentation as a page.",
      tag: "About this API",
      access: { kind: "authenticated" },
      answers: {
        200: {
          description: "An HTML page that loads nothing else.",
          schema: { type: "string", contentMediaType: "text/html" },
        },
      },
      handle: () =>
        Promise.resolve({
          kind: "text",
          status: 200,
          contentType: "text/html; charset=utf-8",
          text: page(),
          headers: docPageHeaders,
        }),
    },
  );
  return all;
}

export interface ApiDocuments {
  readonly document: () => JsonObject;
  /** Of the document. */
  readonly etag: () => string;
  readonly page: () => string;
}

/** Nothing is loaded by the page, and its style is inside it. */
export const docPageHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
};

/** Each is written when it is first read. The routes may be completed until then. */
export function apiDocuments(
  routes: readonly RouteDescription[],
  api: ApiDescription,
): ApiDocuments {
  const document = once(() => openApiDocument(routes, api));
  return {
    document,
    etag: once(() => hash("sha256", JSON.stringify(document()), "hex").slice(0, 16)),
    page: once(() => docPage(routes, api)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
