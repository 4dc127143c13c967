/** Patches and applies of large documents, or with many operations. */
import type { Crafted, CraftTarget } from "./request.ts";
import { make, numbered, send, times } from "./request.ts";
import { definition, definitionsPath, objectSchema, specSchema } from "./definitions.ts";

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const lists = "/apis/crafted.example.com/v1/namespaces/{ns}/patchlists";
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";

const text = { type: "string" };

async function prepareMap(target: CraftTarget): Promise<void> {
  const data = numbered(20_000, "k", () => "v");
  await make(target, maps, { metadata: { name: "patched-map" }, data });
}

async function prepareList(target: CraftTarget): Promise<void> {
  const spec = objectSchema({
    items: { type: "array", items: { type: "integer" } },
    objects: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: objectSchema({ name: text, value: text }, { required: ["name"] }),
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  });
  const schemas = [specSchema(spec)];
  await make(target, definitionsPath, definition({ plural: "patchlists", schemas }));
  await make(target, lists, {
    apiVersion: "crafted.example.com/v1",
    kind: "Patchlist",
    metadata: { name: "patched-list" },
    spec: {
      items: times(200_000, (index) => index % 10),
      objects: times(8_000, (index) => ({ name: `n${index}`, value: "v" })),
    },
  });
}

async function prepareAccount(target: CraftTarget): Promise<void> {
  const secrets = times(10_000, (index) => ({ name: `s${index}` }));
  await make(target, accounts, { metadata: { name: "patched-account" }, secrets });
}

type Operation = Readonly<Record<string, unknown>>;

function operations(
  name: string,
  where: "map" | "list",
  each: (index: number) => Operation,
  count = 10_000,
): Crafted {
  const path = where === "map" ? `${maps}/patched-map` : `${lists}/patched-list`;
  return {
    name: `json-patch-${name}`,
    prepare: where === "map" ? prepareMap : prepareList,
    send: (target) => send(target, "PATCH", path, times(count, each), jsonPatch),
  };
}

function patched(
  name: string,
  where: "map" | "list" | "account",
  type: string,
  body: (round: number) => unknown,
  query = "",
): Crafted {
  const paths = { map: `${maps}/patched-map`, list: `${lists}/patched-list` };
  const path = where === "account" ? `${accounts}/patched-account` : paths[where];
  const prepares = { map: prepareMap, list: prepareList, account: prepareAccount };
  return {
    name,
    prepare: prepares[where],
    send: (target, round) => send(target, "PATCH", `${path}${query}`, body(round), type),
  };
}

function applied(where: "map" | "list", spec: object): object {
  const metadata = { name: where === "map" ? "patched-map" : "patched-list" };
  return where === "map"
    ? { apiVersion: "v1", kind: "ConfigMap", metadata, ...spec }
    : { apiVersion: "crafted.example.com/v1", kind: "Patchlist", metadata, ...spec };
}

/** Many managers, each of which owns some of the fields. */
async function prepareManagers(target: CraftTarget): Promise<void> {
  for (let manager = 0; manager < 60; manager++) {
    const data = numbered(400, `m${manager}_`, () => "v");
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "managed" }, data };
    const path = `${maps}/managed?fieldManager=m${manager}&force=true`;
    const { status } = await send(target, "PATCH", path, JSON.stringify(body), applyPatch);
    if (status > 201) throw new Error(`apply: ${status}`);
  }
}

