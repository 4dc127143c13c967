// Documents as strangers write them: broken, in many files, and hostile.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { loadDocument } from "./load.ts";
import { isInnerHost, refusalOf, targetOf } from "./location.ts";
import { madeUp, madeUpRoot } from "./made-up.ts";
import { below, follow, keyOf, placeAt, rootOf } from "./place.ts";

const empty = { swagger: "2.0", paths: {} };

test("YAML with a byte order mark, merge keys and repeated keys is read", async () => {
  const text = [
    "\uFEFFswagger: '2.0'",
    "x-errors: &errors",
    "  '404': {description: none}",
    "paths:",
    "  /a:",
    "    get:",
    "      responses:",
    "        '200': {description: one}",
    "        <<: *errors",
    "      summary: a",
    "      summary: b",
    "x-large: 18446744073709551615",
  ].join("\n");
  const { files, problems } = await madeUp({ "a.yaml": text });
  const responses = { "200": { description: "one" }, "404": { description: "none" } };
  const paths = { "/a": { get: { responses, summary: "b" } } };
  assert.deepEqual((files.get(madeUpRoot) as { paths: Json }).paths, paths);
  assert.deepEqual(
    problems.all().map(({ severity, message }) => `${severity}: ${message}`),
    ['warning: line 11: key "summary" already set in map'],
  );
});

test("a document in many files is read, and what is missing is named with its place", async () => {
  const documents = await madeUp({
    root: {
      ...empty,
      definitions: {
        A: { $ref: "./types/a.json#/definitions/A" },
        B: { $ref: "./gone.json#/definitions/B" },
        C: { $ref: "#/definitions/Nobody" },
        D: { $ref: "./types/broken.yaml" },
      },
      "x-ms-examples": { one: { $ref: "./examples/one.json" } },
    },
    "types/a.json": { definitions: { A: { $ref: "../types/b.yaml#/B" } } },
    "types/b.yaml": "B: {type: string}",
    "types/broken.yaml": "a: [1",
  });
  const at = (name: string) => {
    const place = below(rootOf(documents), "definitions", name);
    assert.ok(place);
    return follow(documents, place);
  };
  assert.deepEqual(at("A").layers.at(-1)?.node, { type: "string" });
  for (const name of ["B", "C"]) assert.equal(at(name).layers.length, 1);
  const problems = documents.problems
    .all()
    .map((one) => `${one.severity} ${one.pointer}: ${one.message}`);
  assert.deepEqual(problems, [
    "error /definitions/B: ./gone.json#/definitions/B cannot be read: no such file",
    "error /definitions/D: ./types/broken.yaml cannot be read: yaml: did not find expected key",
    "note /x-ms-examples/one: ./examples/one.json cannot be read: no such file",
    "error /definitions/B: ./gone.json#/definitions/B is not in a file that was read",
    "error /definitions/C: #/definitions/Nobody does not exist",
  ]);
});

test("a response called default may be in another file", async () => {
  const documents = await madeUp({
    root: {
      openapi: "3.0.0",
      paths: { "/a": { get: { responses: { default: { $ref: "e.yml" } } } } },
    },
    "e.yml": { description: "An error." },
  });
  assert.equal(documents.files.size, 2);
});

test("keys beside a reference win over what it leads to", async () => {
  const documents = await madeUp({
    root: {
      ...empty,
      definitions: {
        Shared: { type: "string", description: "shared" },
        Used: { $ref: "#/definitions/Shared", readOnly: true, description: "used" },
      },
    },
  });
  const used = placeAt(documents, "#/definitions/Used", rootOf(documents));
  assert.ok(used);
  const schema = follow(documents, used);
  assert.deepEqual(
    ["type", "description", "readOnly"].map((key) => keyOf(schema, key)?.node),
    ["string", "used", true],
  );
});

test("references in a circle end", async () => {
  const documents = await madeUp({
    root: { ...empty, a: { $ref: "#/b" }, b: { $ref: "#/c" }, c: { $ref: "#/a" } },
  });
  const a = below(rootOf(documents), "a");
  assert.ok(a);
  assert.equal(follow(documents, a).layers.length, 4);
  assert.equal(documents.problems.all()[0]?.message, "#/b refers to itself");
});

