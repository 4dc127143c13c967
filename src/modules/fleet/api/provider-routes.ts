// Cloud providers and regions, with what is left of their capacity. The numbers are those of the
// counters that every creation is checked against.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Offering, Provider, Region } from "../offering.ts";
import type { FleetRoute, FleetRoutePorts } from "./fleet-route.ts";
import { documentAnswer, wholeDocument } from "./page-document.ts";
import { regionRoom } from "./region-room.ts";
import { described, listSchema, objectSchema, pageFields } from "./schemas.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const tag = "Cloud providers";

const providerSchema = objectSchema({
  kind: text,
  id: text,
  name: text,
  display_name: text,
  enabled: flag,
});

const regionSchema = objectSchema({
  kind: text,
  id: text,
  display_name: text,
  enabled: described(flag, "Whether the region offers a type of instance."),
  supported_instance_types: { type: "array", items: text },
  capacity: {
    type: "array",
    items: objectSchema({
      instance_type: text,
      max_capacity_reached: flag,
      remaining: described({ type: "integer" }, "Instances that fit. Absent: there is no limit."),
    }),
  },
});

export function providerRoutes(ports: FleetRoutePorts, offering: Offering): readonly FleetRoute[] {
  const { providers } = offering;
  const common = { method: "GET", tag, access: { kind: "any-token" } } as const;
  return [
    {
      ...common,
      path: "/cloud_providers",
      summary: "List the cloud providers.",
      query: objectSchema(pageFields),
      answers: { 200: { description: "All providers.", schema: listSchema(providerSchema) } },
      errors: [401],
      handle: async () =>
        documentAnswer(wholeDocument("CloudProviderList", providers.map(presentProvider))),
    },
    {
      ...common,
      path: "/cloud_providers/{id}/regions",
      summary: "List the regions of a cloud provider, with what is left of their capacity.",
      description: "The list is empty for a provider or a type that does not exist.",
      parameters: { id: "The id of the provider." },
      query: objectSchema({
        ...pageFields,
        instance_type: described(text, "Only regions that offer this type."),
      }),
      answers: { 200: { description: "All regions.", schema: listSchema(regionSchema) } },
      errors: [401],
      handle: async ({ path, query }) => {
        const provider = providers.find(({ id }) => id === path["id"]);
        const type = query.get("instance_type");
        const regions = (provider?.regions ?? []).filter(
          ({ types }) => type === undefined || types.some(({ name }) => name === type),
        );
        const items = await Promise.all(
          regions.map((region) => presentRegion(ports, offering, provider?.id ?? "", region)),
        );
        return documentAnswer(wholeDocument("CloudRegionList", items));
      },
    },
  ];
}

function presentProvider({ id, displayName, isEnabled }: Provider): JsonObject {
  return {
    kind: "CloudProvider",
    id,
    name: id,
    display_name: displayName,
    enabled: isEnabled,
  };
}

async function presentRegion(
  { store }: FleetRoutePorts,
  offering: Offering,
  provider: string,
  { id: region, displayName, isEnabled, types }: Region,
): Promise<JsonObject> {
  const capacity = await Promise.all(
    types.map(async ({ name: type }): Promise<JsonObject> => {
      const remaining = await regionRoom(store, offering, { provider, region, type });
      return {
        instance_type: type,
        max_capacity_reached: remaining === 0,
        ...(remaining === undefined ? {} : { remaining }),
      };
    }),
  );
  return {
    kind: "CloudRegion",
    id: region,
    display_name: displayName,
    enabled: isEnabled && types.length > 0,
    supported_instance_types: types.map(({ name }) => name),
    capacity,
  };
}
