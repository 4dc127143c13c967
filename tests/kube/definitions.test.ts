// Definitions and the built-in kinds through the Kubernetes surface: what a definition is told
// about itself, how its versions share documents, how kinds end, and what the server guards.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import {
  apiVersion,
  applyPatch,
  changed,
  configMap,
  configMaps,
  definition,
  definitions,
  given,
  group,
  jsonPatch,
  mergePatch,
  refused,
  revisionOf,
  setUpWidgets,
  strategicPatch,
  version,
} from "./widget-kinds.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
  await setUpWidgets(server);
});

after(async () => {
  assert.deepEqual(server.errors, [], "no request makes the server log an error");
  assert.deepEqual(await server.store.verify(), []);
  await server.stop();
});

const spec = (properties: object): object => ({ spec: { type: "object", properties } });
const text = { type: "string" };

const define = async (body: unknown, code = 201): Promise<Record<string, unknown>> =>
  given(await server.request("POST", definitions, body), code);
const get = async (path: string): Promise<Record<string, unknown>> =>
  given(await server.request("GET", path));
const merge = async (path: string, body: unknown): Promise<Reply> =>
  await server.request("PATCH", path, body, mergePatch);

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const late = AbortSignal.timeout(120_000);
  while (!(await isDone())) {
    late.throwIfAborted();
    await setTimeout(20);
  }
}

function conditionOf(document: unknown, type: string): unknown {
  return pickList(document, "status.conditions").find((one) => pick(one, "type") === type);
}

