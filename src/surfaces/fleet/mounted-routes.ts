// All routes of an Offering, with those about the APIs themselves: each class has an OpenAPI
// document and a page for people, which describe the same routes.

import { rootRoute } from "../../modules/fleet/api/about-routes.ts";
import type { ApiClass, FleetRoute } from "../../modules/fleet/api/fleet-route.ts";
import { apiRoot, classRoot } from "../../modules/fleet/api/hrefs.ts";
import type { Offering } from "../../modules/fleet/offering.ts";
import { apiDocuments, docPageHeaders } from "../rest/doc-routes.ts";
import { describeApi } from "./api-descriptions.ts";
import type { MountedRoute } from "./served-offerings.ts";

export type RouteTable = Readonly<Record<ApiClass, readonly FleetRoute[]>>;

export function mountedRoutes(offering: Offering, table: RouteTable): readonly MountedRoute[] {
  const root: MountedRoute = {
    method: "GET",
    path: "/",
    apiClass: "public",
    route: rootRoute(offering),
  };
  const classes = ["public", "admin", "agent"] as const;
  const all = classes.flatMap((apiClass) => {
    const prefix = classRoot(offering, apiClass).slice(apiRoot(offering).length);
    return withDocuments(offering, apiClass, table[apiClass]).map((route): MountedRoute => {
      const path = route.path === "/" ? prefix : `${prefix}${route.path}`;
      return { method: route.method, path, apiClass, route };
    });
  });
  return [root, ...all];
}

/** The document of the public API needs no token, as its clients are generated from it. */
function withDocuments(
  offering: Offering,
  apiClass: ApiClass,
  routes: readonly FleetRoute[],
): readonly FleetRoute[] {
  const all: FleetRoute[] = [...routes];
  const { document, page } = apiDocuments(all, describeApi(offering, apiClass));
  const access = { kind: apiClass } as const;
  const common = { method: "GET", tag: "About this API", access } as const;
  all.push(
    {
      ...common,
      path: "/openapi",
      summary: "Read the OpenAPI document of this API.",
      answers: { 200: { description: "The document.", schema: { type: "object" } } },
      handle: async () => ({ kind: "document", status: 200, document: document() }),
    },
    {
      ...common,
      path: "/doc",
      summary: "Read this documentation as a page.",
      answers: {
        200: {
          description: "An HTML page that loads nothing else.",
          schema: { type: "string", contentMediaType: "text/html" },
        },
      },
      handle: async () => ({
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
