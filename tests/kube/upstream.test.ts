// Behaviours of kube-apiserver 1.34 that its own integration suites check (definitions, field
// validation, API machinery). Each test names one behaviour in which this server once differed.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";
import { given, jsonPatch, mergePatch } from "./widget-kinds.ts";

const group = "upstream.dev";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const namespaces = "/api/v1/namespaces";
const maps = `${namespaces}/default/configmaps`;

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});

after(async () => {
  assert.deepEqual(server.errors, [], "no request makes the server log an error");
  assert.deepEqual(await server.store.verify(), []);
  await server.stop();
});

const send = async (
  method: string,
  path: string,
  body?: unknown,
  headers?: RequestHeaders,
): Promise<Reply> => await server.request(method, path, body, headers);
const read = async (path: string): Promise<unknown> => given(await send("GET", path));

interface DefinitionInput {
  readonly plural: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly versions: readonly object[];
}

function definition({ plural, kind, shortNames = [], versions }: DefinitionInput): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, singular: kind.toLowerCase(), kind, shortNames },
      versions,
    },
  };
}

function version(name: string, schema: object, more: object = {}): object {
  const root = { type: "object", ...schema };
  return { name, served: true, storage: false, schema: { openAPIV3Schema: root }, ...more };
}

const open = { "x-kubernetes-preserve-unknown-fields": true };
const stored = { storage: true };
const configMap = (name: string, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data: { a: "b" },
});

describe("definitions", () => {
  const condition = async (name: string, type: string): Promise<unknown> => {
    const found = await read(`${definitions}/${name}.${group}`);
    const one = pickList(found, "status.conditions").find((each) => pick(each, "type") === type);
    return pick(one, "status");
  };

  it("get the names that another definition no longer holds", async () => {
    const versions = [version("v1", open, stored)];
    const first = definition({ plural: "apples", kind: "Apple", shortNames: ["fruit"], versions });
    const second = definition({ plural: "pears", kind: "Apple", shortNames: ["fruit"], versions });
    given(await send("POST", definitions, first), 201);
    given(await send("POST", definitions, second), 201);
    assert.equal(await condition("pears", "NamesAccepted"), "False");
    assert.equal(await condition("pears", "Established"), "False");
    given(await send("DELETE", `${definitions}/apples.${group}`));
    await until(async () => (await condition("pears", "NamesAccepted")) === "True");
    assert.equal(await condition("pears", "Established"), "True");
    given(await send("GET", `/apis/${group}/v1/pears`));
  });

  it("get the names that another definition gives up, and only then", async () => {
    const versions = [version("v1", open, stored)];
    const named = (plural: string, kind: string): object =>
      definition({ plural, kind, shortNames: ["nut"], versions });
    given(await send("POST", definitions, named("almonds", "Almond")), 201);
    given(await send("POST", definitions, named("pecans", "Pecan")), 201);
    given(await send("POST", definitions, named("walnuts", "Walnut")), 201);
    const path = `${definitions}/almonds.${group}`;
    const labels = { metadata: { labels: { a: "b" } } };
    given(await send("PATCH", path, labels, mergePatch));
    assert.equal(await condition("pecans", "NamesAccepted"), "False");
    const names = { spec: { names: { shortNames: ["alm"] } } };
    given(await send("PATCH", path, names, mergePatch));
    const accepted = async (): Promise<number> =>
      [
        await condition("pecans", "NamesAccepted"),
        await condition("walnuts", "NamesAccepted"),
      ].filter((status) => status === "True").length;
    await until(async () => (await accepted()) > 0);
    given(await send("PATCH", path, { metadata: { labels: { a: "c" } } }, mergePatch));
    assert.equal(await accepted(), 1, "one short name belongs to one definition");
  });

  it("of one moment do not get the same names", async () => {
    const versions = [version("v1", open, stored)];
    const plurals = ["oats", "ryes", "wheats"];
    await Promise.all(
      plurals.map(async (plural) => {
        const made = definition({ plural, kind: "Grain", versions });
        given(await send("POST", definitions, made), 201);
      }),
    );
    const statuses = await Promise.all(
      plurals.map(async (plural) => await condition(plural, "NamesAccepted")),
    );
    assert.equal(statuses.filter((status) => status === "True").length, 1);
  });

  it("show the defaults of the stored version, not of the version shown", async () => {
    const spec = (defaulted: string): object => ({
      properties: {
        spec: {
          type: "object",
          ...open,
          properties: { [defaulted]: { type: "string", default: "x" } },
        },
      },
    });
    const versions = [version("v1", spec("old")), version("v2", spec("new"), stored)];
    given(
      await send("POST", definitions, definition({ plural: "figs", kind: "Fig", versions })),
      201,
    );
    const fig = { apiVersion: `${group}/v1`, kind: "Fig", metadata: { name: "one" }, spec: {} };
    const made = given(await send("POST", `/apis/${group}/v1/figs`, fig), 201);
    assert.deepEqual(pick(made, "spec"), { old: "x", new: "x" }, "defaults of request and storage");
    const later = [version("v1", spec("shown")), version("v2", spec("later"), stored)];
    const path = `${definitions}/figs.${group}`;
    given(await send("PATCH", path, { spec: { versions: later } }, mergePatch));
    const shown = await read(`/apis/${group}/v1/figs/one`);
    assert.deepEqual(pick(shown, "spec"), { old: "x", new: "x", later: "x" });
    const listed = await read(`/apis/${group}/v1/figs`);
    assert.deepEqual(pick(listed, "items.0.spec"), { old: "x", new: "x", later: "x" });
  });

  it("warn of a deprecated version with the version to use instead", async () => {
    const old = { deprecated: true };
    const versions = [
      version("v1alpha1", open, old),
      version("v1beta1", open, old),
      version("v1beta2", open, old),
      version("v1", open, stored),
      version("v2", open, old),
    ];
    given(
      await send("POST", definitions, definition({ plural: "kiwis", kind: "Kiwi", versions })),
      201,
    );
    const warning = async (name: string): Promise<unknown> =>
      (await send("GET", `/apis/${group}/${name}/kiwis`)).headers["warning"];
    const use = `299 - "${group}/v1beta1 Kiwi is deprecated; use ${group}/v1 Kiwi"`;
    assert.equal(await warning("v1beta1"), use);
    assert.equal(await warning("v2"), `299 - "${group}/v2 Kiwi is deprecated"`);
    assert.equal(await warning("v1"), undefined);
  });

  it("keep a condition without a type that a client writes into the status", async () => {
    const versions = [version("v1", open, stored)];
    given(
      await send("POST", definitions, definition({ plural: "limes", kind: "Lime", versions })),
      201,
    );
    const path = `${definitions}/limes.${group}`;
    const found = await read(path);
    const more = { type: "", status: "", message: "updated", lastTransitionTime: null };
    const conditions = [...pickList(found, "status.conditions"), more];
    const patch = { status: { conditions } };
    const next = given(await send("PATCH", `${path}/status`, patch, mergePatch));
    const messages = pickList(next, "status.conditions").map((one) => pick(one, "message"));
    assert.ok(messages.includes("updated"), JSON.stringify(messages));
    assert.equal(await condition("limes", "Established"), "True");
  });
});

