// From the document that a service serves to objects that are managed in it, by the command that
// people type: nothing is written by hand but what no document says, and those lines are counted.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { root } from "../../tools/stages.ts";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { alertmanagerBase, startAlertmanager } from "../peers/alertmanager.ts";
import { startProgram } from "../peers/child.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { powerDnsBase, powerDnsKey, powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { powerDnsConnection } from "./powerdns-kinds.ts";
import { waitUntil } from "../peers/wait.ts";
import { isReady } from "../peers/resources.ts";
import { applyDocument, Resources } from "./rig.ts";

const subscription = "11111111-2222-3333-4444-555555555555";

let folder = "";
let server: Setpoint;
let powerDns: Service;
let alertmanager: Service;
let other: KubeServer;
let proxy: FaultProxy;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-import-"));
  server = await startSetpoint();
  powerDns = await startPowerDns();
  alertmanager = await startAlertmanager();
  proxy = await startFaultProxy({ target: () => powerDns.url });
  const module = [join(root, "examples/openshift-like/openshift-like.ts")];
  other = await startKubeServer({ module, sections: { arm: { retryAfter: 1 } } });
});
after(async () => {
  await other?.stop();
  await proxy?.[Symbol.asyncDispose]();
  for (const peer of [alertmanager, powerDns, server]) await peer?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const saved = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const imported = async (document: string, ...args: readonly string[]): Promise<string> => {
  const all = ["connect", "import", document, "--apply", "--kubeconfig", server.kubeconfig];
  await using program = await startProgram("src/cli/main.ts", { args: [...all, ...args] });
  const { code } = await program.waitForExit({ limitMs: 120_000 });
  assert.equal(code, 0, `${program.stdout()}${program.stderr()}`);
  return program.stdout();
};
const resources = (group: string, kind: string): Resources =>
  new Resources(() => server, { apiVersion: `${group}/v1`, kind });

describe("PowerDNS by the document that it serves", () => {
  const group = "dns.imported.dev";
  const zones = resources(group, "Zone");
  const sets = resources(group, "Rrset");
  const keys = resources(group, "Tsigkey");

  before(async () => {
    const answer = await fetch(`${powerDns.url}/api/docs`, {
      headers: { accept: "application/json", "x-api-key": powerDnsKey },
    });
    const document = await saved("pdns.json", await answer.text());
    const base = ["--base-url", `${proxy.url}${powerDnsBase}`, "--set", "server_id=localhost"];
    const told = await imported(document, ...base, "--group", group, "--connection", "pdns");
    for (const kind of ["Zone", "Rrset", "Cryptokey", "Tsigkey"]) {
      assert.match(told, new RegExp(`^${kind} /servers/`, "m"));
    }
    // The key of the API is in no document.
    for (const each of powerDnsConnection({ url: proxy.url })) await applyDocument(server, each);
  });

  const live = async (path: string): Promise<JsonObject | undefined> => {
    const { status, json } = await powerDns.ask("GET", `${powerDnsServer}${path}`);
    return status === 404 ? undefined : (json as JsonObject);
  };

  it("keeps a zone: made, changed by PUT, left in peace, deleted", async () => {
    await zones.create("shop", {
      name: "shop.test.",
      kind: "Native",
      account: "us",
      nameservers: ["ns.shop.test."],
    });
    const one = await zones.ready("shop");
    assert.equal(one.status?.connect?.id, "shop.test.");
    await zones.patch("shop", { spec: { account: "them" } });
    await zones.ready("shop");
    assert.equal((await live("/zones/shop.test."))?.["account"], "them");
    const written = proxy.writes({ path: "/zones/shop.test." }).length;
    for (let round = 0; round < 3; round++) await zones.reconcile("shop");
    assert.equal(proxy.writes({ path: "/zones/shop.test." }).length, written);
    assert.deepEqual(
      proxy.done({ path: "/zones/shop.test." }).map(({ method }) => method),
      ["PUT"],
    );
    await zones.delete("shop");
    await zones.gone("shop");
    assert.equal(await live("/zones/shop.test."), undefined);
  });

  it("keeps record sets by the commands that the document describes", async () => {
    await zones.create("parts", { name: "parts.test.", kind: "Native" });
    const records = [{ content: "10.0.0.2" }, { content: "10.0.0.1" }];
    const spec = { name: "www.parts.test.", type: "A", ttl: 60, records };
    await sets.create("www", spec, { parent: { name: "parts" } });
    await sets.ready("www");
    await sets.reconcile("www");
    const commands = proxy.done({ method: "PATCH", path: "/zones/parts.test." });
    assert.equal(commands.length, 1);
    assert.match(commands[0]?.body ?? "", /"changetype":"REPLACE"/);
    await sets.delete("www");
    await sets.gone("www");
    const zone = JSON.stringify(await live("/zones/parts.test."));
    assert.equal(zone.includes("www.parts.test."), false);
  });

  it("keeps a key whose id the service makes, with a word from a Secret", async () => {
    const word = Buffer.from("an imported word").toString("base64");
    await applyDocument(server, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "imported", namespace: "default" },
      stringData: { word },
    });
    const secrets = [{ field: "/key", secret: "imported", key: "word" }];
    await keys.create("shared", { name: "shared", algorithm: "hmac-sha256" }, { secrets });
    const one = await keys.ready("shared");
    assert.equal(one.status?.connect?.id, "shared.");
    assert.equal((await live("/tsigkeys/shared."))?.["key"], word);
    assert.equal(JSON.stringify(await keys.get("shared")).includes(word), false);
    await keys.delete("shared");
    await keys.gone("shared");
    assert.equal(await live("/tsigkeys/shared."), undefined);
  });
});

