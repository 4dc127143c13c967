import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { defineKind } from "../../../kernel/kind.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { limits } from "../../../kernel/limits.ts";
import { atOnce } from "../../../kernel/sliced.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { compileSpec, slicedCompilation } from "./compile.ts";
import type { CompiledTemplate } from "./compile.ts";
import { expand } from "./expand.ts";
import type { Expansion } from "./expand.ts";
import { renderPartly, renderTarget } from "./render.ts";
import type { FoundKind } from "./target-types.ts";

const database: Kind = defineKind({
  group: "example.dev",
  names: { plural: "databases", kind: "Database" },
  scope: "Namespaced",
  versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" } }],
  fieldRules: [{ path: "/spec/password", rule: "secret" }],
});

const kindOf = (apiVersion: string, kind: string): FoundKind | undefined => {
  return apiVersion === "example.dev/v1" && kind === "Database" ? { kind: database } : undefined;
};

function entry(key: string, more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { key, template: { apiVersion: "example.dev/v1", kind: "Database", spec }, ...more };
}

function errorsOf(spec: JsonObject): readonly string[] {
  return compileSpec(spec, kindOf).errors.map(({ path, detail }) => `${path}: ${detail}`);
}

function compiled(spec: JsonObject): CompiledTemplate {
  const { template, errors } = compileSpec(spec, kindOf);
  assert.deepEqual(errors, []);
  return template;
}

function expanded(spec: JsonObject, parameters: JsonObject = {}): Expansion {
  const steps = expand({
    environment: { name: "e", displayName: "E", namespace: "n", tags: {} },
    templates: [{ name: "t.v1", compiled: compiled(spec) }],
    parameters: { plain: parameters, secret: { token: "s3" } },
    secrets: { key: "generated" },
    serviceAccountName: "environment",
  });
  return atOnce(steps);
}

test("dependencies are inferred from expressions and joined with explicit ones", () => {
  const template = compiled({
    resources: [
      entry("db"),
      entry("cache"),
      entry("web", { dependsOn: ["cache"] }, { url: "${resources.db.outputs.url}" }),
    ],
  });
  assert.deepEqual([...(template.graph.get("web") ?? [])].toSorted(), ["cache", "db"]);
});

test("a cycle of dependencies is refused and named in its order", () => {
  const resources = [
    entry("a", { dependsOn: ["c"] }),
    entry("b", {}, { x: "${resources.a.outputs.x}" }),
    entry("c", { dependsOn: ["b"] }),
  ];
  assert.deepEqual(errorsOf({ resources }), [
    "spec.resources: the dependencies have a cycle: a -> c -> b -> a",
  ]);
  assert.deepEqual(errorsOf({ resources: [entry("a", { dependsOn: ["a"] })] }), [
    "spec.resources: the dependencies have a cycle: a -> a",
  ]);
});

test("an unknown reference names its field and the nearest name", () => {
  const resources = [
    entry("database", { outputs: { host: "resource.status.host" } }),
    entry(
      "web",
      { dependsOn: ["databse", "external/dns"] },
      { a: "${resources.databas.outputs.x}" },
    ),
    entry("api", {}, { b: ["${parameters.siz}"], c: "${resources.database.outputs.hosst}" }),
    entry("job", {}, { d: "${resources[parameters.size].outputs.x}", e: "${resources.web.state}" }),
  ];
  assert.deepEqual(errorsOf({ resources, parameters: { size: { type: "string" } } }), [
    "spec.resources[1].template.spec.a: resources.databas.outputs.x: " +
      "the template has no resource databas; did you mean database?",
    "spec.resources[1].dependsOn[0]: the template has no resource databse; did you mean database?",
    "spec.resources[1].dependsOn[1]: the template has no external dns",
    "spec.resources[2].template.spec.b[0]: parameters.siz: " +
      "the template has no parameter siz; did you mean size?",
    "spec.resources[2].template.spec.c: resources.database.outputs.hosst: " +
      "the resource has no output hosst; did you mean host?",
    "spec.resources[3].template.spec.d: resources.*.outputs.x: the name must be written in the " +
      "expression, as in resources.KEY: it decides the dependencies",
    "spec.resources[3].template.spec.e: resources.web.state: " +
      "a resource has outputs and secretOutputs",
  ]);
});

