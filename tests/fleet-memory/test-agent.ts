// The agents of the clusters of a fleet in memory: they write reports, as real agents do, when the
// test lets them. An agent does for each ManagedInstance what its plan says.

import type { Place } from "../../src/app/memory-plane.ts";
import { timeText } from "../../src/kernel/clock.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { readManagedInstance } from "../../src/modules/fleet/clusters/managed-instance.ts";
import { managedInstancesKind } from "../../src/modules/fleet/names.ts";
import { fleetVersion } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

export interface ReportInput {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly routes?: readonly JsonObject[];
  readonly versions?: JsonObject;
  /** Of another placement than the present one. */
  readonly placementId?: string;
}

/** What the agent of a cluster does with an instance that it has not reported about. */
export type Plan = "ready" | "silent" | ReportInput;

export class TestAgents {
  readonly #fleet: MemoryFleet;
  readonly #plans = new Map<string, Plan>();
  readonly clusters: string[] = [];

  constructor(fleet: MemoryFleet) {
    this.#fleet = fleet;
  }

  /** Registers a cluster that is ready when the agent has reported. */
  async addCluster(id: string, spec: JsonObject = {}): Promise<void> {
    const place = { provider: "aws", region: "us-east-1", isMultiAz: true };
    const dns = `apps.${id}.example.com`;
    await this.#fleet.memory.create({
      apiVersion: fleetVersion,
      kind: "DataPlaneCluster",
      metadata: { name: id },
      spec: { ...place, dns, agentTimeoutSeconds: 86_400, ...spec },
    });
    await this.#fleet.pass();
    this.clusters.push(id);
    await this.reportCluster(id);
    await this.#fleet.pass();
  }

  async reportCluster(id: string, report: JsonObject = {}): Promise<void> {
    const at = timeText(this.#fleet.memory.surroundings.clock.nowMs());
    const operators = [{ version: "1.0.0", isReady: true, versions: ["2.0.0", "2.1.0"] }];
    const status = { report: { at, isReady: true, operators, ...report } };
    await this.#fleet.memory.patch({ ...clusterAt(id), subresource: "status" }, { status });
  }

  plan(cluster: string, plan: Plan): void {
    this.#plans.set(cluster, plan);
  }

  /** Reports about every ManagedInstance whose placement has no report yet. */
  async work(): Promise<number> {
    let reports = 0;
    for (const managed of await this.#fleet.list(managedInstancesKind)) {
      const { cluster, host, report, placementId, deletedAtMs, isSuspended } =
        readManagedInstance(managed);
      const plan = this.#plans.get(cluster) ?? "ready";
      if (plan === "silent" || (host === "" && deletedAtMs === undefined)) continue;
      const wanted =
        deletedAtMs !== undefined
          ? { status: "False", reason: "Deleted" }
          : isSuspended
            ? { status: "False", reason: "Suspended" }
            : plan === "ready"
              ? this.#readyReport(managed)
              : plan;
      const isReported = textAt(report, "placementId") === placementId;
      const reason = textAt(objectsAt(report, "conditions")[0], "reason");
      if (isReported && reason === (wanted.reason ?? "")) continue;
      await this.report(managed, wanted);
      reports += 1;
    }
    return reports;
  }

  async report(managed: Resource, given: ReportInput): Promise<void> {
    const { name, namespace = "" } = managed.metadata;
    const { status = "True", reason = "", message = "", routes, versions } = given;
    const { placementId = textAt(managed.spec, "placementId") } = given;
    const report = {
      placementId,
      at: timeText(this.#fleet.memory.surroundings.clock.nowMs()),
      conditions: [{ type: "Ready", status, reason, message }],
      ...(routes === undefined ? {} : { routes }),
      ...(versions === undefined ? {} : { versions }),
    };
    const at = { apiVersion: fleetVersion, kind: "ManagedInstance", namespace, name };
    await this.#fleet.memory.patch({ ...at, subresource: "status" }, { status: { report } });
  }

  #readyReport(managed: Resource): ReportInput {
    const { cluster, versions } = readManagedInstance(managed);
    const router = `ingress.apps.${cluster}.example.com`;
    return { routes: [{ name: "ui", prefix: "", router }], versions };
  }
}

export function clusterAt(name: string): Place {
  return { apiVersion: fleetVersion, kind: "DataPlaneCluster", name };
}
