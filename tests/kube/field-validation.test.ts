// Unknown and repeated fields of custom resources: each way of writing, as JSON and as YAML, for a
// schema that prunes and for one that keeps unknown fields, with each value of fieldValidation.
// Orders and texts are those of kube-apiserver: repeated fields in the order of the text, unknown
// ones sorted, those of embedded resources last.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";
import { applyPatch, given, jsonPatch, mergePatch } from "./widget-kinds.ts";

const group = "strict.dev";
const yaml: RequestHeaders = { "content-type": "application/yaml" };
const json: RequestHeaders = { "content-type": "application/json" };
const text = { type: "string" };

let server: KubeServer;
before(async () => {
  server = await startKubeServer();
  for (const plural of ["closed", "open"]) await define(plural);
});
after(async () => {
  assert.deepEqual(server.errors, []);
  await server.stop();
});

const schema = (more: object): object => ({
  type: "object",
  properties: {
    spec: {
      type: "object",
      ...more,
      properties: {
        color: text,
        shelves: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["row"],
          items: {
            type: "object",
            required: ["row"],
            properties: { row: { type: "integer" }, label: text },
          },
        },
        inner: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { metadata: { type: "object" } },
        },
      },
    },
  },
});

async function define(plural: string): Promise<void> {
  const kind = plural === "open" ? "Open" : "Closed";
  const more = plural === "open" ? { "x-kubernetes-preserve-unknown-fields": true } : {};
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema(more) },
  };
  given(
    await server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: "Cluster", names: { plural, kind }, versions: [version] },
    }),
    201,
  );
}

const head = (plural: string): string =>
  `"apiVersion":"${group}/v1","kind":"${plural === "open" ? "Open" : "Closed"}"`;

const badSpec =
  '{"zebra":"1","twice":"1","twice":"2","color":"a","color":"b",' +
  '"shelves":[{"row":1,"label":"x","label":"y","extra":1}]';
const badInner = '"inner":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"i","odd":"1"}}';

function badJson(plural: string, name: string, revision = ""): string {
  const metadata = `"metadata":{"name":"wrong","name":"${name}"${revision},"odd":"1"}`;
  return `{${head(plural)},${metadata},"spec":${badSpec},${badInner}}}`;
}

function badYaml(plural: string, name: string, revision = ""): string {
  return `apiVersion: ${group}/v1
kind: ${plural === "open" ? "Open" : "Closed"}
metadata:
  name: wrong
  name: "${name}"
  odd: "1"${revision}
spec:
  zebra: "1"
  twice: "1"
  twice: "2"
  color: a
  color: b
  shelves:
  - row: 1
    label: x
    label: y
    extra: 1
  inner:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: i
      odd: "1"
`;
}

const fields = (word: string, ...paths: string[]): string[] =>
  paths.map((path) => `${word} field "${path}"`);
const shelf = "spec.shelves[0]";
const repeatedInSpec = fields("duplicate", "spec.twice", "spec.color", `${shelf}.label`);
const repeatedLines = [
  'line 5: key "name" already set in map',
  'line 10: key "twice" already set in map',
  'line 12: key "color" already set in map',
  'line 16: key "label" already set in map',
];

function unknownOf(plural: string, ...own: string[]): readonly string[] {
  const kept = plural === "open" ? own.filter((path) => path.startsWith(shelf)) : own;
  return fields("unknown", ...kept);
}

function wholeUnknown(plural: string): readonly string[] {
  const inSpec = unknownOf(plural, `${shelf}.extra`, "spec.twice", "spec.zebra");
  const embedded = fields("unknown", "spec.inner.metadata.odd");
  return [...fields("unknown", "metadata.odd"), ...inSpec, ...embedded];
}

interface Way {
  readonly title: string;
  readonly problems: (plural: string) => readonly string[];
  /** How a strict refusal joins them. */
  readonly refusal?: (problems: readonly string[]) => string;
  readonly send: (plural: string, name: string, query: string) => Promise<Reply>;
}

const pathOf = (plural: string, name = ""): string =>
  `/apis/${group}/v1/${plural}${name === "" ? "" : `/${name}`}`;

async function made(plural: string, name: string): Promise<string> {
  const body = `{${head(plural)},"metadata":{"name":"${name}"},"spec":{"shelves":[{"row":1}]}}`;
  const created = given(await server.request("POST", pathOf(plural), body, json), 201);
  return pickText(created, "metadata.resourceVersion");
}