test("a dependency on a declared external is accepted", () => {
  const resources = [entry("web", { dependsOn: ["external/dns"] })];
  const template = compiled({ resources, externals: [{ name: "dns", resource: "corporate-dns" }] });
  assert.equal(template.externals.get("dns"), "corporate-dns");
});

test("an expression that reads a secret can fill only a secret field", () => {
  const parameters = { token: { type: "string", secret: true } };
  const ok = {
    parameters,
    secrets: [{ name: "key" }],
    resources: [
      entry("a", {}, { password: "${parameters.token}-${secrets.key}" }),
      entry("b", {}, { password: "${resources.a.secretOutputs.p}" }),
    ],
  };
  assert.deepEqual(errorsOf(ok), []);
  const leaks = [
    entry("a", { entryPoints: [{ name: "x", url: "https://h/${parameters.token}" }] }),
    entry("b", {}, { name: "${resources.a.secretOutputs.p}" }),
    entry("c", {}, { list: ["${parameters.token}"], n: "${[1].map(i, secrets.key)[0]}" }),
    entry("d", {}, { n: "${resources.a.map(i, i.secretOutputs.p)}" }),
  ];
  const found = errorsOf({ parameters, secrets: [{ name: "key" }], resources: leaks });
  assert.deepEqual(
    found.map((text) => text.slice(0, text.indexOf(", and"))),
    [
      "spec.resources[0].entryPoints[0].url: reads the secret parameters.token",
      "spec.resources[1].template.spec.name: reads the secret resources.a.secretOutputs.p",
      "spec.resources[2].template.spec.list[0]: reads the secret parameters.token",
      "spec.resources[2].template.spec.n: reads the secret secrets.key",
      "spec.resources[3].template.spec.n: reads the secret resources.a.*.secretOutputs.p",
    ],
  );
});

test("an unknown kind and a duplicate key are refused at their fields", () => {
  const other = { key: "x", template: { apiVersion: "v1", kind: "Nothing" } };
  assert.deepEqual(errorsOf({ resources: [other] }), [
    "spec.resources[0].template.kind: no kind Nothing is served in v1: " +
      "install its definition first",
  ]);
  assert.deepEqual(errorsOf({ resources: [entry("x"), entry("x")] }), ["spec.resources[1].key: "]);
});

test("groups with unknown links or a cycle are refused, and order their resources", () => {
  const groups = [
    { id: "one", dependsOn: ["two"] },
    { id: "two", dependsOn: ["one"] },
  ];
  assert.deepEqual(errorsOf({ resources: [], resourceGroups: groups }), [
    "spec.resourceGroups: the groups have a cycle: one -> two -> one",
  ]);
  const links = [{ id: "net", resources: [{ id: "vpcc" }], dependsOn: ["nett"] }];
  assert.deepEqual(errorsOf({ resources: [entry("vpc")], resourceGroups: links }), [
    "spec.resourceGroups[0].resources[0].id: the template has no resource vpcc; did you mean vpc?",
    "spec.resourceGroups[0].dependsOn[0]: the template has no group nett; did you mean net?",
  ]);
  const template = compiled({
    resources: [entry("vpc", { group: "net" }), entry("web", { group: "apps" })],
    resourceGroups: [{ id: "net" }, { id: "apps", dependsOn: ["net"] }],
  });
  assert.deepEqual(template.graph.get("web"), ["vpc"]);
});

test("a count yields positions, and a dependant waits for all of them", () => {
  const spec = {
    parameters: { n: { type: "integer" } },
    resources: [entry("web", { count: "${parameters.n}" }), entry("lb", { dependsOn: ["web"] })],
  };
  const three = expanded(spec, { n: 3 });
  assert.deepEqual(
    three.instances.map(({ name }) => name),
    ["e.web.0", "e.web.1", "e.web.2", "e.lb"],
  );
  assert.deepEqual(three.instances[3]?.spec["dependsOn"], ["e.web.0", "e.web.1", "e.web.2"]);
  assert.equal(expanded(spec, { n: 0 }).instances.length, 1);
  assert.match(
    expanded(spec, { n: 2.5 }).errors[0]?.detail ?? "",
    /^t.v1: spec.resources\[0\].count: the value must be a whole number from 0 to 1000/,
  );
});

