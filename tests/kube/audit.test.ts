// The audit log of a running server.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { pick, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [watch]
- level: RequestResponse
  omitManagedFields: true
  resources:
  - group: ""
    resources: [configmaps, secrets]
- level: Metadata
`;

let server: KubeServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-audit-"));
  await writeFile(join(folder, "policy.yaml"), policy);
  server = await startKubeServer({
    auditPolicy: join(folder, "policy.yaml"),
    auditLog: join(folder, "audit.log"),
  });
});

after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Once there are any: the client may have its answer a moment before. */
async function events(uri: string): Promise<readonly unknown[]> {
  return await waitUntil(`a record of ${uri}`, async () => {
    const text = await readFile(join(folder, "audit.log"), "utf8");
    // The last may not be whole yet.
    const found = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
      .filter((event) => pick(event, "requestURI") === uri);
    return found.length > 0 && found;
  });
}

describe("the audit log", () => {
  it("records requests with what was asked and answered", async () => {
    const uri = "/api/v1/namespaces/default/configmaps";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" } };
    const reply = await server.request("POST", uri, { ...body, data: { a: "1" } });
    const [event, ...more] = await events(uri);
    assert.equal(more.length, 0);
    assert.equal(pick(event, "auditID"), reply.headers["audit-id"]);
    assert.equal(pick(event, "stage"), "ResponseComplete");
    assert.equal(pick(event, "verb"), "create");
    assert.deepEqual(pick(event, "objectRef"), {
      resource: "configmaps",
      namespace: "default",
      name: "seen",
      apiVersion: "v1",
    });
    assert.equal(pick(event, "requestObject.data.a"), "1");
    assert.equal(pick(event, "responseObject.data.a"), "1");
    assert.equal(pick(event, "responseObject.metadata.managedFields"), undefined);
    assert.deepEqual(pick(event, "responseStatus"), { metadata: {}, code: 201 });
    const annotations = pick(event, "annotations") as Readonly<Record<string, string>>;
    assert.equal(annotations["authorization.k8s.io/decision"], "allow");
    assert.match(String(pick(event, "stageTimestamp")), /\.\d{6}Z$/);
  });

  it("never holds what is in a secret", async () => {
    const uri = "/api/v1/namespaces/default/secrets";
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "hidden" } };
    await server.request("POST", uri, { ...secret, stringData: { password: "opensesame" } });
    const [event] = await events(uri);
    assert.equal(pick(event, "level"), "Metadata");
    assert.equal(pick(event, "objectRef.name"), "hidden");
    const text = await readFile(join(folder, "audit.log"), "utf8");
    assert.ok(!text.includes("opensesame"));
    assert.ok(!text.includes(Buffer.from("opensesame").toString("base64")));
  });

  it("tells who was impersonated, and why a request failed", async () => {
    const uri = "/api/v1/namespaces/default/configmaps/any";
    await server.request("GET", uri, undefined, { "impersonate-user": "bob" });
    const [event] = await events(uri);
    assert.equal(pick(event, "impersonatedUser.username"), "bob");
    assert.equal(pick(event, "responseStatus.reason"), "Forbidden");
    assert.equal(pick(event, "responseStatus.code"), 403);
  });

  it("tells of requests whose credentials are not good", async () => {
    const uri = "/api/v1/namespaces/default/configmaps/unknown";
    await server.request("GET", uri, undefined, { authorization: "Bearer wrong" });
    const [event] = await events(uri);
    assert.deepEqual(pick(event, "user"), {});
    assert.equal(pick(event, "responseStatus.code"), 401);
    assert.deepEqual(pick(event, "annotations"), {
      "authentication.setpoint.dev/reason":
        "malformed token: it is neither a JWT nor a known token",
    });
  });
});
