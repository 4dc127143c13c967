// Server-side apply and the scale of a kind, through the Kubernetes surface: who owns what, what
// conflicts, and in which words it is told.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import {
  apiVersion,
  applyPatch,
  configMap,
  configMaps,
  given,
  group,
  jsonPatch,
  mergePatch,
  refused,
  revisionOf,
  setUpWidgets,
  widget,
  widgets,
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

const apply = async (
  name: string,
  body: unknown,
  manager = "m1",
  query = "",
  path = widgets,
): Promise<Reply> => {
  const url = `${path}/${name}?fieldManager=${manager}${query}`;
  return await server.request("PATCH", url, body, applyPatch);
};

/** The fields of a manager, as the object lists them. */
function ownedBy(document: unknown, manager: string, subresource?: string): unknown {
  const entries = pickList(document, "metadata.managedFields");
  const entry = entries.find(
    (one) => pick(one, "manager") === manager && pick(one, "subresource") === subresource,
  );
  return pick(entry, "fieldsV1");
}

describe("applying", () => {
  it("creates with 201, changes with 200, and writes nothing when nothing changes", async () => {
    const made = given(await apply("a", widget("a", { size: 1 })), 201);
    assert.deepEqual(ownedBy(made, "m1"), { "f:spec": { "f:size": {} } });
    assert.equal(pick(pickList(made, "metadata.managedFields")[0], "operation"), "Apply");
    const same = given(await apply("a", widget("a", { size: 1 })));
    assert.deepEqual(same, made);
    const grown = given(await apply("a", widget("a", { size: 2 })));
    assert.equal(pick(grown, "metadata.generation"), 2);
  });

  it("applies an object without fields again and again", async () => {
    const path = "/api/v1/namespaces";
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bare" } };
    const made = given(await apply("bare", body, "m1", "", path), 201);
    assert.equal(pick(made, "metadata.managedFields"), undefined);
    given(await apply("bare", body, "m1", "", path));
    const labels = { team: "a" };
    const labelled = { ...body, metadata: { name: "bare", labels } };
    const later = given(await apply("bare", labelled, "m1", "", path));
    assert.deepEqual(ownedBy(later, "m1"), { "f:metadata": { "f:labels": { "f:team": {} } } });
    const bare = given(await apply("bare", body, "m1", "", path));
    assert.equal(pick(bare, "metadata.labels.team"), undefined);
    given(await apply("bare", body, "m1", "", path));
  });

  it("refuses what another manager owns, unless forced", async () => {
    given(await apply("contested", widget("contested", { size: 1 })), 201);
    const reply = await apply("contested", widget("contested", { size: 3 }), "m2");
    const text = 'Apply failed with 1 conflict: conflict with "m1": .spec.size';
    refused(reply, 409, "Conflict", text);
    assert.deepEqual(pick(reply.json, "details.causes"), [
      { reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".spec.size" },
    ]);
    const forced = given(
      await apply("contested", widget("contested", { size: 3 }), "m2", "&force=true"),
    );
    assert.deepEqual(ownedBy(forced, "m2"), { "f:spec": { "f:size": {} } });
    assert.equal(ownedBy(forced, "m1"), undefined);
  });

  it("names a conflict with an update by its version", async () => {
    given(await apply("updated", widget("updated", { size: 1 })), 201);
    const body = { spec: { size: 2 } };
    given(await server.request("PATCH", `${widgets}/updated?fieldManager=hand`, body, mergePatch));
    const reply = await apply("updated", widget("updated", { size: 3 }));
    const who = `"hand" using ${apiVersion}`;
    const text = `Apply failed with 1 conflict: conflict with ${who}: .spec.size`;
    refused(reply, 409, "Conflict", text);
  });

  it("shares what is equal, and drops what nobody owns any more", async () => {
    given(await apply("shared", widget("shared", { size: 1, name: "x" })), 201);
    const both = given(await apply("shared", widget("shared", { size: 1 }), "m2"));
    assert.deepEqual(ownedBy(both, "m2"), { "f:spec": { "f:size": {} } });
    const left = given(await apply("shared", widget("shared", {})));
    assert.deepEqual(pick(left, "spec"), { size: 1, color: "red" });
    const none = given(await apply("shared", widget("shared", {}), "m2"));
    assert.deepEqual(pick(none, "spec"), { color: "red" });
  });

  it("merges sets and maps by their keys, and atomic values as a whole", async () => {
    const first = {
      tags: ["a", "b"],
      ports: [{ port: 1 }, { port: 2, label: "x" }],
      plain: ["p"],
      whole: { a: "1" },
    };
    const made = given(await apply("lists", widget("lists", first)), 201);
    const owned = pick(ownedBy(made, "m1"), "f:spec");
    assert.deepEqual(pick(owned, "f:tags"), { 'v:"a"': {}, 'v:"b"': {} });
    const key = 'k:{"port":1,"protocol":"TCP"}';
    assert.deepEqual(pick(pick(owned, "f:ports"), key), { ".": {}, "f:port": {} });
    const second = { tags: ["b", "c"], ports: [{ port: 3 }] };
    const merged = given(await apply("lists", widget("lists", second), "m2"));
    assert.deepEqual(pick(merged, "spec.tags"), ["a", "b", "c"]);
    assert.deepEqual(
      pickList(merged, "spec.ports").map((one) => pick(one, "port")),
      [1, 2, 3],
    );
    const less = { ...first, tags: ["a"], ports: [{ port: 1 }] };
    const shorter = given(await apply("lists", widget("lists", less)));
    assert.deepEqual(pick(shorter, "spec.tags"), ["a", "b", "c"]);
    assert.deepEqual(
      pickList(shorter, "spec.ports").map((one) => pick(one, "port")),
      [1, 3],
    );
    const atomic = await apply("lists", widget("lists", { plain: ["q"], whole: { b: "2" } }), "m2");
    const text =
      'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.plain\n- .spec.whole';
    refused(atomic, 409, "Conflict", text);
  });

  it("refuses keys given twice", async () => {
    const prefix = `failed to create typed patch object (/lists; ${apiVersion}, Kind=Widget): `;
    const set = await apply("lists", widget("lists", { tags: ["a", "a"] }));
    refused(set, 500, undefined, `${prefix}.spec.tags: duplicate entries for key [="a"]`);
    const ports = [{ port: 2 }, { port: 2 }];
    const map = await apply("lists", widget("lists", { ports }));
    const text = `${prefix}.spec.ports: duplicate entries for key [port=2,protocol="TCP"]`;
    refused(map, 500, undefined, text);
  });

  it("refuses fields that the schema does not have", async () => {
    const prefix = `failed to create typed patch object (/a; ${apiVersion}, Kind=Widget): `;
    const reply = await apply("a", widget("a", { zip: 1 }));
    refused(reply, 500, undefined, `${prefix}.spec.zip: field not declared in schema`);
    const typed = await apply("a", widget("a", { size: "x" }));
    refused(
      typed,
      500,
      undefined,
      `${prefix}.spec.size: expected numeric (int or float), got string`,
    );
  });

  it("needs a manager, and force only for itself", async () => {
    const reply = await server.request("PATCH", `${widgets}/a`, widget("a"), applyPatch);
    const text =
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: ' +
      "is required for apply patch";
    refused(reply, 422, "Invalid", text);
    const forced = await server.request("PATCH", `${widgets}/a?force=true`, {}, mergePatch);
    const forbidden =
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: ' +
      "may not be specified for non-apply patch";
    refused(forced, 422, "Invalid", forbidden);
    const long = await apply("a", widget("a"), "x".repeat(129));
    const limit =
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: ' +
      "Too long: may not be more than 128 bytes";
    refused(long, 422, "Invalid", limit);
  });

  it("keeps its time when it changes nothing, and judges nulls", async () => {
    const made = given(await apply("timed", widget("timed", { size: 1 })), 201);
    const forged = { creationTimestamp: "2020-01-01T00:00:00Z", generation: 44 };
    assert.deepEqual(given(await apply("timed", widget("timed", { size: 1 }, forged))), made);
    const reply = await apply("timed", widget("timed", { size: null }));
    const why = 'spec.size in body must be of type integer: "null"';
    const message = pickText(reply.json, "message");
    assert.equal(reply.status, 422);
    assert.ok(message.includes(`[spec.size: Invalid value: "null": ${why}, <nil>`), message);
  });

  it("takes no managed fields", async () => {
    const entry = { manager: "x", operation: "Apply", apiVersion, fieldsType: "FieldsV1" };
    const body = widget("a", { size: 1 }, { managedFields: [{ ...entry, fieldsV1: {} }] });
    refused(await apply("a", body), 400, "BadRequest", "metadata.managedFields must be nil");
  });

  it("refuses bodies that are no configuration", async () => {
    const cases: readonly [string, string][] = [
      ["", "invalid object type: /, Kind="],
      ["{}", "invalid object type: /, Kind="],
      [`{"apiVersion":"x/v1","kind":"Widget"}`, "invalid object type: x/v1, Kind=Widget"],
      [`{"apiVersion":"${apiVersion}"}`, `invalid object type: ${apiVersion}, Kind=`],
      [
        "[]",
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: " +
          "json: cannot unmarshal array into Go value of type map[string]interface {}",
      ],
      [
        "a: b: c",
        "error decoding YAML: error converting YAML to JSON: " +
          "yaml: mapping values are not allowed in this context",
      ],
    ];
    for (const [body, text] of cases) refused(await apply("a", body), 400, "BadRequest", text);
  });

  it("tells of keys given twice by their line", async () => {
    const start = `apiVersion: ${apiVersion}\nkind: Widget\nmetadata: {name: a}\n`;
    const yaml = `${start}spec:\n  size: 2\n  size: 2\n`;
    const warned = await apply("a", yaml);
    assert.equal(warned.headers["warning"], '299 - "line 6: key \\"size\\" already set in map"');
    const strict = await apply("a", yaml, "m1", "&fieldValidation=Strict");
    const text =
      "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n" +
      '  line 6: key "size" already set in map';
    refused(strict, 400, "BadRequest", text);
  });

  it("takes name and namespace from the path", async () => {
    const bare = { apiVersion, kind: "Widget", spec: { size: 2 } };
    assert.equal(pick(given(await apply("a", bare)), "metadata.name"), "a");
    const other = "the name of the object (b) does not match the name on the URL (a)";
    refused(await apply("a", widget("b")), 400, "BadRequest", other);
    const place =
      "the namespace of the provided object does not match the namespace sent on the request";
    refused(await apply("a", widget("a", {}, { namespace: "b" })), 400, "BadRequest", place);
  });

  it("compares a revision and a uid", async () => {
    const modified =
      `Operation cannot be fulfilled on widgets.${group} "a": the object has been modified; ` +
      "please apply your changes to the latest version and try again";
    const stale = widget("a", { size: 2 }, { resourceVersion: "1" });
    refused(await apply("a", stale), 409, "Conflict", modified);
    const uid =
      `Operation cannot be fulfilled on widgets.${group} "fresh": uid mismatch: ` +
      "the provided object specified uid u, and no existing object was found";
    refused(await apply("fresh", widget("fresh", {}, { uid: "u" })), 409, "Conflict", uid);
    given(await apply("fresh", widget("fresh", {}, { resourceVersion: "5" })), 201);
  });

  it("stores nothing in a dry run", async () => {
    const standing = given(await server.request("GET", `${widgets}/a`));
    const dry = given(await apply("a", widget("a", { size: 77 }), "m1", "&dryRun=All"));
    assert.equal(pick(dry, "spec.size"), 77);
    assert.deepEqual(given(await server.request("GET", `${widgets}/a`)), standing);
    given(await apply("dry", widget("dry"), "m1", "&dryRun=All"), 201);
    assert.equal((await server.request("GET", `${widgets}/dry`)).status, 404);
  });

  it("owns labels and finalizers one by one", async () => {
    const metadata = { labels: { a: "b" }, finalizers: ["x.y/z"] };
    given(await apply("meta", widget("meta", {}, metadata)), 201);
    const more = { labels: { c: "d" }, finalizers: ["x.y/w"] };
    const both = given(await apply("meta", widget("meta", {}, more), "m2"));
    assert.deepEqual(pick(both, "metadata.labels"), { a: "b", c: "d" });
    assert.deepEqual(pick(both, "metadata.finalizers"), ["x.y/z", "x.y/w"]);
    const off = given(await apply("meta", widget("meta")));
    assert.deepEqual(pick(off, "metadata.labels"), { c: "d" });
    assert.deepEqual(pick(off, "metadata.finalizers"), ["x.y/w"]);
  });

  it("writes status through its endpoint alone", async () => {
    const status = { phase: "x" };
    const body = { ...widget("a", { size: 50 }, { labels: { z: "z" } }), status };
    const told = given(await apply("a/status", body, "st"));
    assert.deepEqual(pick(told, "status"), status);
    assert.equal(pick(told, "spec.size"), 2);
    assert.deepEqual(ownedBy(told, "st", "status"), { "f:status": { "f:phase": {} } });
    const main = given(await apply("a", { ...widget("a", { size: 2 }), status: { phase: "y" } }));
    assert.deepEqual(pick(main, "status"), status);
    const absent = await apply("none/status", { ...widget("none"), status }, "st");
    refused(absent, 404, "NotFound", `widgets.${group} "none" not found`);
  });

  it("lets kubectl go over from its own record", async () => {
    const key = "kubectl.kubernetes.io/last-applied-configuration";
    const last = widget("cs", { size: 1, name: "x" }, { annotations: {}, namespace: "test" });
    const annotations = { [key]: `${JSON.stringify(last)}\n` };
    const path = `${widgets}?fieldManager=kubectl-client-side-apply`;
    const first = widget("cs", { size: 1, name: "x" }, { annotations });
    given(await server.request("POST", path, first), 201);
    const next = given(await apply("cs", widget("cs", { size: 2 }), "kubectl"));
    assert.equal(pick(next, "spec.size"), 2);
    const record = (pick(next, "metadata.annotations") as Record<string, string>)[key];
    assert.equal(record, `${JSON.stringify(widget("cs", { size: 2 }))}\n`);
  });

  it("works on built-in kinds", async () => {
    const send = async (body: unknown, manager?: string): Promise<Reply> =>
      await apply("cm", body, manager, "", configMaps);
    given(await send(configMap("cm", { data: { a: "1" } })), 201);
    given(await send(configMap("cm", { data: { b: "1" } }), "m2"));
    const text = 'Apply failed with 1 conflict: conflict with "m1": .data.a';
    refused(await send(configMap("cm", { data: { a: "2" } }), "m2"), 409, "Conflict", text);
    const left = given(await send(configMap("cm")));
    assert.deepEqual(pick(left, "data"), { b: "1" });
  });

  it("needs the right to create where it creates", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/test";
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "patcher" },
      rules: [{ apiGroups: [group], resources: ["widgets"], verbs: ["patch"] }],
    };
    given(await server.request("POST", `${rbac}/roles`, role), 201);
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "patcher" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patcher" },
      subjects: [{ kind: "User", name: "pat" }],
    };
    given(await server.request("POST", `${rbac}/rolebindings`, binding), 201);
    const headers = { ...applyPatch, "impersonate-user": "pat" };
    const send = async (name: string): Promise<Reply> =>
      await server.request("PATCH", `${widgets}/${name}?fieldManager=p`, widget(name), headers);
    const text =
      `widgets.${group} "made" is forbidden: User "pat" cannot create resource "widgets" ` +
      `in API group "${group}" in the namespace "test"`;
    refused(await send("made"), 403, "Forbidden", text);
    given(await send("a"));
  });
});