test("data that looks like a reference is none", async () => {
  const documents = await madeUp({
    root: {
      ...empty,
      example: { $ref: "./no.json" },
      definitions: {
        A: {
          default: { $ref: "./no.json" },
          properties: { $ref: { type: "string" }, example: { $ref: "#/definitions/B" } },
        },
        B: { enum: [{ $ref: "./no.json" }] },
      },
    },
  });
  assert.deepEqual(documents.problems.all(), []);
});

test("references lead nowhere that the author of a document cannot reach", () => {
  const web = { root: "https://example.com/a/openapi.json", allowed: ["http://10.0.0.7:8080"] };
  const own = { root: "file:///specs/openapi.json", allowed: [] };
  const cases: readonly (readonly [string, typeof web, RegExp | undefined])[] = [
    ["https://example.com/b.json", web, undefined],
    ["http://10.0.0.7:8080/b.json", web, undefined],
    [
      "http://example.com/b.json",
      web,
      /a different origin; allow it with --allow-ref http:\/\/exa/,
    ],
    ["https://example.com:8443/b.json", web, /a different origin/],
    ["https://other.com/b.json", web, /a different origin/],
    ["http://169.254.169.254/latest/meta-data", web, /private network/],
    ["http://2130706433/x.json", web, /http:\/\/127\.0\.0\.1 is in a private network/],
    ["http://[::ffff:127.0.0.1]/x.json", web, /private network/],
    ["http://localhost./x.json", web, /private network/],
    ["https://u:p@example.com/b.json", web, /credentials/],
    ["file:///etc/passwd", web, /must not refer to local files/],
    ["ftp://example.com/x.json", web, /ftp:/],
    ["data:application/json,{}", web, /data:/],
    ["file:///specs/other.yaml", own, undefined],
    ["file:///etc/passwd", own, /only files whose names end/],
    ["file://server/share/a.json", own, /other hosts/],
    ["http://127.0.0.1/x.json", own, /private network/],
  ];
  for (const [ref, policy, expected] of cases) {
    const target = targetOf(ref, policy.root);
    assert.ok(target, ref);
    const refusal = refusalOf(target.file, policy);
    if (expected === undefined) assert.equal(refusal, undefined, ref);
    else assert.match(refusal ?? "", expected, ref);
  }
  for (const host of [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "[::1]",
    "fd00::1",
    "fe80::1",
    "0.0.0.0",
  ]) {
    assert.ok(isInnerHost(host), host);
  }
  for (const host of ["8.8.8.8", "172.32.0.1", "example.com", "2606:4700::1"]) {
    assert.ok(!isInnerHost(host), host);
  }
});

test("a refused reference is a problem, and nobody is asked", async () => {
  const asked: string[] = [];
  const root = "https://example.com/openapi.json";
  const text = JSON.stringify({ ...empty, a: { $ref: "http://127.0.0.1:9/secret.json" } });
  const { problems } = await loadDocument(root, (file) => {
    asked.push(file);
    return Promise.resolve(text);
  });
  assert.deepEqual(asked, [root]);
  assert.match(
    problems.all()[0]?.message ?? "",
    /is not read: http:\/\/127\.0\.0\.1:9 is in a private network/,
  );
});

test("files, bytes and depth are bounded", async () => {
  let reads = 0;
  const next = (file: string): Promise<string> => {
    reads += 1;
    const number = Number(/(\d+)\.json$/.exec(file)?.[1] ?? 0);
    return Promise.resolve(JSON.stringify({ ...empty, a: { $ref: `./${number + 1}.json` } }));
  };
  const { files, problems } = await loadDocument("file:///d/0.json", next);
  assert.equal(files.size, connectLimits.maxFiles);
  assert.equal(reads, connectLimits.maxFiles);
  assert.match(problems.all().at(-1)?.message ?? "", /more than 5000 files/);
  const deep = `{"swagger":"2.0","paths":${"[".repeat(500)}${"]".repeat(500)}}`;
  await assert.rejects(
    loadDocument(madeUpRoot, () => Promise.resolve(deep)),
    /nesting is too deep/,
  );
  const huge = " ".repeat(connectLimits.maxFileBytes + 1);
  await assert.rejects(
    loadDocument(madeUpRoot, () => Promise.resolve(huge)),
    /too large/,
  );
  await assert.rejects(
    loadDocument(madeUpRoot, () => Promise.resolve("hello")),
    /not an OpenAPI/,
  );
});
