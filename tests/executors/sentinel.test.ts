// One secret parameter of an environment goes to every executor that runs here, with RabbitMQ, an
// audit log of whole requests and traces. Programs print it, applications repeat it in errors and
// answers, and it changes. Afterwards it is in no file, record, event, log and trace.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { findTerraform } from "../../tools/peers.ts";
import { BusClient } from "../bus/client.ts";
import type { Arrivals } from "../bus/client.ts";
import { startApp } from "../peers/app.ts";
import type { AppPeer } from "../peers/app.ts";
import { consulToken, startConsul } from "../peers/consul.ts";
import type { ConsulPeer } from "../peers/consul.ts";
import { passwordOf, startRabbitMq } from "../peers/rabbitmq.ts";
import type { RabbitMq } from "../peers/rabbitmq.ts";
import { applyToServer } from "../peers/resources.ts";
import { startVault, vaultRoleId, vaultSecretId } from "../peers/vault.ts";
import type { VaultPeer } from "../peers/vault.ts";
import { waitUntil } from "../peers/wait.ts";
import { startCollector } from "../tracing/collector.ts";
import type { Collector } from "../tracing/collector.ts";
import { startExecutorRig } from "./rig.ts";
import type { ExecutorRig } from "./rig.ts";
import { filesWith } from "./terraform-rig.ts";