describe("scaling", () => {
  const scale = (replicas: number, metadata: object = {}): object => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "s", ...metadata },
    spec: { replicas },
  });
  const path = `${widgets}/s/scale`;

  it("has none while the number is not there", async () => {
    given(await server.request("POST", widgets, widget("s", { size: 5 })), 201);
    const reply = await server.request("GET", path);
    const text = 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist';
    refused(reply, 500, "InternalError", text);
  });

  it("shares identity and revision with its resource", async () => {
    const scaled = given(await server.request("PUT", path, scale(3)));
    const parent = given(await server.request("GET", `${widgets}/s`));
    assert.equal(pick(parent, "spec.replicas"), 3);
    assert.equal(pick(parent, "metadata.generation"), 2);
    assert.equal(revisionOf(scaled), revisionOf(parent));
    assert.equal(pick(scaled, "metadata.uid"), pick(parent, "metadata.uid"));
    assert.deepEqual(
      [pick(scaled, "spec"), pick(scaled, "status")],
      [{ replicas: 3 }, { replicas: 0 }],
    );
  });

  it("records who scaled", async () => {
    const query = "?fieldManager=scaler";
    given(await server.request("PATCH", path + query, { spec: { replicas: 7 } }, mergePatch));
    const parent = given(await server.request("GET", `${widgets}/s`));
    const entries = pick(parent, "metadata.managedFields") as { manager: string }[];
    const entry = entries.find(({ manager }) => manager === "scaler");
    assert.deepEqual(
      [pick(entry, "operation"), pick(entry, "subresource"), pick(entry, "fieldsV1")],
      ["Update", "scale", { "f:spec": { "f:replicas": {} } }],
    );
  });

  it("is patched, compared and judged like its resource", async () => {
    const merged = await server.request("PATCH", path, { spec: { replicas: 2 } }, mergePatch);
    assert.deepEqual(pick(given(merged), "spec"), { replicas: 2 });
    const operation = [{ op: "replace", path: "/spec/replicas", value: 0 }];
    const none = await server.request("PATCH", path, operation, jsonPatch);
    assert.deepEqual(pick(given(none), "spec"), {});
    const modified =
      `Operation cannot be fulfilled on widgets.${group} "s": the object has been modified; ` +
      "please apply your changes to the latest version and try again";
    const stale = await server.request("PUT", path, scale(1, { resourceVersion: "1" }));
    refused(stale, 409, "Conflict", modified);
    const negative =
      `Widget.${group} "s" is invalid: .spec.replicas: Invalid value: -1: ` +
      "should be a non-negative integer";
    refused(await server.request("PUT", path, scale(-1)), 422, "Invalid", negative);
    const name = "the name of the object (t) does not match the name on the URL (s)";
    refused(await server.request("PUT", path, scale(1, { name: "t" })), 400, "BadRequest", name);
    const verb = `delete is not supported on resources of kind "widgets.${group}"`;
    refused(await server.request("DELETE", path), 405, "MethodNotAllowed", verb);
  });
});
