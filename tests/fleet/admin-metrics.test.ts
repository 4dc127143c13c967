// The metrics of a real server from its start over the life of an instance: counters at 0 before
// anything happens, gauges of the fleet in the process that leads, and no label with an id.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { startFleetServer } from "./fleet-server.ts";
import type { FleetServer } from "./fleet-server.ts";

let server: FleetServer;

before(async () => {
  server = await startFleetServer();
  await server.untilReady();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

async function text(): Promise<string> {
  const { status, body } = await server.setpoint.ask("/metrics");
  equal(status, 200);
  return body.toString("utf8");
}

/** The value of one series; undefined when it is not shown. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await text()).split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const operation = (name: string, of: string): string =>
  `fleet_manager_operations_${name}_count{offering="dinosaurs",operation="${of}"}`;
const status = (of: string): string =>
  `fleet_manager_requests_status_count{offering="dinosaurs",status="${of}"}`;

describe("before anything happens", () => {
  it("counters and gauges are shown with the value 0", async () => {
    for (const name of ["total", "success"]) {
      for (const what of ["create", "deprovision", "delete"]) {
        equal(await valueOf(operation(name, what)), 0, `${name} ${what}`);
        const series = `fleet_manager_cluster_operations_${name}_count{operation="${what}"}`;
        equal(await valueOf(series), 0, series);
      }
    }
    await waitUntil("the process leads", async () => {
      return (await valueOf('fleet_manager_leader_worker{worker_type="fleet-metrics"}')) === 1;
    });
    await waitUntil("the instances are counted", async () => {
      return (await valueOf(status("ready"))) === 0;
    });
    equal(await valueOf('fleet_manager_cluster_status_count{status="ready"}'), 0);
  });
});

describe("the life of an instance", () => {
  it("is counted once, with its cluster, its versions and its age", async () => {
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "DataPlaneCluster",
      metadata: { name: "east-1" },
      spec: {
        provider: "aws",
        region: "us-east-1",
        isMultiAz: true,
        capacity: { instances: 9 },
        dns: "apps.east-1.example.com",
        executor: { kind: "simulator" },
      },
    });
    const body = { name: "rex", owner: "zoe", organisation_id: "zoo" };
    const made = await server.call("/admin/dinosaurs?async=true", {
      method: "POST",
      as: "root",
      body,
    });
    equal(made.status, 202, made.text);
    const id = textAt(made.json, "id");
    await waitUntil("the creation is counted", async () => {
      return (await valueOf(operation("success", "create"))) === 1;
    });
    equal(await valueOf(operation("total", "create")), 1);
    equal(await valueOf(status("ready")), 1);
    const place = 'offering="dinosaurs",cluster_id="east-1"';
    equal(await valueOf(`fleet_manager_per_cluster_count{${place}}`), 1);
    const room = 'region="us-east-1",instance_type="eval",cluster_id="east-1"';
    equal(await valueOf(`fleet_manager_cluster_status_capacity_max{${room}}`), 9);
    equal(await valueOf(`fleet_manager_cluster_status_capacity_used{${room}}`), 1);
    const version = 'offering="dinosaurs",component="product",type="actual",version="1.0.0"';
    equal(await valueOf(`fleet_manager_version{${version}}`), 1);
    const since = 'since_created_in_seconds_count{offering="dinosaurs",status="ready"}';
    equal(await valueOf(`fleet_manager_requests_status_${since}`), 1);
    equal(await valueOf('fleet_manager_cluster_status_count{status="ready"}'), 1);
    equal(await valueOf('fleet_manager_cluster_operations_success_count{operation="create"}'), 1);

    const path = `/admin/dinosaurs/${id}`;
    equal((await server.call(path, { as: "root" })).status, 200);
    equal((await server.call(`${path}?async=true`, { method: "DELETE", as: "root" })).status, 202);
    await waitUntil("the deletion is counted", async () => {
      return (await valueOf(operation("success", "delete"))) === 1;
    });
    equal(await valueOf(operation("total", "deprovision")), 1);
    equal(await valueOf(status("ready")), 0);
    equal(await valueOf(`fleet_manager_per_cluster_count{${place}}`), undefined);
    equal(await valueOf(`fleet_manager_version{${version}}`), undefined);
    ok(!(await text()).includes(id), "no label has the id of an instance");
  });

  it("shows requests by the template of their path", async () => {
    const lines = (await text()).split("\n").filter((line) => line.includes('surface="fleet"'));
    const routes = lines.flatMap((line) => /route="([^"]*)"/.exec(line)?.[1] ?? []);
    ok(routes.includes("/api/dinosaurs_mgmt/v1/admin/dinosaurs/{id}"), routes.join(" "));
    const line = lines.find((each) =>
      each.includes('route="/api/dinosaurs_mgmt/v1/admin/dinosaurs"'),
    );
    ok(line?.includes('code="202"') === true, line);
    deepEqual(
      [...(await text()).matchAll(/^setpoint_reconcile_duration_seconds_count\{kind="([^"]*)"/gm)]
        .map(([, kind]) => kind)
        .filter((kind) => kind === "dinosaurs.dinosaurs.example.dev"),
      ["dinosaurs.dinosaurs.example.dev"],
    );
  });
});