describe("a definition", () => {
  it("is told its names and serves at once", async () => {
    const made = await define(
      definition("things", "Thing", "Namespaced", [version("v1", spec({}))]),
    );
    assert.equal(pick(conditionOf(made, "Established"), "status"), "True");
    assert.equal(pick(conditionOf(made, "NamesAccepted"), "reason"), "NoConflicts");
    const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
    assert.deepEqual(pick(made, "status.acceptedNames"), names);
    assert.deepEqual(pick(made, "status.storedVersions"), ["v1"]);
    assert.deepEqual(pick(made, "spec.conversion"), { strategy: "None" });
    assert.equal(pick(made, "metadata.finalizers"), undefined);
    assert.deepEqual(pick(await get(`/apis/${apiVersion}/things`), "items"), []);
  });

  it("does not take the names of another", async () => {
    const clash = await define(
      definition("clashes", "Thing", "Namespaced", [version("v1", spec({}))]),
    );
    const accepted = conditionOf(clash, "NamesAccepted");
    assert.deepEqual(
      [pick(accepted, "status"), pick(accepted, "reason")],
      ["False", "ListKindConflict"],
    );
    assert.equal(pick(conditionOf(clash, "Established"), "reason"), "NotAccepted");
    assert.equal((await server.request("GET", `/apis/${apiVersion}/clashes`)).status, 404);
  });

  it("cannot become another", async () => {
    const path = `${definitions}/things.${group}`;
    const reply = await merge(path, { spec: { scope: "Cluster" } });
    const start = `CustomResourceDefinition.apiextensions.k8s.io "things.${group}" is invalid: `;
    refused(
      reply,
      422,
      "Invalid",
      `${start}spec.scope: Invalid value: "Cluster": field is immutable`,
    );
    const named = {
      ...(definition("things", "Thing", "Namespaced", []) as object),
      metadata: { name: "zz" },
    };
    assert.equal((await server.request("POST", definitions, named)).status, 422);
  });

  it("keeps its own account of itself", async () => {
    const path = `${definitions}/things.${group}`;
    const made = await get(path);
    const told = given(await server.request("PUT", `${path}/status`, { ...made, status: {} }));
    assert.deepEqual(pick(told, "status.acceptedNames"), pick(made, "status.acceptedNames"));
    assert.equal(pick(conditionOf(told, "Established"), "status"), "True");
  });

  it("shows documents in all its versions, under the present schema", async () => {
    const both = (storage: string, properties: object): unknown =>
      definition("multis", "Multi", "Namespaced", [
        version("v1", spec(properties), { storage: storage === "v1" }),
        version("v2", spec(properties), { storage: storage === "v2" }),
      ]);
    await define(both("v1", { a: text, gone: text }));
    const at = (name: string): string => `/apis/${group}/${name}/namespaces/test/multis`;
    const one = { kind: "Multi", metadata: { name: "one" }, spec: { a: "x", gone: "y" } };
    const made = given(await server.request("POST", at("v1"), { ...one, apiVersion }), 201);
    const asV2 = await get(`${at("v2")}/one`);
    assert.deepEqual(asV2, { ...made, apiVersion: `${group}/v2` });
    const path = `${definitions}/multis.${group}`;
    const resourceVersion = pickText(await get(path), "metadata.resourceVersion");
    const next = both("v2", { a: text, b: { type: "string", default: "new" } });
    const grown = given(
      await server.request("PUT", path, changed(next, "metadata", { resourceVersion })),
    );
    assert.deepEqual(pick(grown, "status.storedVersions"), ["v1", "v2"]);
    const cleaned = await get(`${at("v1")}/one`);
    assert.deepEqual(pick(cleaned, "spec"), { a: "x", b: "new" });
    assert.equal(revisionOf(cleaned), revisionOf(made));
    const migrated = given(await merge(`${at("v2")}/one`, {}));
    assert.ok(revisionOf(migrated) > revisionOf(made), "a document of an old form is rewritten");
    assert.equal(revisionOf(given(await merge(`${at("v2")}/one`, {}))), revisionOf(migrated));
    const only = { spec: { versions: [version("v2", spec({ a: text }))] } };
    const start = `CustomResourceDefinition.apiextensions.k8s.io "multis.${group}" is invalid: `;
    const lost =
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was ' +
      "previously a storage version, and must remain in spec.versions until a storage migration " +
      "ensures no data remains persisted in v1 and removes v1 from status.storedVersions";
    refused(await merge(path, only), 422, "Invalid", start + lost);
  });

  it("ends after its documents", async () => {
    const at = `/apis/${group}/v2/namespaces/test/multis`;
    given(await merge(`${at}/one`, { metadata: { finalizers: ["x.y/z"] } }));
    const path = `${definitions}/multis.${group}`;
    const marked = given(await server.request("DELETE", path));
    const finalizer = "customresourcecleanup.apiextensions.k8s.io";
    assert.deepEqual(pick(marked, "metadata.finalizers"), [finalizer]);
    assert.equal(pick(conditionOf(marked, "Terminating"), "reason"), "InstanceDeletionPending");
    await until(async () => {
      const reason = pick(conditionOf(await get(path), "Terminating"), "reason");
      return reason === "InstanceDeletionInProgress";
    });
    const late = { apiVersion: `${group}/v2`, kind: "Multi", metadata: { name: "late" } };
    const words =
      `multis.${group} "late" is forbidden: ` +
      "create not allowed while custom resource definition is terminating";
    refused(await server.request("POST", at, late), 403, "Forbidden", words);
    await until(
      async () => pick(await get(`${at}/one`), "metadata.deletionTimestamp") !== undefined,
    );
    given(await merge(`${at}/one`, { metadata: { finalizers: null } }));
    await until(async () => (await server.request("GET", path)).status === 404);
  });
});

