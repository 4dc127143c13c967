// Creating, replacing, patching and deleting through the Kubernetes surface: codes, reasons and
// messages are those of kube-apiserver, literally, because clients compare them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import {
  apiVersion,
  changed,
  configMap,
  configMaps,
  gadgets,
  given,
  group,
  jsonPatch,
  mergePatch,
  refused,
  revisionOf,
  setUpWidgets,
  strategicPatch,
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

const create = async (body: unknown, query = ""): Promise<Reply> =>
  await server.request("POST", `${widgets}${query}`, body);
const raw = async (body: string, type = "application/json", path = widgets): Promise<Reply> =>
  await server.request("POST", path, body, { "content-type": type });
const put = async (name: string, body: unknown, query = ""): Promise<Reply> =>
  await server.request("PUT", `${widgets}/${name}${query}`, body);
const patch = async (name: string, body: unknown, query = ""): Promise<Reply> =>
  await server.request("PATCH", `${widgets}/${name}${query}`, body, mergePatch);
const operate = async (name: string, operations: unknown): Promise<Reply> =>
  await server.request("PATCH", `${widgets}/${name}`, operations, jsonPatch);
const remove = async (name: string, body?: unknown, query = ""): Promise<Reply> =>
  await server.request("DELETE", `${widgets}/${name}${query}`, body);
const read = async (name: string): Promise<unknown> =>
  given(await server.request("GET", `${widgets}/${name}`));

const blocked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was " +
  "invalid; correct the existing errors to complete validation";
