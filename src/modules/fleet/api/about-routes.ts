// What the public API says about itself: its versions, its collections and its errors.

import type { JsonObject } from "../../../kernel/json.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { parsePage } from "../lists/page-arguments.ts";
import type { Offering } from "../offering.ts";
import { fleetErrorNumber, fleetErrorNumbers, fleetErrorObject } from "./error-catalogue.ts";
import type { FleetRoute } from "./fleet-route.ts";
import { apiRoot, classRoot } from "./hrefs.ts";
import { documentAnswer, pageDocument } from "./page-document.ts";
import { listSchema, objectSchema, pageFields, referenceSchema } from "./schemas.ts";

const tag = "About this API";
const text: JsonObject = { type: "string" };

/** At the root of the APIs, above their version. */
export function rootRoute(offering: Offering): FleetRoute {
  const href = classRoot(offering, "public");
  const version = { id: "v1", kind: "APIVersion", href };
  const { instances } = offering;
  return {
    method: "GET",
    path: "/",
    summary: "Read the versions of the API.",
    tag,
    access: { kind: "public" },
    answers: { 200: { description: "The versions.", schema: { type: "object" } } },
    handle: async () =>
      documentAnswer({
        id: `${instances.plural}_mgmt`,
        kind: "API",
        href: apiRoot(offering),
        versions: [version],
      }),
  };
}

export function aboutRoutes(offering: Offering): readonly FleetRoute[] {
  return [versionRoute(offering), errorsRoute(offering), errorRoute(offering)];
}

function versionRoute(offering: Offering): FleetRoute {
  const href = classRoot(offering, "public");
  const { plural, kind } = offering.instances;
  const collections = [
    { id: plural, kind: `${kind}List`, href: `${href}/${plural}` },
    { id: "cloud_providers", kind: "CloudProviderList", href: `${href}/cloud_providers` },
    { id: "errors", kind: "ErrorList", href: `${href}/errors` },
  ];
  return {
    method: "GET",
    path: "/",
    summary: "Read the collections of this version.",
    tag,
    access: { kind: "public" },
    answers: {
      200: {
        description: "The collections.",
        schema: objectSchema({
          id: text,
          kind: text,
          href: text,
          collections: { type: "array", items: referenceSchema },
        }),
      },
    },
    handle: async () => documentAnswer({ id: "v1", kind: "APIVersion", href, collections }),
  };
}

const errorSchema = objectSchema({ id: text, kind: text, href: text, code: text, reason: text });

function errorsRoute(offering: Offering): FleetRoute {
  return {
    method: "GET",
    path: "/errors",
    summary: "List all errors of the API, by their number.",
    tag,
    access: { kind: "public" },
    query: objectSchema(pageFields),
    answers: { 200: { description: "One page of errors.", schema: listSchema(errorSchema) } },
    errors: [400],
    handle: async ({ query }) => {
      const asked = parsePage(query.get("page"), query.get("size"));
      const from = (asked.page - 1) * asked.size;
      const shown = fleetErrorNumbers.slice(from, from + asked.size);
      const items = shown.map((number) => fleetErrorObject(offering, number));
      return documentAnswer(
        pageDocument("ErrorList", { ...asked, total: fleetErrorNumbers.length, items }),
      );
    },
  };
}

function errorRoute(offering: Offering): FleetRoute {
  return {
    method: "GET",
    path: "/errors/{id}",
    summary: "Read one error of the API.",
    tag,
    access: { kind: "public" },
    parameters: { id: "The number of the error." },
    answers: { 200: { description: "The error.", schema: errorSchema } },
    errors: [404],
    handle: async ({ path }) => {
      const number = fleetErrorNumber(path["id"] ?? "");
      if (number !== undefined) return documentAnswer(fleetErrorObject(offering, number));
      const shown = JSON.stringify((path["id"] ?? "").slice(0, 100));
      throw new SetpointError("fleet.not_found", `Error with id=${shown} not found`);
    },
  };
}
