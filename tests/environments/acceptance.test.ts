// Rows of docs/conformance/environments.md that no other file proves, against a real server on each
// store: uniqueness, sizes, templates in use, the audit log, metrics and a killed server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it, test } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { onEachStore } from "../kube/stores.ts";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { as } from "../rest/databases.ts";

const template = {
  id: "shop.v1",
  spec: {
    id: "shop",
    version: 1,
    source: { repository: "https://git.example/shop", commit: "0123456789abcdef" },
    resources: [
      { key: "db", template: { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } } },
      {
        key: "web",
        dependsOn: ["db"],
        template: { apiVersion: "v1", kind: "ConfigMap", data: { a: "c" } },
      },
    ],
  },
};

const binding = {
  metadata: { name: "environment" },
  subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
  roleRef: { kind: "ClusterRole", name: "edit", apiGroup: "rbac.authorization.k8s.io" },
};
const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

onEachStore("environments", (server) => {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: RequestHeaders = {},
  ): Promise<Reply> => server().request(method, `/api/v1/${path}`, body, headers);
  const phaseOf = async (id: string): Promise<unknown> =>
    pick((await send("GET", `environments/${id}`)).json, "status.phase");
  const untilPhase = async (id: string, phase: string): Promise<void> => {
    await waitUntil(`${id} ${phase}`, async () => (await phaseOf(id)) === phase);
  };

  before(async () => {
    await server().request("POST", bindings, binding);
    const created = await send("POST", "templates", template);
    assert.equal(created.status, 201, created.text);
  });

  it("have unique display names until they are destroyed", async () => {
    const spec = { displayName: "Preview", templates: ["shop.v1"] };
    assert.equal((await send("POST", "environments", { id: "first", spec })).status, 201);
    const second = { id: "second", spec: { ...spec, displayName: "preview" } };
    const taken = await send("POST", "environments", second);
    assert.equal(taken.status, 409, taken.text);
    assert.match(pickText(taken.json, "detail"), /displayName: "preview" is used by first/);
    assert.equal((await send("POST", "environments", { id: "first", spec })).status, 409);
    await untilPhase("first", "DeployedOk");
    assert.equal((await send("POST", "environments/first/destroy")).status, 202);
    await untilPhase("first", "Destroyed");
    assert.equal((await send("POST", "environments", second)).status, 201);
  });

  it("refuse a body that is too large, and store nothing", async () => {
    const spec = { templates: ["shop.v1"], description: "x".repeat(20_000_000) };
    const reply = await send("POST", "environments", { id: "large", spec });
    assert.equal(reply.status, 413, reply.text.slice(0, 300));
    assert.equal(reply.headers["content-type"], "application/problem+json");
    assert.equal((await send("GET", "environments/large")).status, 404);
  });

  it("keep the template that they use, with its commit", async () => {
    const spec = { templates: ["shop.v1"] };
    assert.equal((await send("POST", "environments", { id: "uses", spec })).status, 201);
    const refused = await send("DELETE", "templates/shop.v1");
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /is used by the Environment/);
    const { json } = await send("GET", "templates/shop.v1");
    assert.equal(pickText(json, "spec.source.commit"), template.spec.source.commit);
  });

  it("are in the audit log with user, surface, trace and outcome", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const spec = { templates: ["shop.v1"] };
    const created = await send("POST", "environments", { id: "audited", spec }, headers);
    assert.equal(created.status, 201, created.text);
    await untilPhase("audited", "DeployedOk");
    const kind = "environments.environments.setpoint.dev";
    const own = await send("GET", `audit?kind=${kind}&name=audited&type=created`);
    const [record] = pickList(own.json, "items");
    assert.equal(pickText(record, "cause.actor"), "setpoint:admin", own.text);
    assert.equal(pickText(record, "cause.surface"), "rest");
    assert.equal(pickText(record, "cause.traceId"), trace);
    // The resources that the deployment created belong to the same trace.
    const all = await send("GET", `audit?traceId=${trace}&type=created&limit=1000`);
    const names = new Set(pickList(all.json, "items").map((item) => pickText(item, "name")));
    for (const name of ["audited", "audited.db", "audited.web"]) assert.ok(names.has(name), name);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assert.equal((await send(method, "audit", {})).status, 405, method);
    }
  });

  it("of one namespace are closed to a user of another one", async () => {
    await server().request("POST", "/api/v1/namespaces", { metadata: { name: "apart" } });
    await server().request("POST", bindings.replace("default", "apart"), {
      ...binding,
      metadata: { name: "editor" },
      subjects: [{ kind: "User", name: "editor", apiGroup: "rbac.authorization.k8s.io" }],
    });
    const spec = { templates: ["shop.v1"] };
    const path = "environments?namespace=default";
    assert.equal((await send("POST", path, { id: "foreign", spec }, as("editor"))).status, 403);
    const destroyed = await send("POST", "environments/uses/destroy", {}, as("editor"));
    assert.equal(destroyed.status, 403, destroyed.text);
    assert.equal(
      (await send("GET", "environments?namespace=apart", undefined, as("editor"))).status,
      200,
    );
  });

  it("show queues and durations in the metrics", async () => {
    const { text } = await server().request("GET", "/metrics", undefined, { accept: "text/plain" });
    for (const name of [
      "setpoint_reconciles_queued",
      "setpoint_backlog_oldest_seconds",
      "setpoint_reconcile_duration_seconds_count",
      "setpoint_reconcile_start_latency_seconds_count",
    ]) {
      assert.match(text, new RegExp(`^${name}`, "m"));
    }
  });
});

