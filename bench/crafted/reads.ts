/** Reads: lists with selectors, long URLs, forms of answers, and the routes about history. */
import type { Crafted, CraftTarget } from "./request.ts";
import { get, make, numbered, post, send, times } from "./request.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const many = "/api/v1/namespaces/crafted-many/configmaps";
const large = "/api/v1/namespaces/crafted-large/configmaps";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const partial = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const protobuf = "application/vnd.kubernetes.protobuf";

const filled = new Set<string>();

async function fill(target: CraftTarget, namespace: string, bodies: readonly object[]) {
  if (filled.has(namespace)) return;
  filled.add(namespace);
  await make(target, "/api/v1/namespaces", { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (let at = 0; at < bodies.length; at += 20) {
    await Promise.all(bodies.slice(at, at + 20).map((body) => make(target, path, body)));
  }
}

async function prepareMany(target: CraftTarget): Promise<void> {
  const labels = numbered(30, "l", (index) => `v${index}`);
  const metadata = (index: number): object => ({
    name: `n${index}`,
    labels: { ...labels, number: `x${index}` },
  });
  await fill(
    target,
    "crafted-many",
    times(11_000, (index) => ({ metadata: metadata(index), data: { k: "v" } })),
  );
}

const pastChanges = 9_000;
let past = "1";

/** A revision that is nearly as old as one that is read in the background. */
async function preparePast(target: CraftTarget): Promise<void> {
  if (past !== "1") return;
  await prepareMany(target);
  const { body } = await target.ask(`${many}?limit=1`);
  const list = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
  past = list.metadata.resourceVersion;
  for (let at = 0; at < pastChanges; at += 50) {
    await Promise.all(
      times(50, (index) => {
        const patch = { data: { k: `changed ${at}` } };
        const path = `${many}/n${at + index}`;
        return send(target, "PATCH", path, patch, "application/merge-patch+json");
      }),
    );
  }
}

function listedPast(name: string, query: string): Crafted {
  return {
    name: `list-past-${name}`,
    prepare: preparePast,
    send: (target) =>
      target.ask(`${many}?resourceVersionMatch=Exact&resourceVersion=${past}&${query}`),
  };
}

async function prepareLarge(target: CraftTarget): Promise<void> {
  const data = numbered(20_000, "k", () => "0123456789");
  const bodies = times(20, (index) => ({ metadata: { name: `n${index}` }, data }));
  await fill(target, "crafted-large", bodies);
}

/** A resource with many large revisions. */
async function prepareHistory(target: CraftTarget): Promise<void> {
  const path = "/api/v1/namespaces/crafted-history/configmaps";
  const body = (round: number): object => ({
    metadata: { name: "old" },
    data: numbered(20_000, "k", () => `round ${round}`),
  });
  await make(target, "/api/v1/namespaces", { metadata: { name: "crafted-history" } });
  await make(target, path, body(0));
  for (let round = 1; round < 25; round++) await send(target, "PUT", `${path}/old`, body(round));
}

function listed(name: string, query: string, accept?: string): Crafted {
  return { name: `list-${name}`, prepare: prepareMany, send: get(`${many}?${query}`, accept) };
}

function whole(name: string, accept: string, query = ""): Crafted {
  return { name: `large-${name}`, prepare: prepareLarge, send: get(`${large}${query}`, accept) };
}

function insightOf(name: string, path: string): Crafted {
  return { name: `insight-${name}`, prepare: prepareHistory, send: get(path) };
}

const values = (count: number): string => times(count, (index) => `x${index}`).join(",");

async function firstRevision(target: CraftTarget): Promise<string> {
  const path = "/api/v1/history/configmaps/old?namespace=crafted-history&limit=1000";
  const { body } = await target.ask(path);
  const { items = [] } = JSON.parse(body.toString()) as { items?: { revision: number }[] };
  return String(items.at(-1)?.revision ?? 1);
}

const lists: readonly Crafted[] = [
  listed("all", ""),
  listed("as-table", "", table),
  listed("as-metadata", "", partial),
  listed("as-protobuf", "", protobuf),
  listed("as-yaml", "", "application/yaml"),
  listed("pretty", "pretty=true"),
  listed("one-label", "labelSelector=number%3Dx4999"),
  listed("many-values", `labelSelector=number+in+(${values(1_000)})`),
  listed("absent-values", `labelSelector=number+notin+(${values(1_000)})`),
  listed("many-requirements", `labelSelector=${times(250, (index) => `l${index % 30}`).join(",")}`),
  listed("excluding", `labelSelector=${times(250, (index) => `!m${index}`).join(",")}`),
  listed("too-many-values", `labelSelector=number+in+(${values(8_000)})`),
  listed("bad-selector", `labelSelector=${"(".repeat(50_000)}`),
  listed("long-selector", `labelSelector=${"a,".repeat(25_000)}a`),
  listed(
    "fields",
    `fieldSelector=${times(5_000, (index) => `metadata.name!%3Dn${index}`)
      .join(",")
      .slice(0, 60_000)}`,
  ),
  listed("one-by-one", "limit=1&labelSelector=!l0"),
  listed("continued-forged", `limit=1&continue=${"a".repeat(50_000)}`),
  listed("long-query", times(6_000, (index) => `p${index}=v`).join("&")),
  listed("escapes", `labelSelector=${"%41".repeat(20_000)}`),
  listedPast("page", "limit=500"),
  listedPast("absent", "limit=500&labelSelector=number%3Dnone"),
  listed("far-revision", "resourceVersion=1&resourceVersionMatch=NotOlderThan&limit=10000"),
  {
    name: "accept-many",
    send: get(
      `${maps}?limit=1`,
      times(3_000, (index) => `a/b${index};q=0.1`)
        .join(",")
        .slice(0, 60_000),
    ),
  },
  {
    name: "path-long",
    send: get(`/api/v1/namespaces/{ns}/configmaps/${"a/".repeat(30_000)}`),
  },
  { name: "path-escapes", send: get(`/apis/${"%2f".repeat(20_000)}`) },
  {
    name: "delete-collection",
    prepare: (target) =>
      fill(
        target,
        "crafted-deleted",
        times(2_000, (index) => ({ metadata: { name: `d${index}` } })),
      ),
    send: (target) => send(target, "DELETE", "/api/v1/namespaces/crafted-deleted/configmaps"),
  },
  whole("json", "application/json"),
  whole("yaml", "application/yaml"),
  whole("table", table),
  whole("table-with-objects", table, "?includeObject=Object"),
  whole("metadata", partial),
  whole("protobuf", protobuf),
  whole("pretty", "application/json", "?pretty=1"),
  {
    name: "one-large-yaml",
    prepare: prepareLarge,
    send: get(`${large}/n0`, "application/yaml"),
  },
  {
    name: "one-large-protobuf",
    prepare: prepareLarge,
    send: get(`${large}/n0`, protobuf),
  },
  {
    name: "one-large-table",
    prepare: prepareLarge,
    send: get(`${large}/n0`, table),
  },
  {
    name: "one-large-gzip",
    prepare: prepareLarge,
    send: (target) => target.ask(`${large}/n0`, { headers: { "accept-encoding": "gzip" } }),
  },
  {
    name: "list-large-gzip",
    prepare: prepareLarge,
    send: (target) => target.ask(large, { headers: { "accept-encoding": "gzip" } }),
  },
];

const history = "configmaps/old?namespace=crafted-history";

const insight: readonly Crafted[] = [
  insightOf("history", `/api/v1/history/${history}&limit=1000`),
  {
    name: "insight-diff",
    prepare: prepareHistory,
    send: async (target) => {
      const from = await firstRevision(target);
      return await target.ask(`/api/v1/diff/${history}&from=${from}`);
    },
  },
  {
    name: "insight-rollback",
    prepare: prepareHistory,
    send: async (target) => {
      const revision = Number(await firstRevision(target));
      const path = "/api/v1/rollback/configmaps/old?namespace=crafted-history";
      return await send(target, "POST", path, { revision });
    },
  },
  insightOf("counts", "/api/v1/counts?builtIn=true"),
  insightOf("problems", "/api/v1/problems"),
  insightOf("audit", "/api/v1/audit?limit=1000"),
  insightOf("audit-of-user", `/api/v1/audit?limit=1000&actor=${"a".repeat(200)}`),
  insightOf("resources", "/api/v1/resources/configmaps?limit=1000"),
  insightOf(
    "resources-filtered",
    "/api/v1/resources/configmaps?limit=1000&filter=name~9&sort=-created,name",
  ),
  insightOf(
    "resources-long-filter",
    `/api/v1/resources/configmaps?filter=${"name~a,".repeat(8_000)}`,
  ),
  insightOf("openapi", "/api/v1/openapi.json"),
  insightOf("doc", "/api/v1/doc"),
  insightOf("bad-cursor", `/api/v1/resources/configmaps?cursor=${"a".repeat(50_000)}`),
  {
    name: "insight-large-body",
    send: post("/api/v1/erase", { unknown: numbered(15_000, "k", () => 1) }),
  },
  {
    name: "events-of-resource",
    send: get("/api/v1/namespaces/{ns}/events?fieldSelector=involvedObject.name%3Dx"),
  },
  { name: "discovery", send: get("/apis") },
  {
    name: "discovery-aggregated",
    send: get("/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
  },
  { name: "metrics", send: get("/metrics") },
  { name: "readyz-verbose", send: get("/readyz?verbose") },
];

export const readRequests: readonly Crafted[] = [...lists, ...insight];
