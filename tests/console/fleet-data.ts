// A fleet with a bit of everything: a cluster that is full, one that is drained, one that failed,
// an instance that failed with hostile words, and one without a cluster.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../src/kernel/json.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { pick } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "fleet.setpoint.dev/v1";
const offering = join(import.meta.dirname, "..", "..", "examples", "dinosaurs", "offering.yaml");
export const organisation = "13640203";
export const dinosaurs = `/apis/dinosaurs.example.dev/v1/namespaces/org-${organisation}/dinosaurs`;
export const hostileMessage = '<img src=x onerror="document.title=1">';

type Server = Pick<KubeServer, "request">;

export async function createFleet(server: Server): Promise<void> {
  const { value } = parseYaml(await readFile(offering, "utf8"));
  await create(server, `/apis/${group}/offerings`, value as JsonObject);
  await create(server, `/apis/${group}/organisations`, {
    apiVersion: group,
    kind: "Organisation",
    metadata: { name: organisation },
    spec: {
      displayName: "Jurassic Gardens",
      members: [{ user: "alice", isAdmin: true }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 8 }],
    },
  });
  const simulator = {
    operators: [{ version: "op-1", isReady: true, versions: ["1.1.0"] }],
    failures: [{ names: ["bad-*"], result: "error", message: hostileMessage }],
  };
  await createCluster(server, "east-1", { capacity: { instances: 3 } }, simulator);
  await createCluster(server, "east-2", { isDraining: true }, simulator);
  await createCluster(server, "west-1", { region: "eu-west-1" }, simulator);
  const provisionError = "quota of the cloud account exceeded";
  await createCluster(server, "west-2", { region: "eu-west-1" }, { provisionError });
  await waitUntil("two ready clusters", async () => {
    const phases = await Promise.all(["east-1", "west-1"].map((name) => phaseOf(server, name)));
    return phases.every((phase) => phase === "ready");
  });
  await waitUntil("the namespace of the organisation and the kind", async () => {
    const { status } = await server.request("GET", dinosaurs);
    const space = await server.request("GET", `/api/v1/namespaces/org-${organisation}`);
    return status === 200 && space.status === 200;
  });
  for (const name of ["rex-1", "rex-2", "rex-3"]) await createInstance(server, name, "us-east-1");
  await instancePhase(server, "rex-3", "ready");
  // The cluster of the region is full now.
  await createInstance(server, "rex-4", "us-east-1");
  await createInstance(server, "bad-egg", "eu-west-1");
  await instancePhase(server, "bad-egg", "failed");
  await offerNewVersion(server, "east-1");
}

/** Instances keep the version that they have; a rollout gives them the new one. */
async function offerNewVersion(server: Server, cluster: string): Promise<void> {
  const operators = [{ version: "op-1", isReady: true, versions: ["1.1.0", "1.2.0"] }];
  const path = `/apis/${group}/dataplaneclusters/${cluster}`;
  const patch = { spec: { executor: { simulator: { operators } } } };
  const type = { "content-type": "application/merge-patch+json" };
  assert.equal((await server.request("PATCH", path, patch, type)).status, 200);
  await waitUntil(`the new version on ${cluster}`, async () => {
    const { json } = await server.request("GET", path);
    return JSON.stringify(pick(json, "status.report.operators") ?? "").includes("1.2.0");
  });
}

export async function createInstance(server: Server, name: string, region: string): Promise<void> {
  await create(server, dinosaurs, {
    apiVersion: "dinosaurs.example.dev/v1",
    kind: "Dinosaur",
    metadata: { name },
    spec: { owner: "alice", cloudProvider: "aws", region, multiAz: true, type: "standard" },
  });
}

export async function createRollout(server: Server, name: string): Promise<void> {
  await create(server, `/apis/${group}/rollouts`, {
    apiVersion: group,
    kind: "Rollout",
    metadata: { name },
    spec: {
      offering: "dinosaurs",
      selector: { regions: ["us-east-1"] },
      versions: { product: "1.2.0" },
      waves: [{ count: 1, soakSeconds: 3_600 }, { percent: 100 }],
      gates: { maxFailed: 0, condition: "updated < 2" },
    },
  });
}

export async function instancePhase(server: Server, name: string, phase: string): Promise<void> {
  await waitUntil(`${name} to be ${phase}`, async () => {
    const { json } = await server.request("GET", `${dinosaurs}/${name}`);
    return pick(json, "status.phase") === phase;
  });
}

async function createCluster(
  server: Server,
  name: string,
  spec: JsonObject,
  simulator: JsonObject,
): Promise<void> {
  await create(server, `/apis/${group}/dataplaneclusters`, {
    apiVersion: group,
    kind: "DataPlaneCluster",
    metadata: { name },
    spec: {
      provider: "aws",
      region: "us-east-1",
      isMultiAz: true,
      capacity: { instances: 10 },
      dns: `apps.${name}.example.com`,
      executor: { kind: "simulator", simulator },
      ...spec,
    },
  });
}

async function phaseOf(server: Server, cluster: string): Promise<unknown> {
  const { json } = await server.request("GET", `/apis/${group}/dataplaneclusters/${cluster}`);
  return pick(json, "status.phase");
}

async function create(server: Server, path: string, document: JsonObject): Promise<void> {
  const { status, text } = await server.request("POST", path, document);
  assert.equal(status, 201, text);
}
