// No error quotes a hidden value. A sentinel is stored in hidden fields and sent in hidden fields
// of many malformed writes, of every patch type and body format. Then it must be in no error, audit
// record, event or line of the log. A caller may well receive what it sent and stored: only
// answers of errors are searched.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import { waitUntil } from "../peers/wait.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";
import { definitions } from "./widget-kinds.ts";

const sentinel = "5entine1-4711-0815";
const digits = 471108154711;
const encoded = Buffer.from(sentinel).toString("base64");
const group = "vaults.tests.dev";
const namespace = "/api/v1/namespaces/default";
const secrets = `${namespace}/secrets`;
const vaults = `/apis/${group}/v1/namespaces/default/vaults`;
const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
`;

let server: KubeServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-hidden-"));
  await writeFile(join(folder, "policy.yaml"), policy);
  server = await startKubeServer({
    auditPolicy: join(folder, "policy.yaml"),
    auditLog: join(folder, "audit.log"),
  });
  const created = await server.request("POST", definitions, vaultDefinition());
  assert.equal(created.status, 201, created.text);
  await waitUntil("the kind is served", async () => {
    return (await server.request("GET", vaults)).status === 200;
  });
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    stringData: { password: sentinel },
  };
  assert.equal((await server.request("POST", secrets, secret)).status, 201);
  const stored = await server.request("POST", vaults, vault({ password: sentinel }));
  assert.equal(stored.status, 201, stored.text);
});

after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function vault(spec: unknown, more: object = {}): object {
  return { apiVersion: `${group}/v1`, kind: "Vault", metadata: { name: "v" }, spec, ...more };
}

function vaultDefinition(): object {
  const secret = { "x-setpoint-field-rule": "secret" };
  const rules = [
    { rule: "!has(self.password) || self.password != 'x'", messageExpression: "self.password" },
    { rule: "!has(self.password) || int(self.password.replace('5', 'x')) > 0 || true" },
    {
      rule: "!has(self.note) || self.note != 'y'",
      messageExpression: "'it is ' + self.password",
    },
  ];
  const spec = {
    type: "object",
    "x-kubernetes-validations": rules,
    properties: {
      note: { type: "string", maxLength: 30 },
      big: { type: "integer" },
      password: { type: "string", maxLength: 40, pattern: "^[0-9a-z-]*$", ...secret },
      pin: { type: "integer", minimum: 5, multipleOf: 5, ...secret },
      color: { type: "string", enum: ["red"], ...secret },
      since: { type: "string", format: "date", ...secret },
      keys: { type: "array", maxItems: 1, items: { type: "string" }, ...secret },
      creds: {
        type: "object",
        properties: { user: { type: "string" } },
        "x-setpoint-field-rule": "write-only",
      },
      users: {
        type: "object",
        additionalProperties: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, key: { type: "string", ...secret } },
        },
      },
    },
  };
  const schema = { type: "object", properties: { spec, status: { type: "object" } } };
  const scalePaths = { specReplicasPath: ".spec.big", statusReplicasPath: ".status.replicas" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `vaults.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "vaults", singular: "vault", kind: "Vault", listKind: "VaultList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { scale: scalePaths },
        },
      ],
    },
  };
}

const forms: readonly RequestHeaders[] = [
  { "content-type": "application/merge-patch+json" },
  { "content-type": "application/json-patch+json" },
  { "content-type": "application/strategic-merge-patch+json" },
  { "content-type": "application/apply-patch+yaml" },
];

function assertHidden(what: string, text: string): void {
  for (const value of [sentinel, encoded, String(digits)]) {
    assert.ok(!text.includes(value), `${what}: ${text}`);
  }
}

function check(reply: Reply, what: string): void {
  for (const [name, value] of Object.entries(reply.headers)) {
    assertHidden(`${what}: the header ${name}`, String(value));
  }
  if (reply.status >= 400) assertHidden(`${what}: ${reply.status}`, reply.text);
}