test("an instance has the values that its expressions read and no others", () => {
  const spec = {
    parameters: {
      a: { type: "string" },
      b: { type: "string" },
      token: { type: "string", secret: true },
    },
    secrets: [{ name: "key" }],
    resources: [
      entry("x", {}, { v: "${parameters.a}", n: "${environment.name}" }),
      entry("y", {}, { password: "${parameters.token}${secrets.key}" }),
    ],
  };
  const { instances } = expanded(spec, { a: "1", b: "2" });
  assert.deepEqual(instances[0]?.spec["input"], {
    parameters: { a: "1" },
    environment: { name: "e" },
  });
  assert.deepEqual(instances[1]?.spec["input"], {
    secrets: { parameters: { token: "s3" }, secrets: { key: "generated" } },
  });
});

test("a secret is not there for a text outside of a secret field", () => {
  const spec = {
    resources: [entry("a"), entry("b", {}, { n: "${size(resources.a)}", all: "${resources.a}" })],
  };
  const { document } = compiled(spec).entries.get("b")?.entry ?? assert.fail();
  const resources = new Map<string, JsonObject>([
    ["a", { outputs: { host: "h" }, secretOutputs: { p: "s3cret" } }],
  ]);
  const input = { document, spec: {}, resources, externals: new Map(), kind: database };
  const rendered: Json = renderTarget(input);
  assert.deepEqual(rendered["spec"], { n: 1, all: { outputs: { host: "h" } } });
});

test("texts that wait for outputs are deferred and never guessed", () => {
  const spec = {
    resources: [entry("a"), entry("b", {}, { url: "http://${resources.a.outputs.h}", size: 3 })],
  };
  const { document } = compiled(spec).entries.get("b")?.entry ?? assert.fail();
  const input = { document, spec: {}, resources: new Map(), externals: new Map(), kind: database };
  const { document: part, deferred } = renderPartly(input, () => false);
  assert.deepEqual(part["spec"], { size: 3 });
  assert.deepEqual(
    deferred.map(({ text, on }) => [text.place.join("."), on]),
    [["spec.url", ["a"]]],
  );
});

test("a template with very many wrong names is refused after some errors", () => {
  const names = Array.from({ length: 300 }, (_, at) => `resource-numer-${at}`);
  const resources = Array.from({ length: 300 }, (_, at) =>
    entry(`resource-number-${at}`, { dependsOn: names }),
  );
  const errors = errorsOf({ resources });
  assert.ok(errors.length < 2 * limits.maxSchemaErrors, String(errors.length));
  const suggestions = errors.filter((error) => error.includes("did you mean"));
  assert.equal(suggestions.length, limits.maxSuggestions);
});

test("compilation pauses between entries, and a count between expansions", () => {
  const spec = {
    parameters: { a: { type: "string" }, b: { type: "string" } },
    resources: Array.from({ length: 50 }, (_, at) => entry(`r${at}`)),
  };
  assert.ok(pausesIn(slicedCompilation(spec, kindOf)) >= 102);
});

test("the counts of an environment share a limited amount of work", () => {
  const numbers = Array.from({ length: 300 }, (_, at) => at);
  const count = "${parameters.n.filter(a, parameters.n.exists(b, a == b + 200)).size() * 0}";
  const { errors } = expanded(
    {
      parameters: { n: { type: "array", items: { type: "integer" } } },
      resources: Array.from({ length: 100 }, (_, at) => entry(`r${at}`, { count })),
    },
    { n: numbers },
  );
  assert.match(errors[0]?.detail ?? "", /need too much work/);
});

test("dependencies and parameters that counts multiply are refused", () => {
  const many = expanded({
    resources: [
      ...Array.from({ length: 3 }, (_, at) => entry(`a${at}`, { count: 1_000 })),
      entry("b", { dependsOn: ["a0", "a1", "a2"] }),
    ],
  });
  assert.match(many.errors[0]?.detail ?? "", /depends on 3000 resources/);
  const large = expanded(
    {
      parameters: { p: { type: "string" } },
      resources: [entry("a", { count: 1_000 }, { text: "${parameters.p}" })],
    },
    { p: "x".repeat(200_000) },
  );
  assert.match(large.errors[0]?.detail ?? "", /bytes of parameters/);
});

function pausesIn(steps: Sliced<unknown>): number {
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  return pauses;
}
