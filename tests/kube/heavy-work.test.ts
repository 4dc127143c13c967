// Requests whose processing would block the event loop: the work is done by threads.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "../../src/kernel/json.ts";
import { formatYaml, parseYaml } from "../../src/kernel/yaml.ts";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import { waitUntil } from "../peers/wait.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const maps = "/api/v1/namespaces/default/configmaps";
const yaml = { "content-type": "application/yaml" };

async function heavyJobs(): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  return Number(/^setpoint_heavy_jobs_total (\d+)$/m.exec(text)?.[1]);
}

/** The number of jobs that ran in threads for the requests of `act`. */
async function jobsOf(act: () => Promise<unknown>): Promise<number> {
  const jobs = await heavyJobs();
  await act();
  return (await heavyJobs()) - jobs;
}

function configMap(name: string, lines: number): string {
  const data = Array.from({ length: lines }, (_, line) => `  key-${line}: "value"\n`).join("");
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${data}`;
}

test("a long YAML body is parsed by a thread", async () => {
  const jobs = await jobsOf(async () => {
    const { status, json } = await server.request("POST", maps, configMap("long", 2_000), yaml);
    assert.equal(status, 201);
    assert.equal(Object.keys((json as { data: object }).data).length, 2_000);
  });
  assert.equal(jobs, 1);
});

test("a long YAML body of a user without any role is parsed by a thread", async () => {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const headers = { ...yaml, "impersonate-user": "stranger" };
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("POST", path, `a: [${"a,".repeat(100_000)}a]`, headers);
    assert.equal(status, 422);
  });
  assert.equal(jobs, 1);
});

test("the body of a review is limited, because users without any role may send it", async () => {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const headers = { ...yaml, "impersonate-user": "stranger" };
  const { status } = await server.request("POST", path, `a: ${"a".repeat(300_000)}`, headers);
  assert.equal(status, 413);
});

test("a long YAML body that is not allowed is refused before it is parsed", async () => {
  const headers = { ...yaml, "impersonate-user": "stranger" };
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("POST", maps, configMap("not-mine", 2_000), headers);
    assert.equal(status, 403);
  });
  assert.equal(jobs, 0);
});

test("a long server-side apply in YAML is parsed by a thread", async () => {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const path = `${maps}/applied?fieldManager=test`;
  const jobs = await jobsOf(async () => {
    const { status } = await server.request("PATCH", path, configMap("applied", 2_000), headers);
    assert.equal(status, 201);
  });
  assert.equal(jobs, 1);
});

test("errors of a long YAML body name their lines", async () => {
  const body = `${configMap("twice", 2_000)}  key-0: again\n`;
  const path = `${maps}?fieldValidation=Strict`;
  const { status, text } = await server.request("POST", path, body, yaml);
  assert.equal(status, 400);
  assert.match(text, /line 2006: key \\"key-0\\" already set in map/);
});

test("a YAML body whose aliases describe a document over the limit is refused", async () => {
  const aliases = "  - *long\n".repeat(90);
  const body = `apiVersion: v1\nkind: ConfigMap\na: &long ${"a".repeat(100_000)}\nb:\n${aliases}`;
  const { status } = await server.request("POST", maps, body, yaml);
  assert.equal(status, 413);
});

test("short YAML bodies and JSON in a YAML body are parsed at once", async () => {
  const jobs = await jobsOf(async () => {
    const short = await server.request("POST", maps, configMap("short", 10), yaml);
    assert.equal(short.status, 201);
    const data = { text: "x".repeat(100_000) };
    const json = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "json" }, data };
    const long = await server.request("POST", maps, JSON.stringify(json), yaml);
    assert.equal(long.status, 201);
  });
  assert.equal(jobs, 0);
});

const listed = "/api/v1/namespaces/lists/configmaps";

/** Three documents of 600 KB, which are a long list in three parts. */
async function createLongList(): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "lists" } };
  const { status } = await server.request("POST", "/api/v1/namespaces", namespace);
  assert.equal(status, 201);
  for (const name of ["a", "b", "c"]) {
    const data = { text: "x".repeat(600_000), lines: `${name}\n- 1\n"quoted"\n`, number: "1e3" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
    const created = await server.request("POST", listed, map);
    assert.equal(created.status, 201);
  }
}

/** A Table shows ages, which grow between two requests. */
function ageless(reply: Reply | undefined): string | undefined {
  return reply?.bytes.toString("latin1").replaceAll(/"\d+[smh]"|- \d+[smh]$/gm, "age");
}

test("long lists in other forms than JSON are made by threads, in parts", async (t) => {
  await createLongList();
  const { json: now } = await server.request("GET", listed);
  // The server writes, too: all lists are of one revision.
  const revision = pickText(now, "metadata.resourceVersion");
  const at = `resourceVersionMatch=Exact&resourceVersion=${revision}`;
  const { json: list } = await server.request("GET", `${listed}?${at}`);
  const forms: Readonly<Record<string, readonly [accept: string, query: string]>> = {
    yaml: ["application/yaml", ""],
    pretty: ["application/json", "pretty=1"],
    metadata: ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ""],
    table: ["application/json;as=Table;g=meta.k8s.io;v=v1", "includeObject=Object"],
    "table as YAML": ["application/yaml;as=Table;g=meta.k8s.io;v=v1", ""],
    protobuf: ["application/vnd.kubernetes.protobuf", ""],
  };
  const replies = new Map<string, Reply>();
  for (const [name, [accept, query]] of Object.entries(forms)) {
    for (const limit of ["", "&limit=3"]) {
      const jobs = await jobsOf(async () => {
        const reply = await server.request("GET", `${listed}?${at}&${query}${limit}`, undefined, {
          accept,
        });
        assert.equal(reply.status, 200, name);
        if (limit === "") replies.set(name, reply);
        else assert.equal(ageless(reply), ageless(replies.get(name)), `${name} as a page`);
      });
      assert.equal(jobs, name === "protobuf" ? 1 : 3, `${name}${limit}`);
    }
  }
  const textOf = (name: string): string => replies.get(name)?.text ?? "";
  await t.test("YAML of a long list is the YAML of the whole", () => {
    assert.equal(textOf("yaml"), formatYaml(list as Json));
  });
  await t.test("JSON for people is indented as a whole", () => {
    assert.equal(textOf("pretty"), JSON.stringify(list, undefined, 2));
  });
  await t.test("rows and metadata of a long list are complete", () => {
    const rows = pickList(JSON.parse(textOf("table")), "rows");
    const items = pickList(list, "items");
    assert.deepEqual(
      rows.map((row) => pick(row, "object.data")),
      items.map((item) => pick(item, "data")),
    );
    assert.equal(pick(rows[0], "object.kind"), "ConfigMap");
    const metadata = pickList(JSON.parse(textOf("metadata")), "items");
    assert.deepEqual(
      metadata.map((item) => pick(item, "metadata")),
      items.map((item) => pick(item, "metadata")),
    );
  });
  await t.test("a Table in YAML has its rows at the end", () => {
    const { value } = parseYaml(textOf("table as YAML"), lenient);
    assert.equal(pickList(value, "rows").length, 3);
    assert.equal(pick(value, "kind"), "Table");
  });
});

const lenient = { maxChars: 10_000_000, maxAliases: 0, isLenient: true } as const;

test("the form of one long document is made by a thread", async () => {
  const { json: map } = await server.request("GET", `${listed}/a`);
  const jobs = await jobsOf(async () => {
    const yamlReply = await server.request("GET", `${listed}/a`, undefined, {
      accept: "application/yaml",
    });
    assert.equal(yamlReply.text, formatYaml(map as Json));
    const table = await server.request("GET", `${listed}/a`, undefined, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    });
    assert.equal(pickList(table.json, "rows").length, 1);
  });
  assert.equal(jobs, 2);
});

test("a long list without items is an empty list in YAML", async () => {
  const query = `${listed}?labelSelector=none`;
  const { text } = await server.request("GET", query, undefined, { accept: "application/yaml" });
  assert.match(text, /^apiVersion: v1\nitems: \[\]\nkind: ConfigMapList\n/);
});

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(plural: string, spec: object): object {
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1);
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.heavy.dev` },
    spec: {
      group: "heavy.dev",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

test("a large definition is checked by a thread, and a small one is not", async () => {
  const create = async (plural: string, count: number, wrong: object = {}): Promise<Reply> => {
    const fields = Array.from({ length: count }, (_, index) => [`f${index}`, { type: "string" }]);
    const spec = { type: "object", properties: Object.fromEntries(fields) as object, ...wrong };
    return await server.request("POST", definitions, definition(plural, spec));
  };
  const jobs = await jobsOf(async () => {
    assert.equal((await create("smalls", 10)).status, 201);
  });
  assert.equal(jobs, 0);
  const more = await jobsOf(async () => {
    assert.equal((await create("larges", 3_000)).status, 201);
    const refused = await create("wrongs", 3_000, { additionalProperties: { type: "string" } });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /additionalProperties and properties are mutual exclusive/);
  });
  assert.equal(more, 2);
});