/** Everything that was recorded, once the record of a last request is there. */
async function assertNothingRecorded(): Promise<void> {
  const last = `${namespace}/configmaps/last-${server.lines.length}`;
  await server.request("GET", last);
  const audit = await waitUntil("the last record", async () => {
    const text = await readFile(join(folder, "audit.log"), "utf8");
    return text.includes(last) && text;
  });
  for (const record of audit.split("\n")) assertHidden("an audit record", record);
  for (const line of server.lines) assertHidden("the log", line);
  const events = await server.request("GET", "/api/v1/events");
  assertHidden("the events", events.text);
}

describe("an error of a Secret", () => {
  it("does not quote the stored Secret when a merge patch does not fit", async () => {
    const body = { stringData: { other: 5 } };
    const reply = await server.request("PATCH", `${secrets}/s`, body, forms[0]);
    assert.equal(reply.status, 422, reply.text);
    assert.match(pickText(reply.json, "message"), /patch: Invalid value: "\[hidden\]": .*cannot/);
    check(reply, "merge patch");
  });

  it("does not quote a number that is applied as a password", async () => {
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      stringData: { password: digits },
    };
    const path = `${secrets}/s?fieldManager=t`;
    const reply = await server.request("PATCH", path, JSON.stringify(body), forms[3]);
    assert.equal(reply.status, 500, reply.text);
    assert.match(
      pickText(reply.json, "message"),
      /\.stringData\.password: expected string, got \[hidden\]$/,
    );
    check(reply, "apply");
  });

  it("does not quote a strategic merge patch", async () => {
    for (const body of [
      { data: { $patch: "odd", password: sentinel } },
      { stringData: [sentinel], data: 5 },
      { metadata: { ownerReferences: [{ name: sentinel }] }, stringData: { a: sentinel } },
      { metadata: { finalizers: ["a", 5] }, stringData: { a: sentinel }, data: { b: 1 } },
    ]) {
      const isOwner = JSON.stringify(body).includes("ownerReferences");
      const reply = await server.request("PATCH", `${secrets}/s`, body, forms[2]);
      assert.ok(reply.status >= 400, reply.text);
      if (!isOwner) check(reply, JSON.stringify(body));
    }
  });

  it("names a wrong key as before", async () => {
    const body = { stringData: { "a b": "x" } };
    const reply = await server.request("PATCH", `${secrets}/s`, body, forms[0]);
    assert.equal(reply.status, 422);
    assert.match(
      pickText(reply.json, "message"),
      /data\[a b\]: Invalid value: "a b": a valid config/,
    );
  });
});

