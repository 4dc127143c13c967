// Whatever a client sends, the server answers for itself: no path, query or header that can be made
// up gives a 500 or leaves an error in the log.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import * as fc from "fast-check";
import { anyCharacter } from "../../src/kernel/arbitraries.ts";
import { configMaps, createSamples, group, widgets } from "./samples.ts";
import { pick, startKubeServer } from "./server.ts";
import type { KubeServer, RequestHeaders } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
  await createSamples(server);
});

after(async () => {
  await server.stop();
});

const runs = { numRuns: 400 };

async function assertAnswered(
  method: string,
  path: string,
  headers: RequestHeaders = {},
): Promise<void> {
  const { status, json, text } = await server.request(method, path, undefined, headers);
  assert.ok(status >= 200 && status < 500, `${method} ${path} gives ${status}: ${text}`);
  if (status >= 400 && pick(json, "kind") === "Status") assert.equal(pick(json, "code"), status);
  assert.deepEqual(server.errors, []);
}

const words = fc.constantFrom(
  "",
  "0",
  "1",
  "-1",
  "true",
  "false",
  "abc",
  "a,b",
  "=",
  "!",
  "a=b",
  "a in (b",
  "a!=",
  "\\",
  "metadata.name=a",
  "spec.color=red",
  "spec.size!=1",
  "Exact",
  "NotOlderThan",
  "99999999999",
  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
  "é",
  "\0",
  "1h",
  "5",
);
const anyText = fc.oneof(words, fc.string({ unit: anyCharacter, maxLength: 12 }));
const parameters = fc.constantFrom(
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "labelSelector",
  "timeout",
  "fieldSelector",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "timeoutSeconds",
  "pretty",
  "includeObject",
  "fieldManager",
  "dryRun",
  "fieldValidation",
  "verbose",
  "exclude",
  "hash",
);

const queries = fc
  .array(fc.tuple(parameters, anyText), { maxLength: 5 })
  .map((pairs) =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&"),
  )
  // A revision of the future would be waited for.
  .filter((text) => !/resourceVersion=\d{4}/.test(text));

it("answers any query string", async () => {
  const paths = fc.constantFrom(widgets, `${widgets}/a`, configMaps, "/api", "/livez", "/version");
  const ask = (path: string, text: string): Promise<void> =>
    assertAnswered("GET", `${path}?${text}`);
  await fc.assert(fc.asyncProperty(paths, queries, ask), runs);
});

it("answers any watch, which ends when its time is up", async () => {
  const ask = async (text: string): Promise<void> => {
    using watch = await server.watch(`${widgets}?watch=1&${text}`);
    assert.ok(watch.status < 500, text);
  };
  await fc.assert(fc.asyncProperty(queries, ask), { numRuns: 150 });
  assert.deepEqual(server.errors, []);
});

const printable = fc.string({ unit: "grapheme-ascii", maxLength: 10 });

it("answers any path and method", async () => {
  const segments = fc.oneof(
    fc.constantFrom("api", "apis", "v1", group, "namespaces", "team", "widgets", "a", "status"),
    fc.constantFrom("watch", "configmaps", "scale", "..", ".", "%2e%2e", "%2F", "%zz", "%00", ""),
    fc.constantFrom(
      "openapi",
      "v2",
      "v3",
      "healthz",
      "livez",
      "metrics",
      "version",
      "x".repeat(300),
    ),
    printable.map((text) => encodeURIComponent(text)),
  );
  const methods = fc.constantFrom("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH");
  const paths = fc.array(segments, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`);
  // What may run on for long is asked for in the test of watches.
  const brief = paths.filter((path) => !path.includes("/watch/"));
  const ask = (method: string, path: string): Promise<void> => assertAnswered(method, path);
  await fc.assert(fc.asyncProperty(methods, brief, ask), runs);
});

it("knows no type that is called like a member of every object", async () => {
  for (const type of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    for (const path of [widgets, `${configMaps}/cm1`]) {
      const { status } = await server.request("GET", path, undefined, { accept: type });
      assert.equal(status, 406, `${path} as ${type}`);
    }
    const headers = { "content-type": type };
    for (const path of [`${widgets}/a`, `${configMaps}/cm1`]) {
      const { status } = await server.request("PATCH", path, {}, headers);
      assert.equal(status, 415, `${path} patched with ${type}`);
    }
  }
});

it("answers any wish for a form", async () => {
  const types = fc.constantFrom(
    "application/json",
    "application/yaml",
    "*/*",
    "*",
    "text/html",
    "application/",
    ";",
    "=",
    "application/vnd.kubernetes.protobuf",
  );
  const options = fc.constantFrom(
    "as=Table",
    "as=PartialObjectMetadata",
    "as=PartialObjectMetadataList",
    "as=",
    "v=v1",
    "g=meta.k8s.io",
    "v=v2",
    "q=0.5",
    "q=x",
    "stream=watch",
    "pretty=1",
    "as=__proto__",
  );
  const clauses = fc
    .tuple(fc.oneof(types, printable), fc.array(options, { maxLength: 4 }))
    .map(([type, all]) => [type, ...all].join(";"));
  const accepts = fc.array(clauses, { maxLength: 4 }).map((all) => all.join(","));
  const paths = fc.constantFrom(widgets, `${configMaps}/cm1`, configMaps, "/apis", "/openapi/v2");
  const ask = (path: string, accept: string): Promise<void> =>
    assertAnswered("GET", path, { accept });
  await fc.assert(fc.asyncProperty(paths, accepts, ask), runs);
});
