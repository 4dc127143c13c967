// A fleet server with clusters and agents for the tests of the agent protocol: the test plays the
// agent, with the real credentials.
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { startFleetServer } from "./fleet-server.ts";
import type { FleetServer, FleetServerOptions, Reply } from "./fleet-server.ts";

export const fleetApi = "/apis/fleet.setpoint.dev/v1";

export interface AgentServer extends AsyncDisposable {
  readonly server: FleetServer;
  /** A registered cluster, when it waits for its agent. */
  addCluster(name: string, spec?: JsonObject): Promise<void>;
  /** A token of the ServiceAccount of a cluster. */
  agentToken(cluster: string): Promise<string>;
  /** A call of the agent of a cluster. */
  agent(cluster: string, path: string, body?: JsonObject): Promise<Reply>;
  reportReady(cluster: string, more?: JsonObject): Promise<void>;
  instancesOf(cluster: string): Promise<readonly JsonObject[]>;
  /** A ManagedInstance, as the life cycle writes it when it places an instance. */
  place(cluster: string, id: string, spec?: JsonObject): Promise<void>;
  managed(cluster: string, id: string): Promise<JsonObject | undefined>;
  deleteManaged(cluster: string, id: string): Promise<void>;
  /** The resource at a path of the Kubernetes API; undefined when it does not exist. */
  resource(path: string): Promise<JsonObject | undefined>;
  phaseOf(cluster: string): Promise<string>;
  untilPhase(cluster: string, phase: string): Promise<void>;
}

export async function startAgentServer(options: FleetServerOptions = {}): Promise<AgentServer> {
  const server = await startFleetServer(options);
  const { setpoint } = server;
  const tokens = new Map<string, string>();
  const resource = async (path: string): Promise<JsonObject | undefined> => {
    const { status, body } = await setpoint.ask(path);
    return status === 200 ? (JSON.parse(String(body)) as JsonObject) : undefined;
  };
  const phaseOf = async (cluster: string): Promise<string> =>
    textAt(await resource(`${fleetApi}/dataplaneclusters/${cluster}`), "status", "phase");
  const untilPhase = async (cluster: string, phase: string): Promise<void> =>
    void (await waitUntil(`${cluster} ${phase}`, async () => (await phaseOf(cluster)) === phase));
  const agentToken = async (cluster: string): Promise<string> => {
    const known = tokens.get(cluster);
    if (known !== undefined) return known;
    const path = `/api/v1/namespaces/cluster-${cluster}/serviceaccounts/agent/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await setpoint.ask(path, { method: "POST", body });
    const token = textAt(JSON.parse(String(answer.body)) as JsonObject, "status", "token");
    tokens.set(cluster, token);
    return token;
  };
  const agent = async (cluster: string, path: string, body?: JsonObject): Promise<Reply> => {
    const call = body === undefined ? {} : { method: "PUT", body };
    const as = await agentToken(cluster);
    return await server.call(`/agent-clusters/${cluster}${path}`, { ...call, as });
  };
  const managedPath = (cluster: string, id = ""): string =>
    `${fleetApi}/namespaces/cluster-${cluster}/managedinstances${id === "" ? "" : `/${id}`}`;
  return {
    server,
    resource,
    place: async (cluster, id, spec = {}) => {
      const body = managedInstance(id, spec);
      const answer = await setpoint.ask(managedPath(cluster), { method: "POST", body });
      if (answer.status !== 201) throw new Error(String(answer.body));
    },
    managed: async (cluster, id) => await resource(managedPath(cluster, id)),
    deleteManaged: async (cluster, id) => {
      await setpoint.ask(managedPath(cluster, id), { method: "DELETE" });
    },
    agentToken,
    agent,
    phaseOf,
    untilPhase,
    addCluster: async (name, spec = {}) => {
      await server.apply({
        apiVersion: "fleet.setpoint.dev/v1",
        kind: "DataPlaneCluster",
        metadata: { name },
        spec: {
          provider: "aws",
          region: "us-east-1",
          isMultiAz: true,
          dns: `apps.${name}.example.com`,
          ...spec,
        },
      });
      await untilPhase(name, "waiting");
    },
    reportReady: async (cluster, more = {}) => {
      const conditions = [{ type: "Ready", status: "True" }];
      const operators = [{ ready: true, version: "1.0.0", versions: ["2.0.0"] }];
      await agent(cluster, "/status", { conditions, operators, ...more });
      await untilPhase(cluster, "ready");
    },
    instancesOf: async (cluster) => objectsAt((await agent(cluster, "/dinosaurs")).json, "items"),
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

function managedInstance(id: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "ManagedInstance",
    metadata: { name: id },
    spec: {
      offering: "dinosaurs",
      instance: { namespace: "org-1", name: `name-${id}`, uid: `uid-${id}` },
      placementId: "p1",
      type: "standard",
      host: `${id}.dinosaurs.example.com`,
      owners: ["alice"],
      versions: { product: "2.0.0", operator: "1.0.0" },
      ...spec,
    },
  };
}