describe("an error of a kind with secret fields", () => {
  it("quotes no value of any check of a schema", async () => {
    const specs = [
      { password: digits },
      { password: sentinel.toUpperCase() + sentinel },
      { password: `${sentinel}${sentinel}${sentinel}` },
      { pin: digits },
      { pin: sentinel },
      { color: sentinel },
      { since: sentinel },
      { keys: [sentinel, sentinel] },
      { creds: { user: digits } },
      { creds: { [sentinel]: 1 } },
      { creds: sentinel },
      { users: { "a.b[c]": { name: "a", key: digits } } },
      { users: { a: { key: sentinel } } },
      { password: sentinel, note: "y" },
      { password: sentinel, note: 5 },
    ];
    for (const spec of specs) {
      const what = JSON.stringify(spec);
      for (const query of ["", "?fieldValidation=Strict", "?dryRun=All&fieldValidation=Warn"]) {
        check(await server.request("PUT", `${vaults}/v${query}`, vault(spec)), `PUT ${what}`);
        const created = vault(spec, { metadata: { generateName: "w-" } });
        check(await server.request("POST", `${vaults}${query}`, created), `POST ${what}`);
        const merged = await server.request("PATCH", `${vaults}/v${query}`, { spec }, forms[0]);
        check(merged, `PATCH ${what}`);
      }
      const path = `${vaults}/v?fieldManager=t&force=true`;
      const applied = await server.request("PATCH", path, JSON.stringify(vault(spec)), forms[3]);
      check(applied, `apply ${what}`);
    }
  });

  it("names no repeated key inside of a hidden field", async () => {
    const twice = `"${sentinel}":1,"${sentinel}":2`;
    const spec = `{"creds":{${twice}},"note":"a","note":"b"}`;
    const start = `{"apiVersion":"${group}/v1","kind":"Vault","metadata":{"name":"v"}`;
    const whole = `${start},"spec":${spec}}`;
    const operation = `[{"op":"add","path":"/spec/creds","value":{${twice}}}]`;
    const path = (mode: string): string => `${vaults}/v?fieldManager=t&fieldValidation=${mode}`;
    for (const mode of ["Strict", "Warn"]) {
      const url = path(mode);
      const json = await server.request("PUT", url, whole, { "content-type": "application/json" });
      check(json, `${mode} JSON`);
      const told = `${json.text} ${String(json.headers["warning"])}`;
      assert.match(told, /duplicate field \\"spec.creds\\".*duplicate field \\"spec.note\\"/);
      check(await server.request("PUT", url, whole, { "content-type": "application/yaml" }), mode);
      const merge = `{"spec":${spec}}`;
      for (const [form, body] of [merge, operation, merge, whole].entries()) {
        if (form === 2) continue;
        check(await server.request("PATCH", url, body, forms[form]), `${mode} ${body}`);
      }
    }
  });

  it("quotes no body that cannot be read", async () => {
    const yaml = { "content-type": "application/yaml" };
    const bodies: readonly (readonly [string, RequestHeaders])[] = [
      [`{"password":"${sentinel}"`, {}],
      [`{"spec":{"password":"${sentinel}"}}`, {}],
      [`password: *${sentinel}`, yaml],
      [`password: !${sentinel} x: y: z`, yaml],
      [`spec: {password: "${sentinel}`, yaml],
      [`k8s\0${sentinel}`, { "content-type": "application/vnd.kubernetes.protobuf" }],
      [sentinel, {}],
    ];
    for (const [body, headers] of bodies) {
      for (const path of [vaults, secrets]) {
        check(await server.request("POST", path, body, headers), `POST ${body}`);
        check(await server.request("PUT", `${path}/v`, body, headers), `PUT ${body}`);
        for (const form of forms) {
          const name = path === vaults ? "v" : "s";
          const reply = await server.request("PATCH", `${path}/${name}?fieldManager=t`, body, form);
          check(reply, `${JSON.stringify(form)} ${body}`);
        }
      }
      const review = "/apis/authentication.k8s.io/v1/tokenreviews";
      check(await server.request("POST", review, body, headers), `review ${body}`);
    }
  });
});

/** The vault and the Secret with a value in place of each field that has hidden fields inside. */
function withAncestors(value: unknown): readonly (readonly [string, string, object])[] {
  const specs = [value, { users: value }, { users: { a: value } }, { users: { "a.b[c]": value } }];
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  return [
    ...specs.map((spec) => [vaults, "v", vault(spec)] as const),
    [vaults, "v", vault({ users: [value], big: "no" })],
    [secrets, "s", { ...secret, data: value }],
    [secrets, "s", { ...secret, stringData: value }],
  ];
}

/** Every way to write a document, as method, name in the path, body and headers. */
function writesOf(
  name: string,
  whole: object,
): readonly (readonly [string, string, string, RequestHeaders])[] {
  const named = `/${name}`;
  const text = JSON.stringify(whole);
  const yaml = { "content-type": "application/yaml" };
  const renamed = JSON.stringify({ ...whole, metadata: { generateName: "w-" } });
  const parts = Object.entries<unknown>({ ...whole }).filter(([key]) =>
    /^(spec|data|stringData)$/.test(key),
  );
  const merge = JSON.stringify(Object.fromEntries(parts));
  const operations = parts.map(([key, value]) => ({ op: "add", path: `/${key}`, value }));
  const patches = [merge, JSON.stringify(operations), merge, text];
  return [
    ["POST", "", renamed, {}],
    ["POST", "", renamed, yaml],
    ["PUT", named, text, {}],
    ["PUT", named, text, yaml],
    ...forms.map((form, index) => ["PATCH", named, patches[index] ?? "", form] as const),
    ["PATCH", "/not-there", text.replace(`"name":"${name}"`, '"name":"not-there"'), forms[3] ?? {}],
  ];
}