describe("requests", () => {
  it("with an empty Content-Type count as JSON", async () => {
    const body = JSON.stringify(configMap("untyped"));
    given(await send("POST", maps, body, { "content-type": "" }), 201);
    given(await send("PUT", `${maps}/untyped`, body, { "content-type": "" }));
  });

  it("may name the group without a name by a slash", async () => {
    const body = { ...configMap("slashed"), apiVersion: "/v1" };
    const made = given(await send("POST", maps, body), 201);
    assert.equal(pick(made, "apiVersion"), "v1");
  });

  it("for an export are refused", async () => {
    given(await send("POST", maps, configMap("exported")), 201);
    const { status, json } = await send("GET", `${maps}/exported?export=true`);
    assert.equal(status, 400);
    const gone = "the export parameter, deprecated since v1.14, is no longer supported";
    assert.equal(pick(json, "message"), gone);
    assert.equal((await send("GET", `${maps}/exported?export=false`)).status, 200);
  });

  for (const [token, why] of [
    ["!!!", "illegal base64 data at input byte 0"],
    ["e30=", "illegal base64 data at input byte 3"],
    ["e30AA", "illegal base64 data at input byte 4"],
    [tokenFor("a//b"), "a//b"],
    [tokenFor("a/./b"), "a/./b"],
  ] as const) {
    it(`with the continue token ${token} are refused`, async () => {
      const { status, json } = await send("GET", `${maps}?continue=${encodeURIComponent(token)}`);
      assert.equal(status, 400);
      const message = `invalid continue token: continue key is not valid: ${why}`;
      assert.equal(pick(json, "message"), message);
    });
  }
});

describe("writes", () => {
  it("clear the managers by an empty list", async () => {
    for (const [name, managedFields] of [
      ["none", []],
      ["blank", [{}]],
    ] as const) {
      given(await send("POST", maps, configMap(name)), 201);
      const next = given(await send("PUT", `${maps}/${name}`, configMap(name, { managedFields })));
      assert.equal(pick(next, "metadata.managedFields"), undefined, name);
    }
  });

  it("of the status of a namespace may change its annotations", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "noted" } };
    given(await send("POST", namespaces, namespace), 201);
    const conditions = [{ type: "StatusPatch", status: "True", reason: "E2E", message: "m" }];
    const patch = { metadata: { annotations: { note: "yes" } }, status: { conditions } };
    const path = `${namespaces}/noted/status`;
    const next = given(await send("PATCH", path, patch, mergePatch));
    assert.deepEqual(pick(next, "metadata.annotations"), { note: "yes" });
    assert.equal(pick(next, "status.conditions.0.type"), "StatusPatch");
    assert.equal(pickText(next, "metadata.name"), "noted");
  });

  it("name unknown and repeated members of a JSON Patch", async () => {
    given(await send("POST", maps, configMap("operated")), 201);
    const operations =
      '[{"op":"add","path":"/data/x","value":"1","foo":"bar"},' +
      '{"op":"add","path":"/data/y","path":"/data/z","value":"2"}]';
    const path = `${maps}/operated?fieldValidation=`;
    const strict = await send("PATCH", `${path}Strict`, operations, jsonPatch);
    assert.equal(strict.status, 422);
    const problems = [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[1].path"',
    ];
    const text = pickText(strict.json, "message");
    assert.ok(text.endsWith(`: strict decoding error: ${problems.join(", ")}`), text);
    const warned = await send("PATCH", `${path}Warn`, operations, jsonPatch);
    const shown = problems.map((one) => `299 - "${one.replaceAll('"', '\\"')}"`).join(", ");
    assert.equal(warned.headers["warning"], shown);
    assert.deepEqual(pick(given(warned), "data"), { a: "b", x: "1", z: "2" });
  });
});

function tokenFor(start: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: 1, start })).toString("base64url");
}

/** Every answer of the server is a round trip, so this waits without a clock. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2_000; i++) if (await condition()) return;
  assert.fail("the condition did not become true");
}