describe("field rules of a definition", () => {
  const at = `/apis/${apiVersion}/namespaces/test/vaults`;
  const secret = "hunter2-never-shown";
  const vault = (more: object): object => ({
    apiVersion,
    kind: "Vault",
    metadata: { name: "v" },
    spec: { region: "eu", password: secret, pin: "4711-never-shown", ...more },
  });

  before(async () => {
    const rule = (name: string): object => ({ type: "string", "x-setpoint-field-rule": name });
    const properties = {
      region: rule("create-only"),
      password: rule("secret"),
      pin: rule("write-only"),
      note: text,
    };
    const status = { type: "object", properties: { id: rule("read-only") } };
    const schema = { ...spec(properties), status };
    await define(definition("vaults", "Vault", "Namespaced", [version("v1", schema)]));
  });

  const isHidden = (reply: Reply): void => {
    assert.ok(!reply.text.includes("never-shown"), reply.text);
  };

  it("never show what is hidden, in any answer", async () => {
    const replies = [
      await server.request("POST", `${at}?dryRun=All`, vault({})),
      await server.request("POST", at, vault({})),
      await server.request("POST", at, vault({})),
      await server.request("GET", `${at}/v`),
      await server.request("GET", at),
      await server.request("GET", at, undefined, {
        accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
      }),
      await merge(`${at}/v`, { spec: { note: "x" } }),
      await merge(`${at}/v?dryRun=All`, { spec: { pin: "4712-never-shown" } }),
      await server.request("PATCH", `${at}/v?fieldManager=m`, vault({ note: 1 }), applyPatch),
      await server.request("PATCH", `${at}/v?fieldManager=m&force=true`, vault({}), applyPatch),
    ];
    const codes = [201, 201, 409, 200, 200, 200, 200, 200, 500, 200];
    assert.deepEqual(
      replies.map(({ status }) => status),
      codes,
    );
    replies.forEach(isHidden);
    const stream = await server.watch(`${at}?watch=1`);
    const frame = await stream.next();
    assert.ok(!JSON.stringify(frame).includes("never-shown"));
    stream.close();
  });

  it("do not let a JSON Patch copy, move or test what is hidden", async () => {
    const of = async (operation: object): Promise<Reply> =>
      await server.request("PATCH", `${at}/v`, [operation], jsonPatch);
    for (const from of ["/spec/password", "/spec/password/x", "/spec/pin", "/spec", ""]) {
      const why =
        `Vault.${group} "v" is invalid: patch: Forbidden: ${JSON.stringify(from)}: ` +
        "the field is hidden or contains a hidden field, and cannot be copied, moved or tested";
      refused(await of({ op: "copy", from, path: "/spec/note" }), 422, "Invalid", why);
      refused(await of({ op: "move", from, path: "/spec/note" }), 422, "Invalid", why);
      refused(await of({ op: "test", path: from, value: secret }), 422, "Invalid", why);
    }
    given(await of({ op: "test", path: "/spec/note", value: "x" }));
    given(await of({ op: "copy", from: "/spec/note", path: "/metadata/labels/note" }), 422);
  });

  it("do not quote what is hidden when a patch is refused", async () => {
    const send = async (patch: unknown, type = mergePatch): Promise<Reply> =>
      await server.request("PATCH", `${at}/v?fieldValidation=Strict`, patch, type);
    const bad = { op: "add", path: "/spec/unheard", value: 1 };
    const replies = [
      await send({ spec: { unheard: 1 } }),
      await send([bad], jsonPatch),
      await send({ metadata: 5 }),
      await send({ metadata: { labels: 5 } }),
      await send({ kind: null }),
      await send({ kind: 5 }),
      await send({ apiVersion: "a/b/c" }),
      await send({ spec: { note: 7 } }),
    ];
    for (const reply of replies) {
      assert.equal(reply.status, 422, reply.text);
      isHidden(reply);
    }
    assert.match(replies[0]?.text ?? "", /\[hidden\].*unknown field \\"spec.unheard\\"/);
  });

  it("do not show hidden values in field errors", async () => {
    const rule = (name: string, more: object): object => ({
      ...more,
      "x-setpoint-field-rule": name,
    });
    const properties = {
      word: rule("secret", { type: "string", enum: ["a-never-shown", "b"] }),
      day: rule("write-only", { type: "string", format: "date", maxLength: 30 }),
      count: rule("secret", { type: "string", maxLength: 30 }),
      fixed: rule("create-only", { type: "object", properties: { key: rule("secret", text) } }),
      note: text,
    };
    const rules = [{ rule: "!has(self.note) || int(self.count) > 0" }];
    const schema = { spec: { type: "object", properties, "x-kubernetes-validations": rules } };
    await define(definition("crypts", "Crypt", "Namespaced", [version("v1", schema)]));
    const crypts = `/apis/${apiVersion}/namespaces/test/crypts`;
    const crypt = (fields: object): object => ({
      apiVersion,
      kind: "Crypt",
      metadata: { name: "c" },
      spec: fields,
    });
    const fixed = { key: "never-shown" };
    given(await server.request("POST", crypts, crypt({ count: "never-shown", fixed })), 201);
    const stumbled = await merge(`${crypts}/c`, { spec: { note: "x" } });
    const replies = [
      stumbled,
      await merge(`${crypts}/c`, { spec: { word: "c-never-shown" } }),
      await merge(`${crypts}/c`, { spec: { day: "never-shown" } }),
      await merge(`${crypts}/c`, { spec: { fixed: { key: "other" } } }),
      await merge(`${crypts}/c`, { spec: { fixed: null } }),
    ];
    for (const reply of replies) assert.equal(reply.status, 422, reply.text);
    assert.match(stumbled.text, /\[hidden\] evaluating rule: !has/);
    assert.match(replies[1]?.text ?? "", /Unsupported value: \\"\[hidden\]\\": supported values/);
    for (const reply of replies.toSpliced(1, 1)) isHidden(reply);
    assert.ok(!replies[1]?.text.includes("c-never-shown"));
  });

  it("cannot hide items of lists, nor what selectors would tell", async () => {
    const hidden = { ...text, "x-setpoint-field-rule": "secret" };
    const of = (properties: object, more: object): unknown =>
      definition("bad", "Bad", "Namespaced", [version("v1", spec(properties), more)]);
    const refusedWith = async (body: unknown, words: RegExp): Promise<void> => {
      const reply = await server.request("POST", definitions, body);
      assert.equal(reply.status, 422, reply.text);
      assert.match(reply.text, words);
    };
    const list = { type: "array", items: hidden };
    await refusedWith(of({ list }, {}), /use a map \(additionalProperties\) instead/);
    const selectableFields = [{ jsonPath: ".spec.pin" }];
    await refusedWith(of({ pin: hidden }, { selectableFields }), /a hidden field/);
  });

  it("are not shown by errors about documents that are hidden within others", async () => {
    const template = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-setpoint-field-rule": "secret",
    };
    await define(definition("shells", "Shell", "Namespaced", [version("v1", spec({ template }))]));
    const path = `/apis/${apiVersion}/namespaces/test/shells`;
    const head = { apiVersion, kind: "Shell", metadata: { name: "s" } };
    const annotations = { key: secret };
    const inner = { apiVersion: "v1", kind: "Inner", metadata: { name: "i", annotations } };
    given(await server.request("POST", path, { ...head, spec: { template: inner } }), 201);
    const wrong = { spec: { template: { metadata: { creationTimestamp: "x" } } } };
    const patched = await merge(`${path}/s`, wrong);
    const url = `${path}/s?fieldManager=m&force=true`;
    const applied = await server.request("PATCH", url, { ...head, ...wrong }, applyPatch);
    for (const reply of [patched, applied]) {
      assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
      assert.match(reply.text, /a hidden field has a value that cannot be read/);
      isHidden(reply);
    }
  });

  it("are not in the columns of a table", async () => {
    const hidden = { ...text, "x-setpoint-field-rule": "write-only" };
    const additionalPrinterColumns = [
      { name: "Pin", type: "string", jsonPath: ".spec.pin" },
      { name: "Spec", type: "string", jsonPath: ".spec" },
    ];
    const shown = version("v1", spec({ pin: hidden }), { additionalPrinterColumns });
    await define(definition("chests", "Chest", "Namespaced", [shown]));
    const chests = `/apis/${apiVersion}/namespaces/test/chests`;
    const chest = { apiVersion, kind: "Chest", metadata: { name: "c" }, spec: { pin: secret } };
    given(await server.request("POST", chests, chest), 201);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await server.request("GET", chests, undefined, { accept });
    assert.deepEqual(pick(pickList(given(table), "rows")[0], "cells"), ["c", null, "{}"]);
    isHidden(table);
  });

  it("keep hidden fields that a client does not send back", async () => {
    const shown = await get(`${at}/v`);
    assert.deepEqual(pick(shown, "spec"), { region: "eu", note: "x" });
    const same = given(await server.request("PUT", `${at}/v`, shown));
    assert.equal(revisionOf(same), revisionOf(shown));
  });

  it("let hidden fields be removed by who says so", async () => {
    const name = "removable";
    const key = { kind: `vaults.${group}`, namespace: "test", name };
    const stored = async (): Promise<string> => String((await server.store.get(key))?.body ?? "");
    given(await server.request("POST", at, { ...vault({}), metadata: { name } }), 201);
    assert.match(await stored(), /hunter2/);
    given(await merge(`${at}/${name}`, { spec: { password: null } }));
    assert.doesNotMatch(await stored(), /hunter2/);
    assert.match(await stored(), /4711/);
    const shown = await get(`${at}/${name}`);
    const emptied = { ...(shown as object), spec: { region: "eu", pin: null } };
    given(await server.request("PUT", `${at}/${name}`, emptied));
    assert.doesNotMatch(await stored(), /4711/);
  });

  it("end watches that began before them, so that nothing is shown by the old rules", async () => {
    const open = spec({ password: text });
    await define(definition("safes", "Safe", "Namespaced", [version("v1", open)]));
    const safes = `/apis/${apiVersion}/namespaces/test/safes`;
    const safe = { apiVersion, kind: "Safe", metadata: { name: "s" }, spec: { password: secret } };
    given(await server.request("POST", safes, safe), 201);
    const stream = await server.watch(`${safes}?watch=1`);
    await stream.next();
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/safes.${group}`;
    const hidden = spec({ password: { type: "string", "x-setpoint-field-rule": "secret" } });
    given(await merge(path, { spec: { versions: [version("v1", hidden)] } }));
    given(await merge(`${safes}/s`, { metadata: { labels: { a: "b" } } }));
    assert.equal(await stream.next(), undefined);
  });

  it("name the field, the old value and the new one", async () => {
    const reply = await merge(`${at}/v`, { spec: { region: "us" } });
    const message =
      `Vault.${group} "v" is invalid: spec.region: Invalid value: "us": ` +
      'the field cannot be changed after creation: old "eu", new "us"';
    refused(reply, 422, "Invalid", message);
    const forged = await merge(`${at}/v`, { status: { id: "mine" } });
    const closed =
      `Vault.${group} "v" is invalid: status.id: Invalid value: "mine": ` +
      'the field is read-only: old absent, new "mine"';
    refused(forged, 422, "Invalid", closed);
  });
});

describe("built-in kinds", () => {
  const core = "/api/v1/namespaces/test";

  it("keep what is immutable", async () => {
    given(
      await server.request(
        "POST",
        configMaps,
        configMap("i", { data: { a: "1" }, immutable: true }),
      ),
      201,
    );
    const path = `${configMaps}/i`;
    const send = async (body: unknown): Promise<Reply> =>
      await server.request("PATCH", path, body, strategicPatch);
    const words = (field: string): string =>
      `ConfigMap "i" is invalid: ${field}: Forbidden: field is immutable when \`immutable\` is set`;
    refused(await send({ data: { a: "2" } }), 422, "Invalid", words("data"));
    refused(await send({ immutable: false }), 422, "Invalid", words("immutable"));
    given(await send({ metadata: { labels: { a: "b" } } }));
  });

  it("write secrets as text and show them as bytes", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    const made = given(
      await server.request("POST", `${core}/secrets`, { ...secret, stringData: { a: "b" } }),
      201,
    );
    assert.deepEqual([pick(made, "data"), pick(made, "type")], [{ a: "Yg==" }, "Opaque"]);
    assert.equal(pick(made, "stringData"), undefined);
    const removed = given(await server.request("DELETE", `${core}/secrets/s`));
    assert.equal(pick(removed, "status"), "Success");
  });

  it("own what was sent and nothing that every object has", async () => {
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { holderIdentity: "a", renewTime: "2024-01-01T00:00:00.123456Z" },
    };
    const path = "/apis/coordination.k8s.io/v1/namespaces/test/leases";
    const made = given(await server.request("POST", path, lease), 201);
    assert.deepEqual(pick(made, "spec"), lease.spec);
    const [entry] = pickList(made, "metadata.managedFields");
    const owned = { "f:spec": { "f:holderIdentity": {}, "f:renewTime": {} } };
    assert.deepEqual(pick(entry, "fieldsV1"), owned);
  });

  it("show events in both groups", async () => {
    const involvedObject = { kind: "Pod", namespace: "test", name: "p" };
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, involvedObject };
    const body = { ...event, reason: "R", message: "m", type: "Normal" };
    given(await server.request("POST", `${core}/events`, body), 201);
    const other = await get("/apis/events.k8s.io/v1/namespaces/test/events/e");
    assert.deepEqual([pick(other, "note"), pick(other, "regarding")], ["m", involvedObject]);
  });

  it("answer the deletion of an account with the account", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
    given(await server.request("POST", `${core}/serviceaccounts`, account), 201);
    const request = { spec: { expirationSeconds: 1000 } };
    const token = await server.request("POST", `${core}/serviceaccounts/robot/token`, request);
    assert.match(pickText(given(token, 201), "status.token"), /^ey.+\..+\..+$/);
    const gone = given(await server.request("DELETE", `${core}/serviceaccounts/robot`));
    assert.equal(pick(gone, "kind"), "ServiceAccount");
  });

  it("fill in webhook configurations and count their changes", async () => {
    const webhook = {
      name: "a.b.c",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: { service: { name: "x", namespace: "y" } },
      rules: [{ apiGroups: ["none"], apiVersions: ["*"], operations: ["*"], resources: ["none"] }],
    };
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const body = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "hook" },
      webhooks: [webhook],
    };
    const made = given(await server.request("POST", path, body), 201);
    const [filled] = pickList(made, "webhooks");
    const shown = ["failurePolicy", "matchPolicy", "timeoutSeconds", "namespaceSelector"];
    assert.deepEqual(
      shown.map((key) => pick(filled, key)),
      ["Fail", "Equivalent", 10, {}],
    );
    assert.equal(pick(filled, "clientConfig.service.port"), 443);
    const patch = { webhooks: [{ name: "a.b.c", timeoutSeconds: 5 }] };
    const next = given(await server.request("PATCH", `${path}/hook`, patch, strategicPatch));
    assert.equal(pick(next, "metadata.generation"), 2);
  });
});

