// What the documents of the three APIs of an Offering state beside their routes.

import { fleetErrorNumbers, fleetErrors } from "../../modules/fleet/api/error-catalogue.ts";
import type { ApiClass } from "../../modules/fleet/api/fleet-route.ts";
import { classRoot } from "../../modules/fleet/api/hrefs.ts";
import type { Offering, Region } from "../../modules/fleet/offering.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ApiDescription } from "../rest/api-description.ts";

export function describeApi(offering: Offering, apiClass: ApiClass): ApiDescription {
  const { displayName, instances } = offering;
  const prefix = `${instances.plural.toUpperCase()}-MGMT`;
  return {
    title: `${displayName}: ${titles[apiClass]}`,
    version: "v1",
    description: [texts[apiClass], ...aboutOffering(offering, apiClass)].join(" "),
    base: classRoot(offering, apiClass),
    securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    documentLink: "openapi",
    errors: {
      name: "Error",
      schema: errorSchema,
      mediaType: "application/json",
      description: "An error.",
      text: "Every error has `code`, `reason` and `operation_id`, which the log contains as well.",
      codes: fleetErrorNumbers.map((number) => ({
        code: `${prefix}-${number}`,
        status: fleetErrors[number].status,
        summary: fleetErrors[number].reason,
        action: "",
      })),
    },
  };
}

const titles: Readonly<Record<ApiClass, string>> = {
  public: "public API",
  admin: "admin API",
  agent: "agent API",
};

const texts: Readonly<Record<ApiClass, string>> = {
  public: "For customers.",
  admin: "For administrators with a role. To all other callers it does not exist.",
  agent: "For the agents of data-plane clusters. To all other callers it does not exist.",
};

/** Types and regions are facts of the Offering, which every answer depends on. */
function aboutOffering(offering: Offering, apiClass: ApiClass): readonly string[] {
  const { documentation, providers, types } = offering;
  if (apiClass === "agent") return [];
  const names = types.map(({ name }) => `\`${name}\``).join(", ");
  const places = providers
    .map(({ id, regions }) => `\`${id}\` (${regions.map(regionText).join(", ")})`)
    .join("; ");
  const facts = [`Types of instances: ${names}.`, `Providers and regions: ${places}.`];
  return documentation === "" ? facts : [documentation, ...facts];
}

function regionText({ id, types }: Region): string {
  return `\`${id}\`: ${types.map(({ name }) => name).join(" and ")}`;
}

const errorSchema: JsonObject = {
  type: "object",
  required: ["id", "kind", "href", "code", "reason"],
  properties: {
    id: { type: "string", description: "The number of the error." },
    kind: { type: "string", enum: ["Error"] },
    href: { type: "string" },
    code: { type: "string", description: "The number with the prefix of the service." },
    reason: { type: "string", description: "What went wrong, for people." },
    operation_id: {
      type: "string",
      description: "Identifies the request in the log of the server. Also in X-Operation-ID.",
    },
  },
};