test("a server that is killed right after the answer performs the operation once", async () => {
  await using server = await startSetpoint();
  const post = async (path: string, body: unknown): Promise<number> =>
    (await server.ask(path, { method: "POST", body })).status;
  const read = async (path: string): Promise<unknown> => {
    const { body } = await server.ask(path);
    return JSON.parse(body.toString()) as unknown;
  };
  assert.equal(await post(bindings, binding), 201);
  assert.equal(await post("/api/v1/templates", template), 201);
  const spec = { templates: ["shop.v1"] };
  assert.equal(await post("/api/v1/environments", { id: "once", spec }), 201);
  await server.kill9();
  await server.start();
  await waitUntil("DeployedOk", async () => {
    return pick(await read("/api/v1/environments/once"), "status.phase") === "DeployedOk";
  });
  assert.equal(await post("/api/v1/environments/once/destroy", {}), 202);
  await server.kill9();
  await server.start();
  await waitUntil("Destroyed", async () => {
    return pick(await read("/api/v1/environments/once"), "status.phase") === "Destroyed";
  });
  const operations = pickList(await read("/api/v1/operations?environment=once"), "items");
  const ended = operations.map(
    (each) => `${pickText(each, "spec.type")} ${pickText(each, "status.phase")}`,
  );
  assert.deepEqual(ended.toSorted(), ["Deploy Succeeded", "Destroy Succeeded"]);
});

test("an environment continues the trace of the request in programs and calls", async () => {
  // Traces are recorded only where a collector is configured.
  await using collector = await startApp(() => undefined);
  await using server = await startSetpoint({ args: ["--trace-endpoint", collector.url] });
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const seen: string[] = [];
  await using app = await startApp((headers) => seen.push(String(headers["traceparent"])));
  const post = async (path: string, body: unknown, headers = {}): Promise<void> => {
    const { status, body: text } = await server.ask(path, { method: "POST", body, headers });
    assert.equal(status, 201, text.toString());
  };
  const executors = "executors.setpoint.dev/v1";
  await post(bindings, binding);
  await post(`/apis/${executors}/executorpolicies`, {
    apiVersion: executors,
    kind: "ExecutorPolicy",
    metadata: { name: "tests" },
    spec: {
      allow: { namespaces: { names: ["default"] } },
      command: { programs: ["/bin/sh"] },
      http: { allowPrivate: { cidrs: ["127.0.0.1/32"] } },
    },
  });
  const script = String.raw`echo "{\"trace\":\"$TRACEPARENT\"}"`;
  const command = { program: "/bin/sh", args: ["-c", script] };
  const call = { url: app.url, requests: { create: { method: "PUT", path: "/" } } };
  const resources = [
    { key: "run", template: { apiVersion: executors, kind: "CommandRun", spec: command } },
    { key: "call", template: { apiVersion: executors, kind: "HttpCall", spec: call } },
  ];
  await post("/api/v1/templates", { id: "t.v1", spec: { id: "t", version: 1, resources } });
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const environment = { id: "traced", spec: { templates: ["t.v1"] } };
  await post("/api/v1/environments", environment, { traceparent });
  await waitUntil("DeployedOk", async () => {
    const { body } = await server.ask("/api/v1/environments/traced");
    return pick(JSON.parse(body.toString()), "status.phase") === "DeployedOk";
  });
  const { body } = await server.ask("/api/v1/resources?environment=traced");
  const items = pickList(JSON.parse(body.toString()), "items");
  const ran = items.find((item) => pick(item, "spec.key") === "run");
  assert.match(pickText(ran, "status.outputs.trace"), new RegExp(`^00-${trace}-`));
  assert.match(seen.join(), new RegExp(`^00-${trace}-`));
});

/** An application that accepts every request. */
async function startApp(
  see: (headers: IncomingHttpHeaders) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const http = createServer((request, response) => {
    see(request.headers);
    response.end("{}");
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

describe("the command server", () => {
  it("reads a file, an environment variable overrides it, and a mistake is named", async () => {
    const folder = await mkdtemp(join(tmpdir(), "setpoint-config-"));
    try {
      const file = join(folder, "setpoint.yaml");
      await writeFile(file, `listen: 127.0.0.1:1\ndata: ${folder}/data\n`);
      const args = ["server", "--config", file];
      const env = { SETPOINT_LISTEN: "127.0.0.1:0" };
      const program = await startProgram("src/cli/main.ts", { args, env });
      await program.waitForLine(/ready on https:\/\/127\.0\.0\.1:(?!1$)\d+$/, { limitMs: 120_000 });
      assert.match(await readFile(join(folder, "data/admin.token"), "utf8"), /\S/);
      program.signal("SIGTERM");
      assert.equal((await program.waitForExit({ limitMs: 120_000 })).code, 0);
      await writeFile(file, "environments: { retentionSeconds: long }\n");
      const wrong = await startProgram("src/cli/main.ts", { args, env });
      assert.notEqual((await wrong.waitForExit({ limitMs: 120_000 })).code, 0);
      assert.match(wrong.stderr(), /environments\.retentionSeconds/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
