import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { offeringErrors } from "./offering-check.ts";

function errorsIn(spec: JsonObject): readonly string[] {
  const resource = sampleOffering(spec);
  return offeringErrors(resource, readOffering(resource)).map(({ path }) => path);
}

const region = { id: "r", isDefault: true, types: [{ name: "standard" }] };
const names = { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" };

test("the sample has no errors", () => {
  assert.deepEqual(errorsIn({}), []);
});

test("exactly one enabled provider and one enabled region of each are the default", () => {
  const provider = { id: "aws", isDefault: true, regions: [region] };
  const other = { id: "gcp", regions: [region] };
  assert.deepEqual(errorsIn({ providers: [provider, other] }), []);
  assert.deepEqual(errorsIn({ providers: [other] }), ["spec.providers"]);
  assert.deepEqual(errorsIn({ providers: [provider, { ...other, isDefault: true }] }), [
    "spec.providers[1].isDefault",
  ]);
  assert.deepEqual(errorsIn({ providers: [{ ...provider, enabled: false }] }), [
    "spec.providers[0].isDefault",
  ]);
  const two = [region, { ...region, id: "s" }];
  assert.deepEqual(errorsIn({ providers: [{ ...provider, regions: two }] }), [
    "spec.providers[0].regions[1].isDefault",
  ]);
  const none = [{ ...region, isDefault: false }];
  assert.deepEqual(errorsIn({ providers: [{ ...provider, regions: none }] }), [
    "spec.providers[0].regions",
  ]);
});

test("names that occur twice and types that do not exist are named", () => {
  const types = [{ name: "none" }, { name: "standard" }, { name: "standard" }];
  const regions = [
    { ...region, types },
    { id: "r", types: [{ name: "standard" }] },
  ];
  const provider = { id: "aws", isDefault: true, regions };
  assert.deepEqual(errorsIn({ providers: [provider, { ...provider, isDefault: false }] }), [
    "spec.providers[1].id",
    "spec.providers[0].regions[1].id",
    "spec.providers[0].regions[0].types[0].name",
    "spec.providers[0].regions[0].types[2].name",
    "spec.providers[1].regions[1].id",
    "spec.providers[1].regions[0].types[0].name",
    "spec.providers[1].regions[0].types[2].name",
  ]);
  const standard = { name: "standard", quota: "required" };
  assert.deepEqual(errorsIn({ types: [standard, { name: "eval", quota: "none" }, standard] }), [
    "spec.types[2].name",
  ]);
});

test("the schema of the parameters must be a structural schema of an object", () => {
  const withParameters = (parameters: JsonObject): readonly string[] =>
    errorsIn({ instances: { ...names, parameters } });
  assert.deepEqual(withParameters({ type: "object", properties: { a: { type: "string" } } }), []);
  assert.deepEqual(withParameters({ type: "string" }), ["spec.instances.parameters.type"]);
  const [missing] = withParameters({ type: "object", properties: { a: {} } });
  assert.match(missing ?? "", /^spec\.instances\.parameters\.properties\[a\]/);
  const [unknown] = withParameters({ type: "object", properties: { a: { type: "text" } } });
  assert.match(unknown ?? "", /^spec\.instances\.parameters\.properties\[a\]/);
});

test("the group of the instances is a domain name that is not the group of this module", () => {
  for (const group of ["fleet.setpoint.dev", "dinosaurs"]) {
    const errors = errorsIn({ instances: { ...names, group } });
    assert.ok(errors.includes("spec.instances.group"), group);
  }
});

test("preparations must compile, name a kind, and use routes in the phase routes alone", () => {
  const template = { apiVersion: "v1", kind: "ConfigMap", data: { a: "${instance.spec.owner}" } };
  const one = { name: "a", template };
  assert.deepEqual(errorsIn({ preparations: [one] }), []);
  const wrong: readonly [JsonObject, readonly string[]][] = [
    [{ ...one, template: { ...template, kind: "" } }, ["template.kind"]],
    [{ ...one, template: { ...template, data: { a: "${route.domain}" } } }, ["template.data.a"]],
    [
      { ...one, template: { ...template, metadata: { namespace: "x" } } },
      ["template.metadata.namespace"],
    ],
    [{ ...one, forEach: "route" }, ["forEach"]],
    [{ ...one, readyWhen: "resource.status ==" }, ["readyWhen"]],
    [{ ...one, readyWhen: "'text'" }, ["readyWhen"]],
  ];
  for (const [preparation, paths] of wrong) {
    assert.deepEqual(
      errorsIn({ preparations: [preparation] }),
      paths.map((path) => `spec.preparations[0].${path}`),
    );
  }
  const forRoute = { ...one, forEach: "route", phase: "routes" };
  const routed = { ...forRoute, template: { ...template, data: { a: "${route.domain}" } } };
  assert.deepEqual(errorsIn({ preparations: [routed, routed] }), ["spec.preparations[1].name"]);
});

test("addresses must be http or https URLs", () => {
  const errors = errorsIn({
    api: { public: { issuers: ["https://sso.example.com", "sso.example.com"] } },
    terms: { version: "1", url: "ftp://terms" },
    quota: { backend: "http" },
    domain: "Upper.example.com",
  });
  assert.deepEqual(errors, [
    "spec.domain",
    "spec.api.public.issuers[1]",
    "spec.terms.url",
    "spec.quota.http",
  ]);
});

test("a region without a type is refused with the field", () => {
  const provider = { id: "aws", isDefault: true, regions: [{ ...region, types: [] }] };
  assert.deepEqual(errorsIn({ providers: [provider] }), ["spec.providers[0].regions[0].types"]);
});

test("an expression with a field that does not exist is refused, and names the field", () => {
  const messages = (text: string): readonly string[] => {
    const template = { apiVersion: "v1", kind: "ConfigMap", data: { text } };
    const parameters = { type: "object", properties: { size: { type: "string" } } };
    const resource = sampleOffering({
      instances: { ...names, parameters },
      preparations: [
        { name: "dns", phase: "routes", forEach: "route", template, readyWhen: "true" },
      ],
    });
    const errors = offeringErrors(resource, readOffering(resource));
    return errors.map(({ path, ...error }) => `${path} ${JSON.stringify(error)}`);
  };
  const valid = [
    "${instance.spec.owner}-${instance.metadata.name}",
    "${instance.spec.parameters.size}",
    "${instance.status.conditions.size() > 0}",
    "${instance.spec['owner']} ${instance.status.readyAt + 'x'}",
    "${has(cluster.spec.dns) ? cluster.spec.dns : route.router}",
    "${organisation.spec.displayName} ${offering.domain}",
  ];
  for (const text of valid) assert.deepEqual(messages(text), [], text);
  const invalid = {
    "${instance.spec.ownr}": "ownr",
    "x-${instance.spec.parameters.sise}": "sise",
    "${cluster.dns}": "dns",
    "${route.host}": "host",
    "${offering.spec}": "spec",
    "${has(organisation.spec.owner)}": "owner",
  };
  for (const [text, field] of Object.entries(invalid)) {
    const [message = "", ...others] = messages(text);
    assert.deepEqual(others, []);
    assert.match(message, /^spec\.preparations\[0\]\.template\.data\.text /);
    assert.match(message, new RegExp(`undefined field '${field}'`));
  }
});
