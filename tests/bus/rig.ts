// A server and a real RabbitMQ, with users and rights for commands.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKubeServer, pick } from "../kube/server.ts";
import type { KubeServer, KubeServerOptions } from "../kube/server.ts";
import { passwordOf, startRabbitMq } from "../peers/rabbitmq.ts";
import type { RabbitMq, RabbitMqOptions } from "../peers/rabbitmq.ts";
import { waitUntil } from "../peers/wait.ts";
import { BusClient } from "./client.ts";

export interface BusRig extends AsyncDisposable {
  readonly broker: RabbitMq;
  readonly server: KubeServer;
  readonly client: BusClient;
}

export interface BusRigOptions {
  /** Of the section `bus`. */
  readonly section?: Readonly<Record<string, unknown>>;
  readonly server?: KubeServerOptions;
  readonly broker?: RabbitMqOptions;
}

/** Those of docs/how-to/use-rabbitmq.md, where the user "shop" has the name "orders". */
const permissions = {
  setpoint: { configure: String.raw`^setpoint\.`, write: ".*", read: String.raw`^setpoint\.` },
  shop: {
    configure: String.raw`^(shop|setpoint\.replies)\.`,
    write: String.raw`^((shop|setpoint\.replies)\..*|setpoint\.commands)$`,
    read: String.raw`^((shop|setpoint\.replies)\..*|setpoint\.events)$`,
  },
};

/** The user "orders" of the broker acts as jane, who may do what `grantJane` grants. */
export async function openBusRig(options: BusRigOptions = {}): Promise<BusRig> {
  await using undo = new AsyncDisposableStack();
  const broker = undo.use(await startRabbitMq({ permissions, ...options.broker }));
  const folder = mkdtempSync(join(tmpdir(), "setpoint-bus-"));
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const server = undo.use(await startBusServer(broker, folder, options));
  await grantJane(server);
  const client = undo.use(await BusClient.open(broker.connect("orders"), "orders"));
  const running = undo.move();
  return { broker, server, client, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

export async function startBusServer(
  broker: RabbitMq,
  folder: string,
  { section = {}, server = {} }: BusRigOptions = {},
): Promise<KubeServer> {
  const credentialsFile = join(folder, "credentials");
  writeFileSync(credentialsFile, `setpoint\n${passwordOf("setpoint")}\n`, { mode: 0o600 });
  const bus = {
    url: broker.url,
    credentialsFile,
    kinds: ["configmaps", "*.environments.setpoint.dev"],
    users: ["orders=jane", "shop=jane"],
    ...section,
  };
  const started = await startKubeServer({ ...server, sections: { bus } });
  await waitUntil("the bus to be connected", async () => {
    const outbox = await started.request("GET", "/readyz/bus-outbox");
    const inbox = await started.request("GET", "/readyz/bus-inbox");
    return outbox.status === 200 && inbox.status === 200;
  });
  await waitUntil("the outbox to publish", async () => {
    const { text } = await started.request("GET", "/metrics");
    return /^setpoint_bus_connected\{use="outbox"\} 1$/m.test(text);
  });
  return started;
}

async function grantJane(server: KubeServer): Promise<void> {
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "update"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: "jane", namespace: "default" };
  await created(server, `${rbac}/namespaces/default/roles`, { metadata, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "jane" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }];
  await created(server, `${rbac}/namespaces/default/rolebindings`, { metadata, roleRef, subjects });
}

export async function created(server: KubeServer, path: string, body: object): Promise<number> {
  const { status, json, text } = await server.request("POST", path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return Number(pick(json, "metadata.resourceVersion"));
}

export const configMaps = "/api/v1/namespaces/default/configmaps";

/** Returns the revision. */
export async function writeMap(server: KubeServer, name: string, value: string): Promise<number> {
  const path = `${configMaps}/${name}`;
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
  const { status, json, text } = await server.request("PUT", path, body);
  if (status === 404) return await created(server, configMaps, body);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return Number(pick(json, "metadata.resourceVersion"));
}

export async function readMap(server: KubeServer, name: string): Promise<unknown> {
  return pick((await server.request("GET", `${configMaps}/${name}`)).json, "data.value");
}

export function rollback(name: string, to: number): object {
  return { path: { kind: "configmaps", name }, query: { namespace: "default" }, data: { to } };
}