const isWidget = `Widget.${group}`;
const unrecognised = "the object provided is unrecognized (must be of type Widget): ";
const lowercase =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, " +
  "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', " +
  "regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe("creating", () => {
  it("answers 201 with what the server sets", async () => {
    const sent = { generation: 7, uid: "mine", creationTimestamp: "2020-01-01T00:00:00Z" };
    const made = given(await create(widget("sets", { size: 1 }, { ...sent, selfLink: "x" })), 201);
    assert.match(pickText(made, "metadata.uid"), /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    assert.match(pickText(made, "metadata.creationTimestamp"), /^20(?!20)\d\d-.*\d\dZ$/);
    assert.match(pickText(made, "metadata.resourceVersion"), /^\d+$/);
    assert.equal(pick(made, "metadata.generation"), 1);
    assert.equal(pick(made, "metadata.selfLink"), undefined);
    assert.equal(pick(made, "metadata.namespace"), "test");
    const [entry] = pickList(made, "metadata.managedFields");
    assert.equal(pick(entry, "manager"), "unknown");
    assert.equal(pick(entry, "operation"), "Update");
    const owned = { ".": {}, "f:color": {}, "f:size": {} };
    assert.deepEqual(pick(entry, "fieldsV1"), { "f:spec": owned });
  });

  it("drops a status where the kind has a status endpoint, and keeps it elsewhere", async () => {
    const made = given(await create({ ...widget("nostatus"), status: { phase: "x" } }), 201);
    assert.equal(pick(made, "status"), undefined);
    const gadget = { apiVersion, kind: "Gadget", metadata: { name: "g" }, status: { phase: "x" } };
    const kept = given(await server.request("POST", gadgets, gadget), 201);
    assert.deepEqual(pick(kept, "status"), { phase: "x" });
  });

  it("needs a name or a base for one", async () => {
    const text = "metadata.name: Required value: name or generateName is required";
    const message = `${isWidget} "" is invalid: [${text}, ${blocked}]`;
    refused(await create(widget(undefined)), 422, "Invalid", message);
    const base = "b".repeat(70);
    const long = given(await create(widget(undefined, {}, { generateName: `${base}-` })), 201);
    assert.match(pickText(long, "metadata.name"), /^b{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it("refuses a name that is none", async () => {
    const invalid = (name: string): string =>
      `${isWidget} "${name}" is invalid: metadata.name: Invalid value: "${name}": ${lowercase}`;
    for (const name of ["A", "a_b", "-a", "a.", "a..b"]) {
      refused(await create(widget(name)), 422, "Invalid", invalid(name));
    }
  });

  it("refuses what exists, and says so when it is being deleted", async () => {
    given(await create(widget("twice", {}, { finalizers: ["example.dev/x"] })), 201);
    const exists = `widgets.${group} "twice" already exists`;
    refused(await create(widget("twice")), 409, "AlreadyExists", exists);
    refused(await create(widget("twice"), "?dryRun=All"), 409, "AlreadyExists", exists);
    given(await remove("twice"));
    const leaving = `object is being deleted: ${exists}`;
    refused(await create(widget("twice")), 409, "AlreadyExists", leaving);
  });

  it("refuses another version, kind or namespace than that of the path", async () => {
    const other = { ...widget("other"), apiVersion: `${group}/v2` };
    const version =
      `the API version in the data (${group}/v2) does not match ` +
      `the expected API version (${apiVersion})`;
    refused(await create(other), 400, "BadRequest", version);
    const start = `Gadget.${group} "other" is invalid: `;
    const kind = `${start}kind: Invalid value: "Gadget": must be Widget`;
    refused(await create({ ...widget("other"), kind: "Gadget" }), 422, "Invalid", kind);
    const place =
      "the namespace of the provided object does not match the namespace sent on the request";
    const elsewhere = widget("other", {}, { namespace: "elsewhere" });
    refused(await create(elsewhere), 400, "BadRequest", place);
  });

  it("refuses a revision with the code that Kubernetes has for it", async () => {
    const text = "resourceVersion should not be set on objects to be created";
    const set = widget("revised", {}, { resourceVersion: "5" });
    refused(await create(set), 500, undefined, text);
    given(await create(widget("revised", {}, { resourceVersion: "0" })), 201);
  });

  it("needs a namespace that exists and stays", async () => {
    const path = `/apis/${apiVersion}/namespaces/nowhere/widgets`;
    const absent = await server.request("POST", path, widget("x"));
    refused(absent, 404, "NotFound", 'namespaces "nowhere" not found');
    const metadata = { name: "leaving", finalizers: ["example.dev/hold"] };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
    given(await server.request("POST", "/api/v1/namespaces", namespace), 201);
    given(await server.request("DELETE", "/api/v1/namespaces/leaving"));
    const inside = `/apis/${apiVersion}/namespaces/leaving/widgets`;
    const reply = await server.request("POST", inside, widget("x"));
    const text =
      `widgets.${group} "x" is forbidden: unable to create new content in namespace leaving ` +
      "because it is being terminated";
    refused(reply, 403, "Forbidden", text);
    const [cause] = pickList(reply.json, "details.causes");
    assert.equal(pick(cause, "reason"), "NamespaceTerminating");
    const free = { metadata: { finalizers: null } };
    await server.request("PATCH", "/api/v1/namespaces/leaving", free, mergePatch);
  });

  it("creates nothing without a namespace, or in one where there are none", async () => {
    for (const path of [
      `/apis/${apiVersion}/widgets`,
      `/apis/${apiVersion}/namespaces/test/gadgets`,
    ]) {
      const reply = await server.request("POST", path, widget("x"));
      assert.deepEqual([reply.status, reply.text], [404, "404 page not found\n"]);
    }
  });

  it("refuses bodies that are no document, as bytes or as text", async () => {
    const parse = `${unrecognised}couldn't get version/kind; json parse error: `;
    const header =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
      'Kind string "json:\\"kind,omitempty\\"" }';
    const into = (what: string, hex: string): string =>
      `${parse}json: cannot unmarshal ${what} into Go value of type ${header} (${hex})`;
    const cases: readonly [string, string][] = [
      ["", `${parse}unexpected end of JSON input (<empty>)`],
      ["{", `${parse}unexpected end of JSON input ({)`],
      ["[]", into("array", "5b5d")],
      ["1", into("number", "31")],
      ['"x"', into("string", "227822")],
      ["true", into("bool", "74727565")],
      ["null", `${unrecognised}Object 'Kind' is missing in 'null' (6e756c6c)`],
      ["{}", `${unrecognised}Object 'Kind' is missing in '{}' ({})`],
      ["hello", `${parse}invalid character 'h' looking for beginning of value (68656c6c6f)`],
    ];
    for (const [body, message] of cases) refused(await raw(body), 400, "BadRequest", message);
  });

  it("reads YAML, and no types that it does not know", async () => {
    const start = `apiVersion: ${apiVersion}\nkind: Widget\n`;
    const yaml = `${start}metadata: {name: yaml}\nspec: {size: 3}\n`;
    assert.equal(pick(given(await raw(yaml, "application/yaml"), 201), "spec.size"), 3);
    const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    const text =
      "the body of the request was in an unknown format - " +
      `accepted media types include: ${types}`;
    refused(await raw("x", "text/plain"), 415, "UnsupportedMediaType", text);
  });

  it("refuses bodies over three mebibytes", async () => {
    const big = widget("big", { free: { a: "x".repeat(3 * 1024 * 1024) } });
    const text = "Request entity too large: limit is 3145728";
    refused(await create(big), 413, "RequestEntityTooLarge", text);
  });

  it("reads metadata as the types that it has", async () => {
    const prefix = 'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal ';
    const cases: readonly [object, string][] = [
      [{ labels: { a: 1 } }, "number into Go struct field ObjectMeta.labels of type string"],
      [{ finalizers: "x" }, "string into Go struct field ObjectMeta.finalizers of type []string"],
      [{ generation: "x" }, "string into Go struct field ObjectMeta.generation of type int64"],
    ];
    for (const [metadata, text] of cases) {
      refused(await create(widget("meta", {}, metadata)), 400, "BadRequest", prefix + text);
    }
    const listed = await create({ ...widget("meta"), metadata: [] });
    refused(listed, 400, "BadRequest", `${prefix}array into Go value of type v1.ObjectMeta`);
  });

  it("refuses labels, owners and finalizers that break their rules", async () => {
    const label =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " +
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or " +
      "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?" +
      "[A-Za-z0-9])?')";
    const wrong = `${isWidget} "rules" is invalid: metadata.labels: Invalid value: "x y": ${label}`;
    refused(await create(widget("rules", {}, { labels: { a: "x y" } })), 422, "Invalid", wrong);
    const owners = ["x", "y"].map((name) => {
      return { apiVersion: "v1", kind: "ConfigMap", controller: true, name, uid: name };
    });
    const shown = ["x", "y"].map(
      (name) =>
        `{"apiVersion":"v1","kind":"ConfigMap","name":"${name}","uid":"${name}","controller":true}`,
    );
    const both =
      `${isWidget} "rules" is invalid: metadata.ownerReferences: Invalid value: ` +
      `[${shown.join(",")}]: Only one reference can have Controller set to true. ` +
      'Found "true" in references for ConfigMap/x and ConfigMap/y';
    refused(await create(widget("rules", {}, { ownerReferences: owners })), 422, "Invalid", both);
    const loose = configMap("rules", {}, { finalizers: ["abc"] });
    const text =
      'ConfigMap "rules" is invalid: metadata.finalizers[0]: Invalid value: "abc": ' +
      "name is neither a standard finalizer name nor is it fully qualified";
    refused(await server.request("POST", configMaps, loose), 422, "Invalid", text);
  });

  it("warns of finalizers without a domain and of owners named twice", async () => {
    const free = await create(widget("warned", {}, { finalizers: ["abc"] }));
    const text =
      '299 - "metadata.finalizers: \\"abc\\": prefer a domain-qualified finalizer name to avoid ' +
      'accidental conflicts with other finalizer writers"';
    assert.deepEqual([free.status, free.headers["warning"]], [201, text]);
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "u" };
    const twice = await create(widget("owned", {}, { ownerReferences: [owner, owner] }));
    assert.deepEqual(pick(given(twice, 201), "metadata.ownerReferences"), [owner]);
    assert.match(String(twice.headers["warning"]), /duplicate UID\(s\) observed: u"$/);
  });

  it("takes unknown and repeated fields as fieldValidation says", async () => {
    const body =
      `{"apiVersion":"${apiVersion}","kind":"Widget","metadata":{"name":"strict"},` +
      '"spec":{"size":1,"size":2,"nope":1}}';
    const send = async (query: string): Promise<Reply> =>
      await raw(body, "application/json", `${widgets}?dryRun=All&fieldValidation=${query}`);
    const text =
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: ' +
      'duplicate field "spec.size", unknown field "spec.nope"';
    refused(await send("Strict"), 400, "BadRequest", text);
    const both = '299 - "duplicate field \\"spec.size\\"", 299 - "unknown field \\"spec.nope\\""';
    for (const query of ["Warn", ""]) {
      const reply = await send(query);
      assert.deepEqual([reply.status, reply.headers["warning"]], [201, both]);
      assert.deepEqual(pick(reply.json, "spec"), { size: 2, color: "red" });
    }
    assert.equal((await send("Ignore")).headers["warning"], undefined);
    const options =
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bad": ' +
      'supported values: "", "Ignore", "Strict", "Warn"';
    refused(await send("Bad"), 422, "Invalid", options);
  });

  it("judges by the schema and names every problem", async () => {
    const reply = await create(widget("judged", { size: -1, color: "pink", name: "x".repeat(11) }));
    const problems = [
      "spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0",
      'spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
      "spec.name: Too long: may not be more than 10 bytes",
      blocked,
    ];
    refused(reply, 422, "Invalid", `${isWidget} "judged" is invalid: [${problems.join(", ")}]`);
    const reasons = pickList(reply.json, "details.causes").map((cause) => pick(cause, "reason"));
    const [invalid, unsupported, long] = ["Invalid", "NotSupported", "TooLong"];
    assert.deepEqual(
      reasons,
      [invalid, unsupported, long, invalid].map((r) => `FieldValue${r}`),
    );
    assert.equal(pick(reply.json, "details.kind"), "Widget");
    assert.equal(pick(reply.json, "details.group"), group);
  });

  it("names unknown fields in the order of kube-apiserver, in JSON and YAML", async () => {
    const embedded = { apiVersion: "v1", kind: "X", metadata: { name: "n", nope: 1 } };
    const spec = { embedded, zz: 1, plain: "x" };
    const document = changed(widget("ordered", spec), "metadata", { odd: 1 });
    const names = ["metadata.odd", "spec.zz", "spec.embedded.metadata.nope"];
    const fields = names.map((name) => `unknown field "${name}"`).join(", ");
    const path = `${widgets}?fieldValidation=Strict`;
    for (const type of ["application/json", "application/yaml"]) {
      const reply = await raw(`${JSON.stringify(document, undefined, 1)}\n`, type, path);
      assert.equal(reply.status, 400, reply.text);
      const message = pickText(reply.json, "message");
      assert.ok(message.endsWith(`strict decoding error: ${fields}`), message);
    }
  });

  it("reads embedded resources as resources", async () => {
    const embedded = { apiVersion: "v1", kind: "X", metadata: { name: "n", nope: 1 }, any: 1 };
    const reply = await create(widget("embedding", { embedded }));
    const { headers } = reply;
    assert.equal(headers["warning"], '299 - "unknown field \\"spec.embedded.metadata.nope\\""');
    assert.deepEqual(pick(given(reply, 201), "spec.embedded.metadata"), { name: "n" });
    const missing = await create(widget("embedding2", { embedded: { kind: "X" } }));
    const text = `[spec.embedded.apiVersion: Required value, ${blocked}]`;
    refused(missing, 422, "Invalid", `${isWidget} "embedding2" is invalid: ${text}`);
  });

  it("stores nothing in a dry run", async () => {
    const reply = await create(widget("dry", { size: 1 }), "?dryRun=All");
    assert.equal(pick(given(reply, 201), "metadata.resourceVersion"), undefined);
    const gone = await server.request("GET", `${widgets}/dry`);
    refused(gone, 404, "NotFound", `widgets.${group} "dry" not found`);
    const text =
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: ' +
      'supported values: "All"';
    const some = await create(widget("dry"), "?dryRun=Some");
    assert.deepEqual([some.status, pick(some.json, "message")], [422, text]);
  });
});

describe("replacing", () => {
  it("keeps the revision when nothing changes, and counts changes of intent", async () => {
    const made = given(await create(widget("counted", { size: 1 })), 201);
    assert.equal(revisionOf(given(await put("counted", made))), revisionOf(made));
    const labelled = given(await put("counted", changed(made, "metadata", { labels: { a: "b" } })));
    assert.equal(pick(labelled, "metadata.generation"), 1);
    const grown = given(await put("counted", changed(labelled, "spec", { size: 2 })));
    assert.equal(pick(grown, "metadata.generation"), 2);
    const told = given(await put("counted", { ...grown, status: { phase: "x" } }));
    assert.equal(pick(told, "status"), undefined);
    assert.equal(revisionOf(told), revisionOf(grown));
  });

  it("compares revision, uid and name", async () => {
    const made = given(await create(widget("compared", { size: 1 })), 201);
    const send = async (metadata: object): Promise<Reply> =>
      await put("compared", changed(made, "metadata", metadata));
    const name = `widgets.${group} "compared"`;
    const modified =
      `Operation cannot be fulfilled on ${name}: the object has been modified; ` +
      "please apply your changes to the latest version and try again";
    refused(await send({ resourceVersion: "1" }), 409, "Conflict", modified);
    const missing =
      `${name} is invalid: metadata.resourceVersion: Invalid value: 0: ` +
      "must be specified for an update";
    for (const resourceVersion of [undefined, "", "0"]) {
      refused(await send({ resourceVersion }), 422, "Invalid", missing);
    }
    const garbage = 'strconv.ParseUint: parsing "abc": invalid syntax';
    refused(await send({ resourceVersion: "abc" }), 500, undefined, garbage);
    const uid =
      `Operation cannot be fulfilled on ${name}: StorageError: invalid object, Code: 4, ` +
      `Key: /registry/${group}/widgets/test/compared, ResourceVersion: 0, AdditionalErrorMsg: ` +
      "Precondition failed: UID in precondition: b, " +
      `UID in object meta: ${pickText(made, "metadata.uid")}`;
    refused(await send({ uid: "b" }), 409, "Conflict", uid);
    const other = "the name of the object (b) does not match the name on the URL (compared)";
    refused(await send({ name: "b" }), 400, "BadRequest", other);
    const none =
      "the name of the object (compared based on URL) was undeterminable: name must be provided";
    refused(await send({ name: undefined }), 400, "BadRequest", none);
    const absent = `widgets.${group} "nobody" not found`;
    refused(await put("nobody", widget("nobody")), 404, "NotFound", absent);
  });

  it("lets built-in kinds be replaced without a revision", async () => {
    given(await server.request("POST", configMaps, configMap("blind", { data: { a: "1" } })), 201);
    const path = `${configMaps}/blind`;
    const next = given(await server.request("PUT", path, configMap("blind", { data: { a: "2" } })));
    assert.deepEqual(pick(next, "data"), { a: "2" });
  });

  it("keeps what only the server sets", async () => {
    const made = given(await create(widget("kept", { size: 1 })), 201);
    const forged = { generation: 99, creationTimestamp: "2020-01-01T00:00:00Z", uid: undefined };
    assert.deepEqual(given(await put("kept", changed(made, "metadata", forged))), made);
    const deleted = { deletionTimestamp: "2020-01-01T00:00:00Z" };
    const reply = await put("kept", changed(made, "metadata", deleted));
    const text =
      `${isWidget} "kept" is invalid: metadata.deletionTimestamp: ` +
      'Invalid value: "2020-01-01T00:00:00Z": field is immutable';
    refused(reply, 422, "Invalid", text);
  });

  it("forgets managers when told to", async () => {
    const made = given(await create(widget("forgotten", { size: 1 })), 201);
    const cleared = given(
      await put("forgotten", changed(made, "metadata", { managedFields: [{}] })),
    );
    assert.equal(pick(cleared, "metadata.managedFields"), undefined);
  });

  it("holds to rules about the old value", async () => {
    const made = given(await create(widget("fixing", { fixed: "a" })), 201);
    const reply = await put("fixing", changed(made, "spec", { fixed: "b" }));
    const text = `${isWidget} "fixing" is invalid: spec.fixed: Invalid value: "b": fixed is fixed`;
    refused(reply, 422, "Invalid", text);
  });
});

describe("the status endpoint", () => {
  const tell = async (name: string, body: unknown, query = ""): Promise<Reply> =>
    await put(`${name}/status`, body, query);

  it("takes the status alone and records who wrote it", async () => {
    const made = given(await create(widget("told", { size: 1 })), 201);
    const wanted = changed(changed(made, "spec", { size: 9 }), "metadata", { labels: { a: "b" } });
    const body = { ...wanted, status: { phase: "go" } };
    const told = given(await tell("told", body, "?fieldManager=controller"));
    assert.deepEqual(pick(told, "status"), { phase: "go" });
    assert.equal(pick(told, "spec.size"), 1);
    assert.equal(pick(told, "metadata.labels"), undefined);
    assert.equal(pick(told, "metadata.generation"), 1);
    const entries = pickList(told, "metadata.managedFields");
    const entry = entries.find((one) => pick(one, "subresource") === "status");
    assert.equal(pick(entry, "manager"), "controller");
    assert.deepEqual(pick(entry, "fieldsV1"), { "f:status": { ".": {}, "f:phase": {} } });
    assert.equal(
      revisionOf(given(await tell("told", told, "?fieldManager=other"))),
      revisionOf(told),
    );
  });

  it("judges the status alone", async () => {
    const made = given(await create(widget("judging", { size: 1 })), 201);
    const bad = { ...made, status: { replicas: -1 } };
    const text =
      `${isWidget} "judging" is invalid: [status.replicas: Invalid value: -1: replicas in body ` +
      "should be greater than or equal to 0, .status.replicas: Invalid value: -1: " +
      "should be a non-negative integer]";
    refused(await tell("judging", bad), 422, "Invalid", text);
    const spec = { ...changed(made, "spec", { size: -1 }), status: { phase: "fine" } };
    assert.equal(pick(given(await tell("judging", spec)), "status.phase"), "fine");
  });

  it("is nowhere where a kind has none, and has no other verbs", async () => {
    const none = await server.request("GET", `${gadgets}/g/status`);
    refused(none, 404, "NotFound", `gadgets.${group} "g" not found`);
    const text = `delete is not supported on resources of kind "widgets.${group}"`;
    refused(await remove("told/status"), 405, "MethodNotAllowed", text);
  });
});

describe("patching", () => {
  before(async () => {
    given(await create(widget("p", { size: 1, plain: ["a", "b"], limits: { a: "b" } })), 201);
  });

  it("merges, and writes nothing when nothing changes", async () => {
    const merged = given(await patch("p", { spec: { size: 2, limits: { a: null, c: "d" } } }));
    assert.deepEqual(pick(merged, "spec.limits"), { c: "d" });
    assert.equal(revisionOf(given(await patch("p", {}))), revisionOf(merged));
    const defaulted = given(await patch("p", { spec: { color: null } }));
    assert.equal(pick(defaulted, "spec.color"), "red");
  });

  it("performs operations", async () => {
    const operations = [
      { op: "test", path: "/spec/size", value: 2 },
      { op: "add", path: "/spec/plain/-", value: "c" },
      { op: "remove", path: "/spec/plain/-3" },
      { op: "replace", path: "/spec/name", value: "new" },
    ];
    const spec = pick(given(await operate("p", operations)), "spec");
    assert.deepEqual([pick(spec, "plain"), pick(spec, "name")], [["b", "c"], "new"]);
  });

  it("refuses operations that do not fit", async () => {
    const text = "the server rejected our request due to an error in our request";
    for (const operation of [
      { op: "test", path: "/spec/size", value: 8 },
      { op: "remove", path: "/spec/none" },
      { op: "add", path: "/a/b/c", value: 1 },
      { op: "zip", path: "/spec" },
    ]) {
      const reply = await operate("p", [operation]);
      refused(reply, 422, "Invalid", text);
      assert.deepEqual(pick(reply.json, "details"), {});
    }
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "x" }));
    const limit =
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, " +
      "got 10001";
    refused(await operate("p", many), 413, "RequestEntityTooLarge", limit);
  });

  it("refuses what is no patch", async () => {
    const decoding = "error decoding patch: ";
    const map = "Go value of type map[string]interface {}";
    const cases: readonly [string, typeof mergePatch, string][] = [
      ["{", mergePatch, "unexpected end of JSON input"],
      ["[]", mergePatch, `json: cannot unmarshal array into ${map}`],
      [
        "1",
        jsonPatch,
        "json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp",
      ],
      ["hello", jsonPatch, "invalid character 'h' looking for beginning of value"],
    ];
    for (const [body, type, text] of cases) {
      const reply = await server.request("PATCH", `${widgets}/p`, body, type);
      refused(reply, 400, "BadRequest", decoding + text);
    }
  });

  it("finds the resource before it reads the patch", async () => {
    const reply = await server.request("PATCH", `${widgets}/none`, "{", mergePatch);
    refused(reply, 404, "NotFound", `widgets.${group} "none" not found`);
  });

  it("knows the types of patches that a kind takes", async () => {
    const types =
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    const text =
      "the body of the request was in an unknown format - " +
      `accepted media types include: ${types}`;
    for (const headers of [strategicPatch, { "content-type": "application/json" }]) {
      const reply = await server.request("PATCH", `${widgets}/p`, "{}", headers);
      refused(reply, 415, "UnsupportedMediaType", text);
    }
  });

  it("compares a revision inside the patch", async () => {
    const modified =
      `Operation cannot be fulfilled on widgets.${group} "p": the object has been modified; ` +
      "please apply your changes to the latest version and try again";
    refused(await patch("p", { metadata: { resourceVersion: "1" } }), 409, "Conflict", modified);
    const resourceVersion = String(revisionOf(await read("p")));
    given(await patch("p", { metadata: { resourceVersion }, spec: { size: 3 } }));
  });

  it("does not change what a resource is", async () => {
    const name = "the name of the object (q) does not match the name on the URL (p)";
    refused(await patch("p", { metadata: { name: "q" } }), 400, "BadRequest", name);
    const uid = `${isWidget} "p" is invalid: metadata.uid: Invalid value: "q": field is immutable`;
    refused(await patch("p", { metadata: { uid: "q" } }), 422, "Invalid", uid);
    const kind = `Gadget.${group} "p" is invalid: kind: Invalid value: "Gadget": must be Widget`;
    refused(await patch("p", { kind: "Gadget" }), 422, "Invalid", kind);
  });

  it("refuses unknown fields strictly, and warns otherwise", async () => {
    const strict = await patch("p", { spec: { nope: 1 } }, "?fieldValidation=Strict");
    assert.equal(strict.status, 422);
    const end = '": strict decoding error: unknown field "spec.nope"';
    const message = pickText(strict.json, "message");
    assert.ok(message.startsWith(' "" is invalid: patch: Invalid value: "{\\"apiVersion\\"'));
    assert.ok(message.endsWith(end), message);
    const warned = await patch("p", { spec: { nope: 1 } });
    assert.equal(warned.headers["warning"], '299 - "unknown field \\"spec.nope\\""');
  });

  it("merges lists of built-in kinds by their keys", async () => {
    given(await server.request("POST", configMaps, configMap("c", { data: { a: "1" } })), 201);
    const send = async (body: unknown): Promise<unknown> =>
      given(await server.request("PATCH", `${configMaps}/c`, body, strategicPatch));
    const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "u" };
    await send({ metadata: { ownerReferences: [owner] } });
    const two = await send({ metadata: { ownerReferences: [{ ...owner, uid: "u2" }] } });
    assert.equal(pickList(two, "metadata.ownerReferences").length, 2);
    const gone = { ownerReferences: [{ $patch: "delete", uid: "u" }] };
    const one = await send({ metadata: gone, data: { a: null, b: "2" } });
    assert.deepEqual(pickList(one, "metadata.ownerReferences"), [{ ...owner, uid: "u2" }]);
    assert.deepEqual(pick(one, "data"), { b: "2" });
  });

  it("tries again when another writer was faster", async () => {
    given(await create(widget("raced", { limits: {} })), 201);
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const replies = await Promise.all(
      keys.map(async (key) => await patch("raced", { spec: { limits: { [key]: "x" } } })),
    );
    const won = keys.filter((_, index) => replies[index]?.status === 200);
    assert.deepEqual(
      Object.keys(pick(await read("raced"), "spec.limits") as object).sort(),
      won.sort(),
    );
    for (const { status } of replies) assert.ok(status === 200 || status === 409, String(status));
  });
});