export const patchRequests: readonly Crafted[] = [
  operations("adds", "map", (index) => ({ op: "add", path: `/data/n${index}`, value: "v" }), 4_000),
  operations("tests", "map", (index) => ({ op: "test", path: `/data/k${index}`, value: "v" })),
  operations("tests-of-all", "map", () => ({
    op: "test",
    path: "/data",
    value: { a: "v" },
  })),
  operations(
    "tests-of-large-value",
    "map",
    () => ({ op: "test", path: "/data", value: numbered(20_000, "k", () => "v") }),
    12,
  ),
  operations(
    "copies",
    "map",
    (index) => ({ op: "copy", from: "/data", path: `/data${index}` }),
    60,
  ),
  operations("moves", "map", (index) => ({
    op: "move",
    from: index % 2 === 0 ? "/data" : "/binaryData",
    path: index % 2 === 0 ? "/binaryData" : "/data",
  })),
  operations("inserts-in-front", "list", () => ({ op: "add", path: "/spec/items/0", value: 1 })),
  operations("removes-in-front", "list", () => ({ op: "remove", path: "/spec/items/0" })),
  operations("moves-in-list", "list", () => ({
    op: "move",
    from: "/spec/items/0",
    path: "/spec/items/199999",
  })),
  operations("replaces-all", "list", () => ({ op: "replace", path: "/spec/items", value: [] })),
  operations("long-paths", "map", () => ({ op: "test", path: `/${"a/".repeat(140)}`, value: 1 })),
  operations("deep-paths", "list", (index) => ({
    op: "add",
    path: `/spec/free${index === 0 ? "" : "/a".repeat(Math.min(index, 100))}`,
    value: {},
  })),
  patched("merge-one-field", "map", mergePatch, (round) => ({ data: { [`r${round}`]: "v" } })),
  patched("merge-all-fields", "map", mergePatch, (round) => ({
    data: numbered(20_000, "k", () => `r${round}`),
  })),
  patched("merge-nulls", "map", mergePatch, () => ({ data: numbered(100_000, "x", () => null) })),
  patched("merge-list", "list", mergePatch, (round) => ({
    spec: { items: times(400_000, () => round) },
  })),
  patched("merge-deep", "list", mergePatch, () => {
    let value: object = {};
    for (let depth = 0; depth < 110; depth++) value = { ...numbered(200, "w", () => 1), n: value };
    return { spec: { free: value } };
  }),
  patched("strategic-all-fields", "map", strategicPatch, (round) => ({
    data: numbered(20_000, "k", () => `s${round}`),
  })),
  patched("strategic-list", "account", strategicPatch, (round) => ({
    secrets: times(10_000, (index) => ({ name: `s${index}`, namespace: `r${round}` })),
  })),
  patched("strategic-new-items", "account", strategicPatch, (round) => ({
    secrets: times(10_000, (index) => ({ name: `t${round}_${index}` })),
  })),
  patched("strategic-deletes", "account", strategicPatch, () => ({
    secrets: times(10_000, (index) => ({ name: `s${index}`, $patch: "delete" })),
  })),
  patched("strategic-order", "account", strategicPatch, () => ({
    "$setElementOrder/secrets": times(10_000, (index) => ({ name: `s${9_999 - index}` })),
    secrets: times(10_000, (index) => ({ name: `s${index}`, namespace: "x" })),
  })),
  patched("strategic-finalizers", "map", strategicPatch, () => ({
    metadata: {
      "$deleteFromPrimitiveList/finalizers": times(60_000, (index) => `example.com/f${index}`),
      finalizers: times(900, (index) => `example.com/f${index}`),
    },
  })),
  patched("strategic-owners", "map", strategicPatch, () => ({
    metadata: {
      ownerReferences: times(20_000, (index) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: `n${index}`,
        uid: `u${index}`,
      })),
    },
  })),
  patched(
    "apply-all-fields",
    "map",
    applyPatch,
    (round) => JSON.stringify(applied("map", { data: numbered(20_000, "k", () => `a${round}`) })),
    "?fieldManager=applier&force=true",
  ),
  patched(
    "apply-conflicts",
    "map",
    applyPatch,
    (round) => JSON.stringify(applied("map", { data: numbered(20_000, "k", () => `c${round}`) })),
    "?fieldManager=other",
  ),
  patched(
    "apply-yaml",
    "map",
    applyPatch,
    () => {
      const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: patched-map}\ndata:\n";
      return head + times(20_000, (index) => `  k${index}: y`).join("\n");
    },
    "?fieldManager=yaml&force=true",
  ),
  patched(
    "apply-keyed-list",
    "list",
    applyPatch,
    (round) =>
      JSON.stringify(
        applied("list", {
          spec: {
            objects: times(8_000, (index) => ({ name: `n${index}`, value: `a${round}` })),
          },
        }),
      ),
    "?fieldManager=applier&force=true",
  ),
  patched(
    "apply-free-form",
    "list",
    applyPatch,
    (round) =>
      JSON.stringify(applied("list", { spec: { free: numbered(11_000, "f", () => ({ round })) } })),
    "?fieldManager=free&force=true",
  ),
  {
    name: "apply-of-many-managers",
    prepare: prepareManagers,
    send: (target, round) => {
      const data = numbered(400, "m0_", () => `r${round}`);
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "managed" }, data };
      const path = `${maps}/managed?fieldManager=late&force=true`;
      return send(target, "PATCH", path, JSON.stringify(body), applyPatch);
    },
  },
  {
    name: "scale-long-patch",
    prepare: async (target) => {
      const version = {
        subresources: {
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      };
      const spec = objectSchema({ replicas: { type: "integer" } });
      const status = objectSchema({ replicas: { type: "integer" } });
      const schemas = [objectSchema({ spec, status })];
      await make(target, definitionsPath, definition({ plural: "scaleds", schemas, version }));
      await make(target, "/apis/crafted.example.com/v1/namespaces/{ns}/scaleds", {
        apiVersion: "crafted.example.com/v1",
        kind: "Scaled",
        metadata: { name: "one" },
        spec: { replicas: 1 },
      });
    },
    send: (target) => {
      const path = "/apis/crafted.example.com/v1/namespaces/{ns}/scaleds/one/scale";
      const value = numbered(5_000, "k", () => 1);
      const body = [
        { op: "add", path: "/spec/a", value },
        ...times(9_000, (index) => ({ op: "copy", from: "/spec/a", path: `/spec/b${index}` })),
      ];
      return send(target, "PATCH", path, body, jsonPatch);
    },
  },
];