const sentinels = ["sentinel-first-4711", "sentinel-later-4712"] as const;
const visible = "visible-text-4713";
/** As files and encoded texts may have it. */
const forms = sentinels.flatMap((text) => {
  const base64 = Buffer.from(text).toString("base64").replace(/=+$/, "");
  return [text, base64, encodeURIComponent(`"${text}"`)];
});

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{ level: RequestResponse }]
`;
const group = "environments.setpoint.dev/v1";
const executors = "executors.setpoint.dev/v1";
const token = "${parameters.token}";

// "$${" is a text of Terraform and no expression of the template.
const main = `
variable "token" {}
resource "terraform_data" "a" {
  input = 1
  provisioner "local-exec" { command = "echo printed $\${nonsensitive(var.token)}" }
}
output "repeated" { value = "https://x/$\${var.token}" }
output "made" {
  value     = "made-$\${var.token}"
  sensitive = true
}
`;
const script =
  'echo "printed $TOKEN" >&2; printf \'{"repeated":"%s","made":"%s"}\n\' "$TOKEN" "$TOKEN"';

function target(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: executors, kind, spec };
}

let folder = "";
let app: AppPeer;
let consul: ConsulPeer;
let vault: VaultPeer;
let broker: RabbitMq;
let collector: Collector;
let rig: ExecutorRig;
let client: BusClient;
let events: Arrivals;

const hasTerraform = findTerraform() !== undefined;

function resources(): readonly JsonObject[] {
  const manifest = { apiVersion: "v1", kind: "Secret", metadata: { name: "made" } };
  const http = {
    url: app.url,
    requests: { create: { method: "PUT", path: "/x" }, destroy: { method: "DELETE", path: "/x" } },
    secretHeaders: { authorization: `Bearer ${token}` },
    secretBody: { token },
    outputs: { id: "response.body.id" },
  };
  return [
    { key: "keys", template: { apiVersion: "v1", kind: "Secret", stringData: { token } } },
    { key: "http", template: target("HttpCall", http) },
    {
      key: "consul",
      template: target("ConsulKeys", { server: "main", prefix: "e/", secretKeys: { token } }),
    },
    {
      key: "vault",
      template: target("VaultSecret", { server: "main", path: "e/e", data: { token } }),
    },
    {
      key: "objects",
      template: target("ManifestSet", {
        secretManifests: [{ ...manifest, stringData: { token } }],
      }),
    },
    {
      key: "program",
      template: target("CommandRun", {
        program: "/bin/sh",
        args: ["-c", script],
        secretEnv: { TOKEN: token },
        secretOutputs: ["made"],
      }),
    },
    {
      key: "next",
      template: target("HttpCall", {
        ...http,
        secretBody: { made: "${resources.program.secretOutputs.made}" },
      }),
    },
    ...(hasTerraform
      ? [
          {
            key: "terraform",
            template: target("TerraformStack", {
              source: { files: { "main.tf": main } },
              secretVariables: { token },
            }),
          },
        ]
      : []),
  ];
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-sentinel-"));
  await chmod(folder, 0o711);
  [app, consul, vault, broker, collector] = await Promise.all([
    startApp(),
    startConsul(),
    startVault(),
    startRabbitMq(),
    startCollector(),
  ]);
  await writeFile(join(folder, "audit.yaml"), policy);
  await writeFile(join(folder, "broker"), `setpoint\n${passwordOf("setpoint")}\n`, { mode: 0o600 });
  const bus = {
    url: broker.url,
    credentialsFile: join(folder, "broker"),
    kinds: ["*"],
  };
  const section = { runFolder: join(folder, "runs") };
  const config = JSON.stringify({ bus, executors: section });
  await writeFile(join(folder, "setpoint.yaml"), config);
  rig = await startExecutorRig(() => consul.url, {
    args: [
      `--config=${join(folder, "setpoint.yaml")}`,
      "--log-level=debug",
      `--audit-policy=${join(folder, "audit.yaml")}`,
      `--audit-log=${join(folder, "audit.log")}`,
      `--trace-endpoint=${collector.url}`,
    ],
  });
  client = await BusClient.open(broker.connect("setpoint"), "setpoint");
  await waitUntil("the exchange of events", async () => {
    const { body } = await rig.server.ask("/metrics");
    return /^setpoint_bus_connected\{use="outbox"\} 1$/m.test(body.toString());
  });
  events = await client.bound("setpoint.events", "#");
  await rig.secret("consul", { token: consulToken });
  await rig.secret("approle", { id: vaultSecretId });
  const allow = { namespaces: { names: ["default"] } };
  const secretRef = (name: string, key: string): JsonObject => ({
    secretRef: { namespace: "default", name, key },
  });
  const servers: readonly [string, JsonObject][] = [
    ["ConsulServer", { url: consul.url, token: secretRef("consul", "token"), allow }],
    [
      "VaultServer",
      {
        url: vault.url,
        auth: { appRole: { roleId: vaultRoleId, secretId: secretRef("approle", "id") } },
        allow,
      },
    ],
  ];
  for (const [kind, spec] of servers) {
    const metadata = { name: "main" };
    await applyToServer(rig.server, { apiVersion: executors, kind, metadata, spec });
  }
  await rig.of("ExecutorPolicy", "executorpolicies", "").create("all", {
    allow,
    ...(hasTerraform ? { terraform: { programs: [findTerraform() ?? ""] } } : {}),
    command: { programs: ["/bin/sh"] },
    http: { allowPrivate: { cidrs: ["127.0.0.1/32"] } },
  });
  await applyToServer(rig.server, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "environment", namespace: "default" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
  });
});
after(async () => {
  await client?.[Symbol.asyncDispose]();
  for (const each of [rig, app, consul, vault, broker, collector]) {
    await each?.[Symbol.asyncDispose]();
  }
  await rm(folder, { recursive: true, force: true });
});

const items = `/apis/${group}/namespaces/default`;

async function send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { "content-type": type };
  const given = body === undefined ? { method } : { method, body, headers };
  const { status, body: answer } = await rig.server.ask(path, given);
  assert.ok(status < 300, `${method} ${path}: ${answer.toString()}`);
  return JSON.parse(answer.toString()) as JsonObject;
}

async function untilPhase(...phases: readonly string[]): Promise<void> {
  let last = "";
  await waitUntil(`the phase ${phases.join(" or ")}`, async () => {
    const found = await send("GET", `${items}/environments/e`);
    last = JSON.stringify(found["status"]);
    return phases.includes(textAt(found, "status", "phase"));
  }).catch(async (error: unknown) => {
    const members = await send("GET", `${items}/environmentresources`);
    const states = objectsAt(members, "items").map(({ status }) => JSON.stringify(status));
    throw new Error(`${String(error)}\n${last}\n${states.join("\n")}`);
  });
}

/** Every path of the server that shows resources, except Secrets, which have what is asked for. */
async function answers(): Promise<readonly (readonly [string, string])[]> {
  const groups = [executors, group].map((each) => `/apis/${each}`);
  const paths = ["/api/v1/environments/e/logs?namespace=default", "/api/v1/search?q=sentinel"];
  for (const at of groups) {
    const { resources: kinds } = (await send("GET", at)) as unknown as {
      readonly resources: readonly { readonly name: string }[];
    };
    paths.push(
      ...kinds.filter(({ name }) => !name.includes("/")).map(({ name }) => `${at}/${name}`),
    );
  }
  for (const kind of ["environments", "operations", "plans", "resources", "audit"]) {
    paths.push(`/api/v1/${kind}?limit=500`);
  }
  paths.push("/api/v1/history/environments.environments.setpoint.dev/e?namespace=default");
  paths.push("/api/v1/diff/environments.environments.setpoint.dev/e?namespace=default");
  paths.push("/metrics", "/apis/events.k8s.io/v1/events", "/api/v1/configmaps");
  const found: (readonly [string, string])[] = [];
  for (const path of paths) {
    const { body } = await rig.server.ask(path);
    found.push([path, body.toString()]);
  }
  return found;
}

function assertHidden(where: string, text: string): void {
  for (const form of forms) {
    const at = text.indexOf(form);
    if (at < 0) continue;
    assert.fail(`${where} has ${form}: ${text.slice(Math.max(0, at - 400), at + 100)}`);
  }
}

describe("a secret parameter of an environment with every executor", () => {
  it("reaches every target", async () => {
    await send("POST", `${items}/templates`, {
      apiVersion: group,
      kind: "Template",
      metadata: { name: "all.v1" },
      spec: {
        id: "all",
        version: 1,
        parameters: { token: { type: "string", secret: true } },
        resources: [...resources()],
      },
    });
    await send("POST", `${items}/environments`, {
      apiVersion: group,
      kind: "Environment",
      metadata: { name: "e" },
      spec: {
        description: visible,
        templates: ["all.v1"],
        secretParameters: { token: sentinels[0] },
      },
    });
    await untilPhase("DeployedOk");
    const received = JSON.stringify([...app.effects.values()]);
    assert.ok(received.includes(`Bearer ${sentinels[0]}`));
    assert.ok(received.includes(`{"made":"${sentinels[0]}"}`), received);
    const keys = await fetch(`${consul.url}/v1/kv/e/token?raw`, {
      headers: { "x-consul-token": consulToken },
    });
    assert.equal(await keys.text(), sentinels[0]);
  });

  it("is planned, changed, refused by an application, checked and destroyed", async () => {
    const plan = { environment: "e", secretParameters: { token: sentinels[1] } };
    await send("POST", `${items}/plans`, {
      apiVersion: group,
      kind: "Plan",
      metadata: { name: "p" },
      spec: plan,
    });
    await waitUntil("the plan", async () => {
      return textAt(await send("GET", `${items}/plans/p`), "status", "phase") === "Ready";
    });
    app.status = 422;
    await send("PATCH", `${items}/environments/e`, { spec: { approvedPlan: "p" } });
    await untilPhase("DeployedFail");
    app.status = 0;
    await send("POST", "/api/v1/environments/e/retry?namespace=default", {});
    await untilPhase("DeployedOk");
    await send("POST", "/api/v1/environments/e/check-drift?namespace=default", {});
    await waitUntil("the drift check", async () => {
      const list = await send("GET", `${items}/operations`);
      return objectsAt(list, "items").some(({ spec, status }) => {
        return textAt(spec, "type") === "CheckDrift" && textAt(status, "endedAt") !== "";
      });
    });
    for (const [path, text] of await answers()) assertHidden(path, text);
    await send("PATCH", `${items}/environments/e`, { spec: { desired: "Destroyed" } });
    await untilPhase("Destroyed");
    await events.first("the event of the destruction", ({ json }) => {
      return textAt(json, "type") === "dev.setpoint.environment.destroyed";
    });
  });

  it("is in no answer, event, message, log, audit record, trace or file", async () => {
    for (const [path, text] of await answers()) assertHidden(path, text);
    for (const { delivery } of events.all) assertHidden("an event", delivery.body.toString());
    assert.ok(events.all.length > 100);
    assertHidden("the log", rig.server.log());
    assertHidden("a trace", JSON.stringify(collector.spans));
    assert.ok(collector.spans.length > 0);
    const audit = await readFile(join(folder, "audit.log"), "utf8");
    assert.match(audit, /"RequestResponse"/);
    assertHidden("the audit log", audit);
    // What is not secret is found in the same places.
    assert.ok(events.all.some(({ delivery }) => delivery.body.includes(visible)));
    assert.ok(audit.includes(visible));
    assert.ok(filesWith(rig.server.folder, visible).length > 0);
    for (const place of [rig.server.folder, folder, broker.folder]) {
      assert.ok(existsSync(place));
      for (const form of forms) assert.deepEqual(filesWith(place, form), [], form);
    }
  });
});