const afterYaml = (problems: readonly string[]): string => {
  const lines = problems.filter((problem) => problem.startsWith("line"));
  const others = problems.filter((problem) => !problem.startsWith("line"));
  return [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`, ...others].join(", ");
};

const jsonProblems = (plural: string): readonly string[] => [
  ...fields("duplicate", "metadata.name"),
  ...repeatedInSpec,
  ...wholeUnknown(plural),
];
const yamlProblems = (plural: string): readonly string[] => [
  ...repeatedLines,
  ...wholeUnknown(plural),
];

const operations = `[
  {"op":"add","path":"/spec/zebra","value":"1","foo":"bar"},
  {"op":"add","path":"/spec/lost","path":"/spec/found","value":"2"},
  {"op":"add","path":"/spec/shelves/0/extra","value":1}
]`;

const ways: readonly Way[] = [
  {
    title: "a creation in JSON",
    problems: jsonProblems,
    send: async (plural, name, query) =>
      await server.request("POST", `${pathOf(plural)}${query}`, badJson(plural, name), json),
  },
  {
    title: "a creation in YAML",
    problems: yamlProblems,
    refusal: afterYaml,
    send: async (plural, name, query) =>
      await server.request("POST", `${pathOf(plural)}${query}`, badYaml(plural, name), yaml),
  },
  {
    title: "a replacement in JSON",
    problems: jsonProblems,
    send: async (plural, name, query) => {
      const revision = `,"resourceVersion":"${await made(plural, name)}"`;
      const body = badJson(plural, name, revision);
      return await server.request("PUT", `${pathOf(plural, name)}${query}`, body, json);
    },
  },
  {
    title: "a replacement in YAML",
    problems: (plural) =>
      yamlProblems(plural).map((problem) =>
        problem.replace(/^line (1\d)/, (_, line: string) => `line ${Number(line) + 1}`),
      ),
    refusal: afterYaml,
    send: async (plural, name, query) => {
      const revision = `\n  resourceVersion: "${await made(plural, name)}"`;
      const body = badYaml(plural, name, revision);
      return await server.request("PUT", `${pathOf(plural, name)}${query}`, body, yaml);
    },
  },
  {
    title: "a merge patch",
    problems: (plural) => [
      ...repeatedInSpec,
      ...unknownOf(plural, `${shelf}.extra`, "spec.twice", "spec.zebra"),
    ],
    send: async (plural, name, query) => {
      await made(plural, name);
      const path = `${pathOf(plural, name)}${query}`;
      return await server.request("PATCH", path, `{"spec":${badSpec}}}`, mergePatch);
    },
  },
  {
    title: "a JSON patch",
    problems: (plural) => [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[1].path"',
      ...unknownOf(plural, "spec.found", `${shelf}.extra`, "spec.zebra"),
    ],
    send: async (plural, name, query) => {
      await made(plural, name);
      const path = `${pathOf(plural, name)}${query}`;
      return await server.request("PATCH", path, operations, jsonPatch);
    },
  },
  {
    title: "an apply",
    problems: () => [
      'line 4: key "color" already set in map',
      'line 5: key "label" already set in map',
    ],
    refusal: (problems) =>
      `error strict decoding YAML: error converting YAML to JSON: ${afterYaml(problems)}`,
    send: async (plural, name, query) => {
      const config = `{${head(plural)},\n"metadata":{"name":"${name}"},\n"spec":{"color":"a",
"color":"b",\n"shelves":[{"row":1,"label":"x","label":"y"}]}}`;
      const path = `${pathOf(plural, name)}${query}&fieldManager=m`;
      return await server.request("PATCH", path, config, applyPatch);
    },
  },
];

for (const plural of ["closed", "open"]) {
  for (const [index, { title, problems, refusal, send }] of ways.entries()) {
    describe(`${title} of a kind that is ${plural}`, () => {
      const warningsOf = ({ headers }: Reply): readonly string[] =>
        [...(headers["warning"] ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
          ([, quoted = ""]) => quoted.replaceAll(/\\(.)/g, "$1"),
        );

      it("is refused by Strict, which names every problem", async () => {
        const reply = await send(plural, `strict-${index}`, "?fieldValidation=Strict");
        assert.ok([400, 422].includes(reply.status), reply.text);
        const joined = (refusal ?? ((all) => all.join(", ")))(problems(plural));
        const expected = joined.startsWith("error ") ? joined : `strict decoding error: ${joined}`;
        const message = pickText(reply.json, "message");
        assert.equal(message.slice(-expected.length), expected);
      });

      for (const [mode, query] of [
        ["Warn", "?fieldValidation=Warn"],
        ["none", "?"],
      ]) {
        it(`is accepted with warnings by ${mode}`, async () => {
          const reply = await send(plural, `${mode?.toLowerCase()}-${index}`, query ?? "");
          assert.ok(reply.status < 300, reply.text);
          assert.deepEqual(warningsOf(reply), problems(plural));
        });
      }

      it("is accepted without warnings by Ignore", async () => {
        const reply = await send(plural, `ignore-${index}`, "?fieldValidation=Ignore");
        assert.ok(reply.status < 300, reply.text);
        assert.deepEqual(warningsOf(reply), []);
        assert.equal(pick(reply.json, "metadata.odd"), undefined);
      });
    });
  }
}