const modes = ["", "&fieldValidation=Strict", "&dryRun=All", "&dryRun=All&fieldValidation=Warn"];

describe("a value in place of a field that has hidden fields inside", () => {
  it("is in no error, audit record and line of the log, whatever the verb", async () => {
    let refused = 0;
    for (const value of [sentinel, [sentinel], digits, [[sentinel]], [{ a: sentinel }]]) {
      for (const [path, name, whole] of withAncestors(value)) {
        for (const [method, named, body, headers] of writesOf(name, whole)) {
          for (const mode of modes) {
            const force = headers === forms[3] ? "&force=true" : "";
            const url = `${path}${named}?fieldManager=t${force}${mode}`;
            const reply = await server.request(method, url, body, headers);
            check(reply, `${method} ${url} ${JSON.stringify(headers)} ${body}`);
            if (reply.status >= 400) refused += 1;
          }
        }
      }
    }
    assert.ok(refused > 900, String(refused));
    await assertNothingRecorded();
  });

  it("is replaced in the message of the scale, and in that of apply", async () => {
    const merged = await server.request("PATCH", `${vaults}/v`, { spec: [sentinel] }, forms[0]);
    assert.match(
      pickText(merged.json, "message"),
      /\.spec\.big accessor error: \[hidden\] is of the wrong type, expected map/,
    );
    const body = JSON.stringify(vault([sentinel]));
    const applied = await server.request("PATCH", `${vaults}/v?fieldManager=t`, body, forms[3]);
    assert.match(pickText(applied.json, "message"), /\.spec: expected map, got \[hidden\]$/);
  });
});

const values = fc.oneof(
  fc.constantFrom<unknown>(sentinel, digits, encoded, [sentinel], { a: sentinel }, { $patch: "x" }),
  fc.constantFrom<unknown>(
    null,
    true,
    { [sentinel]: 1 },
    { a: { name: 1, key: digits } },
    digits / 4,
  ),
);
const fields = fc.constantFrom("password", "pin", "color", "since", "keys", "creds");

async function attempt(
  method: string,
  content: Readonly<Record<string, unknown>>,
  query: string,
  form: number,
): Promise<void> {
  for (const isSecret of [true, false]) {
    const [path, name] = isSecret ? [secrets, "s"] : [vaults, "v"];
    const part = isSecret ? { stringData: content, data: content } : { spec: content };
    const type = isSecret ? { apiVersion: "v1", kind: "Secret" } : vault({});
    const whole = { ...type, metadata: { name }, ...part };
    const operations = Object.entries(content).flatMap(([key, value]) => [
      { op: "test", path: isSecret ? `/data/${key}` : `/spec/${key}`, value },
      { op: "add", path: isSecret ? `/stringData/${key}` : `/spec/${key}/x`, value },
      { op: "replace", path: isSecret ? "/data" : "/spec", value },
    ]);
    const headers = method === "PATCH" ? (forms[form] ?? {}) : {};
    const patch = form === 1 ? operations : form === 3 ? whole : part;
    const body = JSON.stringify(method === "PATCH" ? patch : whole);
    const url = `${method === "POST" ? path : `${path}/${name}`}${query}`;
    check(await server.request(method, url, body, headers), `${method} ${url} ${body}`);
  }
}

describe("malformed writes with hidden values", () => {
  it("leave no hidden value in errors, audit records, events and the log", async () => {
    const methods = fc.constantFrom("PATCH", "PATCH", "PUT", "POST");
    const contents = fc.dictionary(fields, values, { minKeys: 1, maxKeys: 3 });
    const queries = fc.constantFrom(
      "?fieldManager=t&force=true",
      "?fieldManager=t&fieldValidation=Strict",
      "?fieldManager=t&dryRun=All&fieldValidation=Warn",
    );
    const form = fc.integer({ min: 0, max: 3 });
    await fc.assert(fc.asyncProperty(methods, contents, queries, form, attempt), { numRuns: 400 });
    assert.deepEqual(server.errors, []);
    await assertNothingRecorded();
    assert.equal(pick((await server.request("GET", `${secrets}/s`)).json, "kind"), "Secret");
  });
});
