// A real server with the bakery module, for the tests of the Resource Manager surface, and the
// resource manager itself: a client with a certificate that is on the list.
import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import { dirname, join } from "node:path";
import { after, before, describe } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { pick, pickList, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer, KubeServerOptions, Reply, RequestHeaders } from "../kube/server.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { recordTraffic } from "./recorded-traffic.ts";
import type { Traffic } from "./recorded-traffic.ts";

export const subscription = "11111111-2222-3333-4444-555555555555";
export const version = "api-version=2026-01-01";
const group = `/subscriptions/${subscription}/resourceGroups/Bread`;
export const ovens = `${group}/providers/Example.Bakery/ovens`;

const kubeOvens = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens`;

export interface ArmServer extends KubeServer {
  /** The certificate of the resource manager. */
  readonly manager: { readonly certificatePem: string; readonly keyPem: string };
  /** As the one certificate that may do everything here. */
  asManager(
    method: string,
    path: string,
    body?: unknown,
    headers?: RequestHeaders,
  ): Promise<Pick<Reply, "status" | "headers" | "json" | "text">>;
  put(name: string, properties: object, more?: object, headers?: RequestHeaders): Promise<Reply>;
  patch(name: string, body: object, headers?: RequestHeaders): Promise<Reply>;
  get(name: string, headers?: RequestHeaders): Promise<Reply>;
  /** What is behind it in the store, as kubectl shows it. */
  stored(name: string): Promise<unknown>;
  /** Ends the waiting of an oven that is slow or held. */
  letGo(name: string): Promise<void>;
  /** Once it is in the state. */
  settled(name: string, state?: string): Promise<Reply>;
  /** Created, and in the end Succeeded. */
  made(name: string, properties?: object, more?: object): Promise<Reply>;
}

export const managerName = "resource-manager";

export interface ArmServerOptions extends Pick<
  KubeServerOptions,
  "auditPolicy" | "auditLog" | "module"
> {
  /** Seconds that clients wait between two polls. */
  readonly armRetryAfter?: number;
  /** Of this folder; `module` names files of any folder instead. */
  readonly modules?: readonly string[];
}

export async function startArmServer(
  store?: string,
  { modules = ["bakery"], armRetryAfter, ...options }: ArmServerOptions = {},
): Promise<ArmServer> {
  const retryAfter = armRetryAfter === undefined ? {} : { retryAfter: armRetryAfter };
  const bare = await startKubeServer({
    module: modules.map((name) => join(root, `tests/arm/${name}-module.ts`)),
    sections: { arm: { clients: [managerName], ...retryAfter } },
    ...options,
    ...(store === undefined ? {} : { store }),
  });
  const traffic = recordTraffic();
  const server = recording(bare, traffic);
  const told = await server.request("PUT", `/subscriptions/${subscription}?api-version=2.0`, {
    state: "Registered",
  });
  assert.equal(told.status, 200, told.text);
  const folder = dirname(server.kubeconfig);
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const client = authority.issueClientCertificate({ name: managerName, groups: [], days: 1 });
  const get = (name: string, headers?: RequestHeaders): Promise<Reply> =>
    server.request("GET", oven(name), undefined, headers);
  const put: ArmServer["put"] = (name, properties, more = {}, headers = {}) =>
    server.request("PUT", oven(name), { location: "westeurope", properties, ...more }, headers);
  const settled = async (name: string, state = "Succeeded"): Promise<Reply> => {
    let last = await get(name);
    const isSettled = async (): Promise<boolean> => {
      last = await get(name);
      return pick(last.json, "properties.provisioningState") === state;
    };
    await waitUntil(`${name} to be ${state}`, isSettled, { limitMs: 120_000 });
    return last;
  };
  const stored = async (name: string): Promise<unknown> => {
    const { json } = await server.request("GET", kubeOvens);
    return pickList(json, "items").find((item) => {
      const notes = pick(item, "metadata.annotations") as Readonly<Record<string, string>>;
      return notes["arm.setpoint.dev/envelope"]?.includes(`"name":"${name}"`) === true;
    });
  };
  return {
    ...server,
    manager: client,
    stored,
    letGo: async (name) => {
      const path = `${kubeOvens}/${pickText(await stored(name), "metadata.name")}`;
      const metadata = { annotations: { "tests.dev/go": "true" } };
      const reply = await server.request("PATCH", path, { metadata });
      assert.equal(reply.status, 200, reply.text);
    },
    get,
    put,
    settled,
    patch: (name, body, headers = {}) =>
      server.request("PATCH", oven(name), body, { "content-type": "application/json", ...headers }),
    made: async (name, properties = {}, more = {}) => {
      const reply = await put(name, properties, more);
      assert.equal(reply.status, 201, reply.text);
      return await settled(name);
    },
    asManager: async (method, path, body, headers = {}) => {
      const reply = await asManager({ server, client, method, path, body, headers });
      traffic.record(method, path, body, reply);
      return reply;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The same server, whose traffic is looked at before it stops. */
function recording(server: KubeServer, traffic: Traffic): KubeServer {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    try {
      await traffic.check(server);
    } finally {
      await server.stop();
    }
  };
  return {
    ...server,
    request: async (method, path, body, headers) => {
      const reply = await server.request(method, path, body, headers);
      traffic.record(method, path, body, reply);
      return reply;
    },
    stop: async () => await (stopped ??= stop()),
    async [Symbol.asyncDispose]() {
      await (stopped ??= stop());
    },
  };
}

/** The server is there once the tests run. */
export function onEachStore(
  title: string,
  suite: (server: () => ArmServer) => void,
  modules: readonly string[] = ["bakery"],
  { isConcurrent = false, ...options }: ArmServerOptions & { readonly isConcurrent?: boolean } = {},
): void {
  for (const kind of ["SQLite", "PostgreSQL"] as const) {
    const skip = kind === "PostgreSQL" && findPostgres() === undefined;
    describe(`${title} (${kind})`, { skip, concurrency: isConcurrent }, () => {
      let postgres: Postgres | undefined;
      let server: ArmServer | undefined;
      before(async () => {
        if (kind === "PostgreSQL") postgres = await startPostgres();
        server = await startArmServer(postgres?.url(), { modules, ...options });
      });
      after(async () => {
        await server?.stop();
        await postgres?.[Symbol.asyncDispose]();
        // A busy machine may keep the database from answering a probe in time.
        const errors = server?.errors.filter((error) => !error.startsWith("store unavailable"));
        assert.deepEqual(errors, []);
      });
      suite(() => {
        if (server === undefined) throw new Error("the server has not been started");
        return server;
      });
    });
  }
}

export function oven(name: string): string {
  return `${ovens}/${name}?${version}`;
}

export function codeOf(reply: Pick<Reply, "json">): unknown {
  return pick(reply.json, "error.code");
}

interface ManagerCall {
  readonly server: KubeServer;
  readonly client: { readonly certificatePem: string; readonly keyPem: string };
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: RequestHeaders;
}

async function asManager(call: ManagerCall): ReturnType<ArmServer["asManager"]> {
  const { server, client, method, path, body, headers } = call;
  const { hostname, port } = new URL(server.url);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const sending = httpsRequest({
      hostname,
      port,
      method,
      path,
      ca: server.ca,
      cert: client.certificatePem,
      key: client.keyPem,
      agent: false,
      headers: {
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    sending.once("error", reject);
    sending.once("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const json: unknown = text === "" ? undefined : JSON.parse(text);
        const known: IncomingHttpHeaders = response.headers;
        resolve({ status: response.statusCode ?? 0, headers: known, json, text });
      });
    });
    sending.end(sent);
  });
}