describe("Alertmanager by a small document and a few lines more", () => {
  const group = "alerts.imported.dev";
  const silences = resources(group, "Silence");
  /** What no document says: how a silence is changed, and that it is never gone but expired. */
  const lines = {
    operations: { replace: { method: "POST", path: "/silences" } },
    ready: "observed.status.state in ['active', 'pending']",
    gone: "observed.status.state == 'expired'",
    lists: [{ path: "/matchers", keys: ["/name", "/value"] }],
    fields: [
      { path: "/id", class: "update-only", from: "override" },
      { path: "/status", class: "read-only", from: "override" },
      { path: "/updatedAt", class: "read-only", from: "override" },
    ],
  };

  it("keeps a silence: made, changed, expired", async () => {
    const document = join(root, "tests/connect/alertmanager.openapi.yaml");
    const base = ["--base-url", `${alertmanager.url}${alertmanagerBase}`];
    const again = async (): Promise<string> =>
      await imported(document, ...base, "--group", group, "--connection", "alerts");
    await again();
    const path = `/apis/connect.setpoint.dev/v1/restkinds/silences.${group}`;
    const headers = { "content-type": "application/merge-patch+json" };
    const changed = await server.ask(path, { method: "PATCH", body: { spec: lines }, headers });
    assert.equal(changed.status, 200, changed.body.toString());
    // Another import keeps what a person said, and the definition follows.
    await again();
    const kept = JSON.parse((await server.ask(path)).body.toString()) as { spec: JsonObject };
    assert.equal(kept.spec["gone"], lines.gone);
    assert.deepEqual(pick(kept.spec, "operations.replace"), lines.operations.replace);
    const spec = {
      matchers: [{ name: "job", value: "night", isRegex: false }],
      startsAt: "2900-01-01T00:00:00Z",
      endsAt: "2999-01-01T00:00:00Z",
      createdBy: "tests",
      comment: "quiet",
    };
    await silences.create("quiet", spec);
    const one = await silences.ready("quiet");
    await silences.patch("quiet", { spec: { comment: "very quiet" } });
    await silences.ready("quiet");
    const id = one.status?.connect?.id ?? "";
    const live = await alertmanager.ask("GET", `${alertmanagerBase}/silence/${id}`);
    assert.equal(pick(live.json, "comment"), "very quiet");
    await silences.delete("quiet");
    await silences.gone("quiet");
    const gone = await alertmanager.ask("GET", `${alertmanagerBase}/silence/${id}`);
    assert.equal(pick(gone.json, "status.state"), "expired");
  });
});

describe("another Setpoint by the document that it serves", () => {
  const group = "rp.imported.dev";
  const clusters = resources(group, "Cluster");

  it("keeps a cluster: made by an operation, changed by PATCH", async () => {
    await other.request("PUT", `/subscriptions/${subscription}?api-version=2.0`, {
      state: "Registered",
    });
    const served = await other.request("GET", "/swagger/Example.OpenShift/2026-01-01.json");
    const document = await saved("openshift.json", served.text);
    const base = ["--base-url", other.url, "--set", `subscriptionId=${subscription}`];
    await imported(document, ...base, "--group", group, "--connection", "other");
    await applyDocument(server, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "other", namespace: "default" },
      stringData: { token: other.token, password: "not a real one" },
    });
    await applyDocument(server, {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "other" },
      spec: {
        baseUrl: other.url,
        secretNamespace: "default",
        auth: { kind: "bearer", secret: "other" },
        tls: { ca: other.ca },
      },
    });
    const field = "/properties/servicePrincipalProfile/clientSecret";
    const management = {
      parameters: { resourceGroupName: "shop" },
      secrets: [{ field, secret: "other", key: "password" }],
    };
    const properties = {
      domain: "one.example.com",
      servicePrincipalProfile: { clientId: "installer" },
    };
    await clusters.create("one", { location: "westeurope", properties }, management);
    await clusters.ready("one");
    await clusters.patch("one", { spec: { properties: { workerCount: 5 } } });
    const one = await clusters.until("one", "of five", ({ status }) => {
      return pick(status?.observed, "properties.workerCount") === 5;
    });
    assert.equal(pick(one.status?.connect, "lastWrite.request")?.toString().split(" ")[0], "PATCH");
  });

  const provider = `/subscriptions/${subscription}/resourceGroups/shop/providers/Example.OpenShift`;
  const at = `${provider}/clusters/one?api-version=2026-01-01`;

  it("keeps the tags that others have set, though a PATCH there replaces them all", async () => {
    await clusters.patch("one", { spec: { tags: { team: "shop", old: "1" } } });
    await clusters.until("one", "tagged", (one) => {
      return isReady(one) && pick(one.status?.observed, "tags.team") === "shop";
    });
    // Refused for as long as an operation goes on.
    await waitUntil("their tag", async () => {
      const tags = { team: "shop", old: "1", cost: "7" };
      return (await other.request("PATCH", at, { tags })).status < 300;
    });
    await clusters.patch("one", { spec: { tags: { team: "bakery", old: null } } });
    const changed = await clusters.until("one", "tagged anew", (one) => {
      return isReady(one) && pick(one.status?.observed, "tags.team") === "bakery";
    });
    assert.deepEqual(pick((await other.request("GET", at)).json, "tags"), {
      team: "bakery",
      cost: "7",
    });
    assert.match(String(pick(changed.status?.connect, "lastWrite.request")), /^PATCH /);
  });

  it("removes it by an operation", async () => {
    await clusters.delete("one");
    await clusters.gone("one");
    assert.equal((await other.request("GET", at)).status, 404);
  });
});
