// Rollouts, Probes and usage reports on a real server with simulated clusters. The server is killed
// during a Rollout.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { root } from "../../tools/stages.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, startFleetServer } from "./fleet-server.ts";
import type { FleetServer } from "./fleet-server.ts";

const fleetApi = "/apis/fleet.setpoint.dev/v1";
const count = 8;

async function readJson(server: FleetServer, path: string): Promise<JsonObject> {
  const { body } = await server.setpoint.ask(path);
  return JSON.parse(body.toString("utf8")) as JsonObject;
}

async function instances(server: FleetServer): Promise<readonly JsonObject[]> {
  const all = objectsAt(
    await readJson(server, "/apis/dinosaurs.example.dev/v1/dinosaurs"),
    "items",
  );
  return all.filter(({ metadata }) => !textAt(metadata, "name").startsWith("probe-"));
}

async function metric(server: FleetServer, line: RegExp): Promise<string | undefined> {
  const { body } = await server.setpoint.ask("/metrics");
  return body
    .toString("utf8")
    .split("\n")
    .find((each) => line.test(each));
}

function cluster(name: string, region: string): JsonObject {
  const operators = [{ version: "1.0.0", isReady: true, versions: ["1.0.0"] }];
  return {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name },
    spec: {
      provider: "aws",
      region,
      isMultiAz: true,
      dns: `apps.${name}.example.com`,
      executor: { kind: "simulator", simulator: { operators, updateMs: 300 } },
    },
  };
}