test("a document that multiplies the rules of its kind is checked by a thread", async () => {
  const anyOf = Array.from({ length: 300 }, (_, index) => ({ pattern: `^x${index}$` }));
  const spec = { type: "array", items: { type: "string", anyOf } };
  assert.equal((await server.request("POST", definitions, definition("joins", spec))).status, 201);
  // The server writes the status of the definition afterwards, which checks it by a thread again.
  await waitUntil("the status of the definition", async () => {
    const { text } = await server.request("GET", `${definitions}/joins.heavy.dev`);
    return text.includes('"Established"');
  });
  const create = (name: string, items: readonly string[]): Promise<Reply> =>
    server.request("POST", "/apis/heavy.dev/v1/namespaces/default/joins", {
      apiVersion: "heavy.dev/v1",
      kind: "Join",
      metadata: { name },
      spec: items,
    });
  const jobs = await jobsOf(async () => {
    assert.equal((await create("short", ["x299"])).status, 201);
  });
  assert.equal(jobs, 0);
  const more = await jobsOf(async () => {
    const items = Array.from({ length: 10_000 }, () => "x299");
    assert.equal((await create("long", items)).status, 201);
    const refused = await create("wrong", [...items, "y"]);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /spec\[10000\]/);
  });
  assert.equal(more, 2);
});