describe("namespaces", () => {
  const path = "/api/v1/namespaces/temporary";

  it("carry their name, their phase and what holds them", async () => {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "temporary" } };
    const made = given(await server.request("POST", "/api/v1/namespaces", body), 201);
    assert.deepEqual(pick(made, "spec"), { finalizers: ["kubernetes"] });
    assert.deepEqual(pick(made, "status"), { phase: "Active" });
    const labels = { "kubernetes.io/metadata.name": "temporary" };
    assert.deepEqual(pick(made, "metadata.labels"), labels);
    const bare = given(await merge(path, { metadata: { labels: null } }));
    assert.deepEqual(pick(bare, "metadata.labels"), labels);
  });

  it("are finalized by their own endpoint alone", async () => {
    const made = await get(path);
    const same = given(await server.request("PUT", path, { ...made, spec: {} }));
    assert.deepEqual(pick(same, "spec"), { finalizers: ["kubernetes"] });
    const held = { ...same, spec: { finalizers: ["kubernetes", "x.y/z"] } };
    const more = given(await server.request("PUT", `${path}/finalize`, held));
    assert.deepEqual(pick(more, "spec"), held.spec);
    const bad = { ...more, spec: { finalizers: ["bad"] } };
    const words =
      'Namespace "temporary" is invalid: spec.finalizers[0]: Invalid value: "bad": ' +
      "name is neither a standard finalizer name nor is it fully qualified";
    refused(await server.request("PUT", `${path}/finalize`, bad), 422, "Invalid", words);
    given(await server.request("PUT", `${path}/finalize`, { ...more, spec: made["spec"] }));
  });

  it("end with all that is in them, and some never do", async () => {
    given(await server.request("POST", `${path}/configmaps`, configMap("x")), 201);
    const marked = given(await server.request("DELETE", path));
    assert.equal(pick(marked, "status.phase"), "Terminating");
    assert.equal(pick(marked, "metadata.deletionGracePeriodSeconds"), undefined);
    await until(async () => (await server.request("GET", path)).status === 404);
    const words = 'namespaces "default" is forbidden: this namespace may not be deleted';
    const never = await server.request("DELETE", "/api/v1/namespaces/default");
    refused(never, 403, "Forbidden", words);
  });
});

