// A fleet server with clusters and agents for the tests of the agent protocol: the test plays the
// customer, and the agent with its real credential.
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, FleetServerOptions, Reply } from "./fleet-server.ts";

export const fleetApi = "/apis/fleet.setpoint.dev/v1";

export async function startAgentServer(options: FleetServerOptions = {}): Promise<AgentServer> {
  const server = await startFleetServer(options);
  await server.apply(customer);
  await server.untilReady();
  return new AgentServer(server);
}

const customer: JsonObject = {
  apiVersion: "fleet.setpoint.dev/v1",
  kind: "Organisation",
  metadata: { name: acme },
  spec: {
    quotas: [{ offering: "dinosaurs", type: "standard", max: 100 }],
    termsAccepted: [{ user: "alice", offering: "dinosaurs", version: "2026-01" }],
  },
};

export interface CreateOptions {
  readonly cluster?: string;
  readonly region?: string;
  readonly parameters?: JsonObject;
}

export class AgentServer implements AsyncDisposable {
  readonly server: FleetServer;
  readonly #tokens = new Map<string, string>();

  constructor(server: FleetServer) {
    this.server = server;
  }

  /** A registered cluster, when it waits for its agent. */
  async addCluster(name: string, spec: JsonObject = {}): Promise<void> {
    const place = { provider: "aws", region: "us-east-1", isMultiAz: true };
    await this.server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "DataPlaneCluster",
      metadata: { name },
      spec: { ...place, dns: `apps.${name}.example.com`, ...spec },
    });
    await this.untilPhase(name, "waiting");
  }

  /** A token of the ServiceAccount of a cluster. */
  async agentToken(cluster: string): Promise<string> {
    const known = this.#tokens.get(cluster);
    if (known !== undefined) return known;
    const token = await this.newToken(cluster);
    this.#tokens.set(cluster, token);
    return token;
  }

  async newToken(cluster: string): Promise<string> {
    const path = `/api/v1/namespaces/cluster-${cluster}/serviceaccounts/agent/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await this.server.setpoint.ask(path, { method: "POST", body });
    return textAt(JSON.parse(String(answer.body)) as JsonObject, "status", "token");
  }

  /** A call of the agent of a cluster. */
  async agent(cluster: string, path: string, body?: JsonObject): Promise<Reply> {
    const call = body === undefined ? {} : { method: "PUT", body };
    const as = await this.agentToken(cluster);
    return await this.server.call(`/agent-clusters/${cluster}${path}`, { ...call, as });
  }

  async reportReady(cluster: string, more: JsonObject = {}): Promise<void> {
    const conditions = [{ type: "Ready", status: "True" }];
    const operators = [{ ready: true, version: "1.0.0", versions: ["2.0.0"] }];
    await this.agent(cluster, "/status", { conditions, operators, ...more });
    await this.untilPhase(cluster, "ready");
  }

  async report(cluster: string, reports: JsonObject): Promise<Reply> {
    return await this.agent(cluster, "/dinosaurs/status", reports);
  }

  async instancesOf(cluster: string): Promise<readonly JsonObject[]> {
    return objectsAt((await this.agent(cluster, "/dinosaurs")).json, "items");
  }

  /** Creates an instance as a customer, and resolves with its id when its agent sees it. */
  async create(name: string, given: CreateOptions = {}): Promise<string> {
    const { cluster = "east-1", region = "us-east-1", parameters } = given;
    const place = { cloud_provider: "aws", region, multi_az: true };
    const body = { name, ...place, ...(parameters === undefined ? {} : { parameters }) };
    const call = { method: "POST", as: "alice", body };
    const reply = await this.server.call("/dinosaurs?async=true", call);
    if (reply.status !== 202) throw new Error(reply.text);
    const id = textAt(reply.json, "id");
    await waitUntil(`${name} on ${cluster}`, async () => {
      return (await this.instancesOf(cluster)).some((item) => textAt(item, "id") === id);
    });
    return id;
  }

  async delete(id: string): Promise<void> {
    const call = { method: "DELETE", as: "alice" };
    const reply = await this.server.call(`/dinosaurs/${id}?async=true`, call);
    if (reply.status !== 202) throw new Error(reply.text);
  }

  /** The instance as its owner sees it; undefined when it does not exist. */
  async instance(id: string): Promise<JsonObject | undefined> {
    const { status, json } = await this.server.call(`/dinosaurs/${id}`, { as: "alice" });
    return status === 200 ? json : undefined;
  }

  /** As `instance`; waits by the Kubernetes API, which does not limit the rate of requests. */
  async untilStatus(id: string, wanted: string): Promise<JsonObject> {
    await waitUntil(`the status ${wanted} of ${id}`, async () => {
      return textAt(await this.stored(id), "status", "phase") === wanted;
    });
    return (await this.instance(id)) ?? {};
  }

  async untilRemoved(id: string): Promise<void> {
    await waitUntil(`the end of ${id}`, async () => (await this.stored(id)) === undefined);
  }

  /** The document of an instance; undefined when it does not exist. */
  async stored(id: string): Promise<JsonObject | undefined> {
    const list = await this.resource("/apis/dinosaurs.example.dev/v1/dinosaurs");
    return objectsAt(list, "items").find((item) => textAt(item, "spec", "id") === id);
  }

  async managed(cluster: string, id: string): Promise<JsonObject | undefined> {
    return await this.resource(`${fleetApi}/namespaces/cluster-${cluster}/managedinstances/${id}`);
  }

  /** The resource at a path of the Kubernetes API; undefined when it does not exist. */
  async resource(path: string): Promise<JsonObject | undefined> {
    const { status, body } = await this.server.setpoint.ask(path);
    return status === 200 ? (JSON.parse(String(body)) as JsonObject) : undefined;
  }

  /** A merge patch as the administrator. */
  async patch(path: string, body: JsonObject): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const answer = await this.server.setpoint.ask(path, { method: "PATCH", body, headers });
    if (answer.status !== 200) throw new Error(String(answer.body));
  }

  async phaseOf(cluster: string): Promise<string> {
    const found = await this.resource(`${fleetApi}/dataplaneclusters/${cluster}`);
    return textAt(found, "status", "phase");
  }

  async untilPhase(cluster: string, phase: string): Promise<void> {
    await waitUntil(`cluster ${cluster} ${phase}`, async () => {
      return (await this.phaseOf(cluster)) === phase;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