describe("operations on a fleet", () => {
  let server: FleetServer;
  let health: Server;
  const asked: string[] = [];

  before(async () => {
    health = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("ok");
    });
    health.listen(0, "127.0.0.1");
    server = await startFleetServer();
    for (const [name, region] of [
      ["east-1", "us-east-1"],
      ["west-1", "eu-west-1"],
    ] as const) {
      await server.apply(cluster(name, region));
    }
    await server.untilReady();
    const quotas = [{ offering: "dinosaurs", type: "standard", max: 50 }];
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "Organisation",
      metadata: { name: acme },
      spec: { members: [{ user: "alice", isAdmin: true }], quotas },
    });
    const terms = { method: "POST", body: { version: "2026-01" }, as: "alice" };
    assert.equal((await server.call("/terms", terms)).status, 200);
    for (let at = 0; at < count; at += 1) {
      const body = { name: `rex-${at}`, multi_az: true };
      const created = { method: "POST", body, as: "alice" };
      await waitUntil(`rex-${at}`, async () => {
        const { status } = await server.call("/dinosaurs?async=true", created);
        return status === 202 || status === 409;
      });
    }
    await waitUntil("ready instances", async () => {
      const all = await instances(server);
      return all.length === count && all.every(({ status }) => textAt(status, "phase") === "ready");
    });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    health.close();
  });

  it("a Rollout survives kill -9 and never exceeds its limit", async () => {
    const operators = [{ version: "1.0.0", isReady: true, versions: ["1.0.0", "1.1.0"] }];
    for (const name of ["east-1", "west-1"]) {
      const spec = { executor: { simulator: { operators, updateMs: 1_000 } } };
      await server.setpoint.ask(`${fleetApi}/dataplaneclusters/${name}`, {
        method: "PATCH",
        body: { spec },
        headers: { "content-type": "application/merge-patch+json" },
      });
    }
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "Rollout",
      metadata: { name: "one-one" },
      spec: {
        offering: "dinosaurs",
        versions: { product: "1.1.0" },
        waves: [{ count: 1 }, { percent: 100, maxUnavailable: 2 }],
      },
    });
    const path = `${fleetApi}/rollouts/one-one`;
    const seen = new Map<string, string>();
    for (let kills = 0; kills < 3; kills += 1) {
      await waitUntil("another updated instance", async () => {
        const { status } = await readJson(server, path);
        assert.notEqual(textAt(status, "phase"), "completed", "it is killed before its end");
        return (numberAt(status, "updated") ?? 0) > kills;
      });
      await server.setpoint.kill9();
      await server.setpoint.start();
      for (const { spec } of await instances(server)) {
        const [id, at] = [textAt(spec, "id"), textAt(spec, "rollout", "at")];
        if (at === "") continue;
        assert.equal(seen.get(id) ?? at, at, "no instance is updated twice");
        seen.set(id, at);
      }
    }
    await waitUntil("the end of the Rollout", async () => {
      const { status } = await readJson(server, path);
      assert.ok((numberAt(status, "updating") ?? 0) <= 2);
      return textAt(status, "phase") === "completed";
    });
    for (const { status } of await instances(server)) {
      assert.equal(textAt(status, "actualVersions", "product"), "1.1.0");
    }
  });

  it("a Probe verifies its instances with a request, and shows it in metrics", async () => {
    const { port } = health.address() as AddressInfo;
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "Probe",
      metadata: { name: "all" },
      spec: {
        offering: "dinosaurs",
        organisation: acme,
        owner: "alice",
        type: "standard",
        regions: [{ provider: "aws", region: "us-east-1" }],
        intervalSeconds: 10,
        verify: { url: `http://127.0.0.1:${port}/health?of=\${host}` },
      },
    });
    const labels = 'offering="dinosaurs",region="us-east-1",result="success"';
    await waitUntil("a success in the metrics", async () => {
      const found = await metric(server, /^fleet_manager_probe_runs_total.*success/);
      return found?.includes(labels) === true && !found.endsWith(" 0");
    });
    assert.match(asked[0] ?? "", /^\/health\?of=probe-\w+-\w+\./);
    // Its source is the status, which is written after the run was counted.
    await waitUntil("the time of the success", async () => {
      return await metric(server, /^fleet_manager_probe_last_success_timestamp_seconds.*[1-9]/);
    });
    // The process that leads shows it, as soon as it has read the instances.
    const usual = await waitUntil("the number of instances", async () => {
      return await metric(server, /requests_status_count\{.*status="ready"/);
    });
    assert.match(usual, new RegExp(` ${count}$`), "Probes are not counted");
    await server.setpoint.ask(`${fleetApi}/probes/all`, { method: "DELETE" });
    await waitUntil("the removal of the Probe", async () => {
      return (await server.setpoint.ask(`${fleetApi}/probes/all`)).status === 404;
    });
  });

  it("administrators read the use of instances as JSON and as CSV", async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const path = `/admin/usage?from=${from}`;
    const { status, json } = await server.call(path, { as: "reader" });
    assert.equal(status, 200);
    const [line] = objectsAt(json, "items");
    assert.equal(textAt(line, "organisation_id"), acme);
    assert.equal(numberAt(line, "instances"), count);
    assert.ok((numberAt(line, "seconds") ?? 0) >= count);
    const csv = await server.call(`${path}&format=csv&by=instance`, { as: "reader" });
    assert.match(String(csv.headers["content-type"]), /^text\/csv/);
    assert.equal(csv.text.trim().split("\r\n").length, count + 1);
    assert.doesNotMatch(csv.text, /probe-/);
    assert.equal((await server.call(path, { as: "alice" })).status, 404);
    const wrong = await server.call("/admin/usage?from=soon", { as: "reader" });
    assert.deepEqual([wrong.status, textAt(wrong.json, "code")], [400, "DINOSAURS-MGMT-17"]);
    assert.match(textAt(wrong.json, "reason"), /from: "soon" is not a date/);
  });

  it("the command line prints the report and says that it is not complete", async () => {
    const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    const args = ["fleet", "usage", "--offering", "dinosaurs", "--from", from];
    const env = { ...process.env, KUBECONFIG: server.setpoint.kubeconfig };
    const run = promisify(execFile);
    const { stdout, stderr } = await run(join(root, "bin/setpoint"), args, { env });
    const [head, line = ""] = stdout.split("\r\n");
    assert.equal(head, "organisation_id,instance_type,instances,seconds,unit_seconds");
    assert.ok(line.startsWith(`${acme},standard,${count},`), line);
    assert.match(stderr, /the report is not complete: records of deleted instances are kept since/);
  });
});