describe("roles", () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rbacVersion = "rbac.authorization.k8s.io/v1";
  const asBob = { "impersonate-user": "bob" };
  const role = (name: string, resources: readonly string[], apiGroups = [""]): object => ({
    apiVersion: rbacVersion,
    kind: "Role",
    metadata: { name },
    rules: [{ apiGroups, resources, verbs: ["get"] }],
  });

  it("give nobody more than their writer has", async () => {
    const verbs = ["get", "create", "update", "patch"];
    const resources = ["roles", "rolebindings"];
    const apiGroups = ["rbac.authorization.k8s.io"];
    const editor = { ...role("editor", []), rules: [{ apiGroups, resources, verbs }] };
    given(await server.request("POST", `${rbac}/namespaces/test/roles`, editor), 201);
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "editor" };
    const bind = (name: string, ref: object): object => ({
      apiVersion: rbacVersion,
      kind: "RoleBinding",
      metadata: { name },
      roleRef: ref,
      subjects: [{ kind: "User", name: "bob" }],
    });
    const bindings = `${rbac}/namespaces/test/rolebindings`;
    given(await server.request("POST", bindings, bind("editor", roleRef)), 201);
    const roles = `${rbac}/namespaces/test/roles`;
    const words = (what: string, rules: string): string =>
      `${what} is forbidden: user "bob" (groups=["system:authenticated"]) is attempting to grant ` +
      `RBAC permissions not currently held:\n${rules}`;
    const reply = await server.request("POST", roles, role("more", ["secrets"]), asBob);
    const secrets = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
    const more = words('roles.rbac.authorization.k8s.io "more"', secrets);
    refused(reply, 403, "Forbidden", more);
    const own = role("own", ["roles"], apiGroups);
    given(await server.request("POST", roles, own, asBob), 201);
    const admin = { ...roleRef, kind: "ClusterRole", name: "cluster-admin" };
    const bound = await server.request("POST", bindings, bind("admin", admin), asBob);
    assert.equal(bound.status, 403);
    const grown = { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] };
    const patched = await server.request("PATCH", `${roles}/own`, grown, {
      ...mergePatch,
      ...asBob,
    });
    assert.equal(patched.status, 403);
  });
});
