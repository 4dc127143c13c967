// The suite that every implementation of the executor port passes: see executor.ts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import type { ManifestSettings } from "./agent-manifest.ts";
import { readCluster } from "./cluster.ts";
import type { DataPlaneCluster } from "./cluster.ts";
import type { ClusterExecutor, ExecutorCall } from "./executor.ts";
import { sampleCluster } from "./sample-cluster.ts";

export interface ExecutorSubject {
  readonly executor: ClusterExecutor;
  /** `spec.executor` of the cluster. */
  readonly settings: NonNullable<ReturnType<typeof sampleCluster>["spec"]>;
  readonly access?: KubeAccess;
}

const maxChecks = 20;

export function executorContract(name: string, open: () => Promise<ExecutorSubject>): void {
  describe(`the executor ${name}`, () => {
    it("creates a cluster once, and returns its id for each repetition", async () => {
      const { executor, call } = await opened(open);
      const { externalId } = await executor.create(call());
      assert.notEqual(externalId, "");
      assert.equal((await executor.create(call())).externalId, externalId);
    });

    it("has provisioned a created cluster after a finite number of checks", async () => {
      const { executor, call } = await opened(open);
      await executor.create(call());
      for (let checks = 0; checks < maxChecks; checks += 1) {
        const state = await executor.check(call(checks * 60_000));
        if (state.kind === "provisioned") return;
        assert.equal(state.kind, "provisioning");
      }
      assert.fail("the cluster is not provisioned");
    });

    it("installs the agent, also a second time with another credential", async () => {
      const { executor, call, settings } = await opened(open);
      await executor.create(call());
      await executor.install(call(), settings("first"));
      await executor.install(call(), settings("second"));
      await removed(executor, call);
    });

    it("removes a cluster that was never created, and one that was removed", async () => {
      const { executor, call } = await opened(open);
      await removed(executor, call);
      await removed(executor, call);
    });

    it("creates and installs a removed cluster again", async () => {
      const { executor, call, settings } = await opened(open);
      for (let times = 0; times < 2; times += 1) {
        await executor.create(call());
        await executor.install(call(), settings("token"));
        await removed(executor, call);
      }
    });

    it("rejects a call that is aborted", async () => {
      const { executor, call, settings } = await opened(open);
      const aborted = { ...call(), signal: AbortSignal.abort() };
      await assert.rejects(executor.create(aborted), { name: "AbortError" });
      await assert.rejects(executor.check(aborted), { name: "AbortError" });
      await assert.rejects(executor.install(aborted, settings("t")), { name: "AbortError" });
      await assert.rejects(executor.remove(aborted), { name: "AbortError" });
    });
  });
}

interface Opened {
  readonly executor: ClusterExecutor;
  readonly call: (nowMs?: number) => ExecutorCall;
  readonly settings: (token: string) => ManifestSettings;
}

async function opened(open: () => Promise<ExecutorSubject>): Promise<Opened> {
  const { executor, settings, access } = await open();
  const cluster: DataPlaneCluster = readCluster(sampleCluster({ executor: settings }));
  return {
    executor,
    call: (nowMs = 0) => {
      return { cluster, access, phaseSinceMs: 0, nowMs, signal: new AbortController().signal };
    },
    settings: (token) => ({
      cluster: cluster.id,
      controlPlane: { url: "https://control-plane.example", caBundle: undefined },
      token,
      namespace: "setpoint-agent",
      image: "setpoint",
      workload: "None",
      groups: ["dinosaurs.example.dev"],
    }),
  };
}

async function removed(executor: ClusterExecutor, call: Opened["call"]): Promise<void> {
  for (let times = 0; times < maxChecks; times += 1) {
    if (await executor.remove(call())) return;
  }
  assert.fail("the cluster is not removed");
}
