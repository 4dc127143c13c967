// Tenants of a real server, with RBAC: a user can make Connect send only those Secrets to a service
// that the user may get. The service records what it receives.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { withoutKey } from "../../src/kernel/without-key.ts";
import { startQuirkyService } from "../peers/quirky-service.ts";
import type { QuirkyService } from "../peers/quirky-service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { apiVersion, definition, group } from "./powerdns-kinds.ts";
import { quirkyBinding, readOnlyId, text, unlistedOperations } from "./quirky-kinds.ts";
import { applyDocument, Resources } from "./rig.ts";
import type { Tried } from "../peers/resources.ts";
import { thingsConnection } from "./things-kinds.ts";

const stack = new AsyncDisposableStack();
let service: QuirkyService;
let server: Setpoint;
const dolls = new Resources(() => server, { apiVersion, kind: "Doll" });

const secretField = { path: "/password", class: "writable", isSecret: true, from: "override" };
const binding = quirkyBinding("dolls", {
  operations: unlistedOperations,
  fields: [readOnlyId, secretField],
});

async function as(
  user: string,
  method: string,
  path: string,
  body: JsonObject,
  type = "application/json",
): Promise<Tried> {
  const headers = { "impersonate-user": user, "content-type": type };
  const answer = await server.ask(path, { method, body, headers });
  return { status: answer.status, text: answer.body.toString() };
}

const patchType = "application/merge-patch+json";
const dollsPath = dolls.path();

function doll(name: string, secret: string, field = "/password"): JsonObject {
  return {
    apiVersion,
    kind: "Doll",
    metadata: { name },
    spec: { name },
    connect: { secrets: [{ field, secret, key: "word" }] },
  };
}

async function grant(name: string, rules: readonly JsonObject[], user: string): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const base = `/apis/${rbac}/v1`;
  const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules };
  const roleBinding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
    subjects: [{ kind: "User", name: user, apiGroup: rbac }],
  };
  for (const [plural, document] of [
    ["clusterroles", role],
    ["clusterrolebindings", roleBinding],
  ] as const) {
    const { status, body } = await server.ask(`${base}/${plural}`, {
      method: "POST",
      body: document,
    });
    assert.equal(status, 201, body.toString());
  }
}

before(async () => {
  const id = (object: JsonObject): string => textAt(object, "name");
  service = stack.use(await startQuirkyService({ dolls: { id } }));
  server = stack.use(await startSetpoint());
  const properties = { name: text, color: text, password: text };
  await applyDocument(server, thingsConnection("quirky", { baseUrl: service.url }));
  await applyDocument(server, definition("Doll", { type: "object", properties }));
  await applyDocument(server, binding);
  for (const name of ["mine", "theirs"]) {
    const metadata = { name, namespace: "default" };
    const stringData = { word: `word of ${name}` };
    await applyDocument(server, { apiVersion: "v1", kind: "Secret", metadata, stringData });
  }
  const anything = { apiGroups: [group], resources: ["*"], verbs: ["*"] };
  const mine = { apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] };
  await grant("tenant", [anything, mine], "tenant");
  const connections = { apiGroups: ["connect.setpoint.dev"], resources: ["*"], verbs: ["*"] };
  await grant("connector", [connections], "tenant");
});
after(async () => await stack.disposeAsync());

it("refuses a resource that names a Secret which its writer may not get", async () => {
  const allowed = await as("tenant", "POST", dollsPath, doll("a", "mine"));
  assert.equal(allowed.status, 201, allowed.text);
  await dolls.ready("a");
  assert.equal(service.objects.get("dolls")?.get("a")?.["password"], "word of mine");
  const refused = await as("tenant", "POST", dollsPath, doll("b", "theirs"));
  assert.equal(refused.status, 403);
  assert.match(refused.text, /connect\.secrets\[0\]\.secret.*cannot get the Secret/);
  const missing = await as("tenant", "POST", dollsPath, doll("b", "unknown"));
  assert.equal(missing.text.replace("unknown", "theirs"), refused.text);
});

it("refuses an update, an apply and a plan with such a reference", async () => {
  const change = doll("a", "theirs");
  const patch = { connect: change["connect"] ?? {} };
  const patched = await as("tenant", "PATCH", dolls.path("a"), patch, patchType);
  assert.equal(patched.status, 403, patched.text);
  const query = "?fieldManager=t&force=true";
  const type = "application/apply-patch+yaml";
  const applied = await as("tenant", "PATCH", `${dolls.path("a")}${query}`, change, type);
  assert.equal(applied.status, 403, applied.text);
  const planned = await as("tenant", "POST", `${dolls.path("c")}/plan`, doll("c", "theirs"));
  assert.equal(planned.status, 403, planned.text);
  const withoutSpec = withoutKey(doll("c", "theirs"), "spec");
  const looked = await as("tenant", "POST", `${dolls.path("c")}/plan`, withoutSpec);
  assert.equal(looked.status, 403, looked.text);
});

it("lets users change the rest of a resource whose stored reference is not theirs", async () => {
  await dolls.create(
    "shared",
    { name: "shared" },
    doll("shared", "theirs")["connect"] as JsonObject,
  );
  await dolls.ready("shared");
  const color = { spec: { color: "red" } };
  const changed = await as("tenant", "PATCH", dolls.path("shared"), color, patchType);
  assert.equal(changed.status, 200, changed.text);
  await dolls.ready("shared");
  // The Secret would be sent to another field, where it could be read.
  const moved = { connect: doll("shared", "theirs", "/color")["connect"] ?? {} };
  const refused = await as("tenant", "PATCH", dolls.path("shared"), moved, patchType);
  assert.notEqual(refused.status, 200);
  const away = { connect: { connection: "other" } };
  const sent = await as("tenant", "PATCH", dolls.path("shared"), away, patchType);
  assert.notEqual(sent.status, 200);
});

it("refuses a Connection with Secrets that its writer may not get", async () => {
  const path = "/apis/connect.setpoint.dev/v1/connections";
  const auth = (secret: string): JsonObject => ({ auth: { kind: "bearer", secret } });
  const spec = { baseUrl: service.url, ...auth("theirs") };
  const refused = await as("tenant", "POST", path, thingsConnection("stolen", spec));
  assert.equal(refused.status, 403, refused.text);
  assert.match(refused.text, /spec\.auth\.secret/);
  await applyDocument(server, thingsConnection("held", spec));
  const elsewhere = { spec: { baseUrl: "http://127.0.0.1:9" } };
  const moved = await as("tenant", "PATCH", `${path}/held`, elsewhere, patchType);
  assert.equal(moved.status, 403, moved.text);
  const labels = { metadata: { labels: { team: "a" } } };
  const labelled = await as("tenant", "PATCH", `${path}/held`, labels, patchType);
  assert.equal(labelled.status, 200, labelled.text);
});
