/** Requests of the Resource Manager with large bodies, and its descriptions of a large kind. */
import type { Crafted, CraftTarget } from "./request.ts";
import { get, numbered, send, times } from "./request.ts";

const subscription = "11111111-2222-3333-4444-555555555555";
const group = `/subscriptions/${subscription}/resourceGroups/pit`;
const walls = `${group}/providers/Example.Crafted/walls`;
const version = "api-version=2026-01-01";

async function prepare(target: CraftTarget): Promise<void> {
  const path = `/subscriptions/${subscription}?api-version=2.0`;
  await target.ask(path, { method: "PUT", body: { state: "Registered" } });
}

function put(name: string, properties: object, more: object = {}): Crafted {
  return {
    name: `face-${name}`,
    prepare,
    send: (target) =>
      send(target, "PUT", `${walls}/${name}?${version}`, {
        location: "West Europe",
        properties,
        ...more,
      }),
  };
}

/** A change of a stored resource. */
function changed(name: string, of: Crafted, method: string, body: () => unknown): Crafted {
  return {
    name: `face-${name}`,
    prepare: async (target) => {
      await prepare(target);
      await of.send(target, 0);
    },
    send: (target) =>
      send(target, method, `${walls}/${of.name.replace("face-", "")}?${version}`, body()),
  };
}

const wide = put(
  "many-fields",
  numbered(3_000, "field", () => ({ a: "x".repeat(50), b: ["y"], c: "z" })),
);
const free = put("free-form", { free: numbered(20_000, "k", (index) => ({ v: index })) });

export const faceRequests: readonly Crafted[] = [
  wide,
  free,
  put("long-list", { items: times(200_000, () => 1) }),
  put(
    "unknown-fields",
    numbered(60_000, "unknown", () => 1),
  ),
  put("wrong-types", { items: times(150_000, () => "x") }),
  put("tags", {}, { tags: numbered(30_000, "t", () => "v") }),
  put("deep", {
    free: times(100, () => 0).reduce<object>((inner) => ({ a: inner, b: times(60, () => 1) }), {}),
  }),
  changed("patch-of-many-fields", wide, "PATCH", () => ({ properties: { field0: { a: "q" } } })),
  changed("patch-of-free-form", free, "PATCH", () => ({
    properties: { free: numbered(20_000, "k", (index) => ({ v: index + 1 })) },
  })),
  changed("get-of-free-form", free, "GET", () => undefined),
  { name: "face-list", prepare, send: get(`${walls}?${version}`) },
  { name: "face-swagger", prepare, send: get("/swagger") },
  {
    name: "face-swagger-of-type",
    prepare,
    send: get("/swagger/Example.Crafted/2026-01-01/openapi.json"),
  },
  {
    name: "face-preflight",
    prepare,
    send: (target) =>
      send(
        target,
        "POST",
        `${group}/providers/Example.Crafted/deployments/x/preflight?${version}`,
        {
          resources: times(2_000, (index) => ({
            name: `w${index}`,
            type: "walls",
            location: "West Europe",
            apiVersion: "2026-01-01",
            properties: {},
          })),
        },
      ),
  },
  { name: "face-long-path", prepare, send: get(`${walls}/${"a".repeat(50_000)}?${version}`) },
  {
    name: "face-bad-token",
    prepare,
    send: get(`${walls}?${version}&$skiptoken=${"a".repeat(50_000)}`),
  },
];