describe("deleting", () => {
  const options = (more: object): object => ({ kind: "DeleteOptions", apiVersion: "v1", ...more });

  it("answers with a Status that names what is gone", async () => {
    const made = given(await create(widget("gone")), 201);
    given(await remove("gone", options({ dryRun: ["All"] })));
    const status = given(await remove("gone"));
    const uid = pickText(made, "metadata.uid");
    assert.deepEqual(status, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "gone", group, kind: "widgets", uid },
    });
    refused(await remove("gone"), 404, "NotFound", `widgets.${group} "gone" not found`);
  });

  it("waits for finalizers, takes no new ones, and ends with the last", async () => {
    given(await create(widget("held", { size: 1 }, { finalizers: ["x.y/z"] })), 201);
    const held = given(await remove("held"));
    assert.equal(pick(held, "metadata.deletionGracePeriodSeconds"), 0);
    assert.equal(pick(held, "metadata.generation"), 2);
    assert.equal(revisionOf(given(await remove("held"))), revisionOf(held));
    const more = await patch("held", { metadata: { finalizers: ["x.y/z", "a.b/c"] } });
    const text =
      `${isWidget} "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be ` +
      'added if the object is being deleted, found new finalizers []string{"a.b/c"}';
    refused(more, 422, "Invalid", text);
    const edited = given(
      await patch("held", { spec: { size: 2 }, metadata: { deletionTimestamp: null } }),
    );
    assert.equal(
      pick(edited, "metadata.deletionTimestamp"),
      pick(held, "metadata.deletionTimestamp"),
    );
    const last = given(await patch("held", { metadata: { finalizers: null } }));
    assert.equal(revisionOf(last), revisionOf(edited));
    assert.equal((await server.request("GET", `${widgets}/held`)).status, 404);
  });

  it("keeps to preconditions", async () => {
    const made = given(await create(widget("conditional")), 201);
    const uid = pickText(made, "metadata.uid");
    const start = `Operation cannot be fulfilled on Widget.${group} "conditional": `;
    const other =
      `${start}the UID in the precondition (x) does not match the UID in record (${uid}). ` +
      "The object might have been deleted and then recreated";
    const wrong = options({ preconditions: { uid: "x" } });
    refused(await remove("conditional", wrong), 409, "Conflict", other);
    const stale =
      `${start}the ResourceVersion in the precondition (1) does not match the ResourceVersion in ` +
      `record (${revisionOf(made)}). The object might have been modified`;
    const old = options({ preconditions: { resourceVersion: "1" } });
    refused(await remove("conditional", old), 409, "Conflict", stale);
    given(await remove("conditional", options({ preconditions: { uid } })));
  });

  it("leaves the rest to the collector where asked to", async () => {
    const policies = { Foreground: "foregroundDeletion", Orphan: "orphan" };
    for (const [propagationPolicy, finalizer] of Object.entries(policies)) {
      const name = propagationPolicy.toLowerCase();
      given(await create(widget(name)), 201);
      const kept = given(await remove(name, undefined, `?propagationPolicy=${propagationPolicy}`));
      assert.deepEqual(pick(kept, "metadata.finalizers"), [finalizer]);
    }
    const text =
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "X": ' +
      'supported values: "Foreground", "Background", "Orphan", "nil"';
    refused(await remove("p", options({ propagationPolicy: "X" })), 422, "Invalid", text);
    const both = options({ propagationPolicy: "Orphan", orphanDependents: true });
    const clash =
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": ' +
      "orphanDependents and deletionPropagation cannot be both set";
    refused(await remove("p", both), 422, "Invalid", clash);
    const typed =
      "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string";
    refused(await remove("p", options({ dryRun: "All" })), 400, "BadRequest", typed);
  });

  it("deletes a selection, and never across namespaces", async () => {
    for (const name of ["s1", "s2", "s3"]) {
      const labels = { set: name === "s3" ? "b" : "a" };
      given(await create(widget(name, {}, { labels })), 201);
    }
    const list = given(await server.request("DELETE", `${widgets}?labelSelector=set%3Da`));
    assert.equal(pick(list, "kind"), "WidgetList");
    const names = pickList(list, "items").map((item) => pick(item, "metadata.name"));
    assert.deepEqual(names, ["s1", "s2"]);
    await read("s3");
    const all = await server.request("DELETE", `/apis/${apiVersion}/widgets`);
    assert.deepEqual([all.status, all.text], [404, "404 page not found\n"]);
    const spaces = await server.request("DELETE", "/api/v1/namespaces");
    assert.equal(spaces.status, 405);
  });
});
