// Custom logic for the Offering of this folder: hooks in the life cycle of a Dinosaur, and routes
// in its APIs. docs/how-to/extend-an-offering.md explains each part.
//
//   setpoint dev --module examples/dinosaurs/zoo.ts

import { defineModule } from "setpoint";
import type { FleetHooks, OwnRoute, Resource } from "setpoint";

interface Parameters {
  readonly species?: string;
  readonly enclosure?: { readonly squareMetres?: number };
}

function parametersOf({ spec }: Resource): Parameters {
  return (spec as { readonly parameters?: Parameters }).parameters ?? {};
}

const hooks: FleetHooks = {
  /** Refuses a write. The caller reads the message. */
  admit: ({ instance }) => {
    const { species, enclosure } = parametersOf(instance);
    if (species !== "tyrannosaurus" || (enclosure?.squareMetres ?? 0) >= 1_000) return undefined;
    const field = "spec.parameters.enclosure.squareMetres";
    return [{ field, message: "must be at least 1000 for a tyrannosaurus" }];
  },
  /** Waits for a ConfigMap of the organisation, and creates one for the instance. */
  prepare: async ({ instance }, context) => {
    const keepers = await context.references.get({ kind: "configmaps", name: "zoo-keepers" });
    if (keepers === undefined) {
      return { kind: "wait", reason: "the organisation has no ConfigMap zoo-keepers" };
    }
    const { name } = instance.metadata;
    await context.children.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `zoo-sign-${name}` },
      data: { text: `Please do not feed ${name}.` },
    });
    return undefined;
  },
};

const menus: Readonly<Record<string, string>> = {
  triceratops: "ferns",
  stegosaurus: "moss",
  tyrannosaurus: "meat",
};

/** For members of the organisation: GET /api/dinosaurs_mgmt/v1/dinosaurs/{id}/menu. */
const readMenu: OwnRoute = {
  class: "public",
  method: "GET",
  path: "/dinosaurs/{id}/menu",
  summary: "Read what a dinosaur eats.",
  parameters: { id: "The id of the dinosaur." },
  answers: {
    200: {
      description: "The menu.",
      schema: { type: "object", properties: { menu: { type: "string" } } },
    },
  },
  handle: async ({ path, instances }) => {
    // Only instances that the caller may see are found.
    const instance = await instances.get(path["id"] ?? "");
    if (instance === undefined) {
      return { kind: "refused", error: 7, reason: "there is no such dinosaur" };
    }
    const { species = "" } = (instance["parameters"] ?? {}) as Parameters;
    return { kind: "document", status: 200, document: { menu: menus[species] ?? "unknown" } };
  },
};

/** For the owner and administrators of the organisation. */
const setSpecies: OwnRoute = {
  class: "public",
  method: "PUT",
  path: "/dinosaurs/{id}/species",
  summary: "Correct the species of a dinosaur.",
  body: {
    type: "object",
    properties: { species: { type: "string" } },
    required: ["species"],
  },
  answers: { 200: { description: "The dinosaur.", schema: { type: "object" } } },
  handle: async ({ path, body, instances }) => {
    const species = body?.["species"] ?? "";
    // The schema of the Offering and the hook `admit` check the result.
    const document = await instances.setParameters(path["id"] ?? "", { species });
    if (document === undefined) {
      return { kind: "refused", error: 7, reason: "there is no such dinosaur" };
    }
    return { kind: "document", status: 200, document };
  },
};

/** For administrators: GET /api/dinosaurs_mgmt/v1/admin/menus. */
const countMenus: OwnRoute = {
  class: "admin",
  method: "GET",
  path: "/menus",
  summary: "Count the dinosaurs by what they eat.",
  answers: { 200: { description: "The number for each menu.", schema: { type: "object" } } },
  handle: async ({ instances }) => {
    const counts: Record<string, number> = {};
    for (const { parameters } of await instances.list({ size: 1_000 })) {
      const { species = "" } = (parameters ?? {}) as Parameters;
      const menu = menus[species] ?? "unknown";
      counts[menu] = (counts[menu] ?? 0) + 1;
    }
    return { kind: "document", status: 200, document: counts };
  },
};

export default defineModule({
  name: "zoo",
  kinds: [],
  fleet: [{ offering: "dinosaurs", hooks, routes: [readMenu, setSpecies, countMenus] }],
});
