// A real server with the Offering of examples/dinosaurs, and three real OpenID providers: one for
// customers, one for administrators and one for agents. People have tokens with the claims of the
// seed. Requests are sent over TLS, as clients send them.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { readFile, rm, writeFile, mkdtemp } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { Claims, OidcPeer } from "../peers/oidc-provider.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

export const apiRoot = "/api/dinosaurs_mgmt";
export const v1 = `${apiRoot}/v1`;

/** The organisations of the people. Only the first has a quota for standard instances. */
export const acme = "13640203";
export const globex = "2020";

const secret = "only-for-tests";

/** Customers by name. */
export const people = {
  alice: { org_id: acme, account_id: "a-1", is_org_admin: true },
  bob: { org_id: acme, account_id: "a-2" },
  carl: { org_id: acme },
  grace: { "rh-org-id": globex },
  dora: { org_id: globex },
  noorg: {},
} as const satisfies Record<string, Claims>;

export const administrators = {
  reader: { realm_access: { roles: ["dinosaurs-admin-read"] } },
  writer: { realm_access: { roles: ["dinosaurs-admin-write"] } },
  root: { realm_access: { roles: ["Dinosaurs-Admin-Full"] } },
  visitor: { realm_access: { roles: ["something-else"] } },
} as const satisfies Record<string, Claims>;

export interface FleetServerOptions extends SetpointOptions {
  /** Replaces parts of the first level of the spec of the Offering. */
  readonly offering?: JsonObject;
  /** Claims of agents by name. */
  readonly agents?: Readonly<Record<string, Claims>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: JsonObject;
}

export interface Call {
  readonly method?: string;
  /** As JSON, unless it is a text. */
  readonly body?: unknown;
  /** A person, an administrator, an agent, or a token itself; none for a request without one. */
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startFleetServer(options: FleetServerOptions = {}): Promise<FleetServer> {
  await using undo = new AsyncDisposableStack();
  const provider = async (all: Readonly<Record<string, Claims>>): Promise<OidcPeer> => {
    const clients = Object.entries(all).map(([id, claims]) => ({
      id,
      secret,
      claims: { typ: "Bearer", username: id, ...claims },
    }));
    return undo.use(await startOidcProvider({ clients, audience: "fleet" }));
  };
  const customers = await provider(people);
  const admins = await provider(administrators);
  const agents = await provider(options.agents ?? {});
  const folder = await mkdtemp(join(tmpdir(), "setpoint-fleet-"));
  undo.defer(async () => await rm(folder, { recursive: true, force: true }));
  const config = join(folder, "setpoint.yaml");
  const issuers = [customers, admins, agents].map(({ issuer }) => issuer);
  await writeFile(config, JSON.stringify({ oidc: issuers.map(trusted) }));
  const args = ["--config", config, ...(options.args ?? [])];
  const setpoint = undo.use(await startSetpoint({ ...options, args }));
  const providers = { customers, admins, agents };
  await new FleetServer({ setpoint, providers, args, undo }).apply(
    await dinosaurs(issuers, options.offering ?? {}),
  );
  return new FleetServer({ setpoint, providers, args, undo: undo.move() });
}

/** How the server reads the claims of the seed. */
function trusted(issuer: string): JsonObject {
  return {
    issuer,
    http: true,
    audiences: ["fleet"],
    usernameClaim: ["username", "preferred_username"],
    usernamePrefix: "",
    requiredClaims: { typ: "Bearer" },
    requireIssuedAt: true,
    extraClaims: {
      org_id: "org_id",
      "rh-org-id": "rh-org-id",
      account_id: "account_id",
      is_org_admin: "is_org_admin",
      roles: "realm_access.roles",
      cluster_id: "fleetshard-operator-cluster-id",
    },
  };
}

async function dinosaurs(issuers: readonly string[], more: JsonObject): Promise<JsonObject> {
  const [customers = "", admins = "", agents = ""] = issuers;
  const file = new URL("../../examples/dinosaurs/offering.yaml", import.meta.url);
  const example = parseYaml(await readFile(file, "utf8")).value as JsonObject;
  const api = {
    public: { issuers: [customers] },
    admin: { issuers: [admins] },
    agent: { issuers: [agents] },
  };
  return { ...example, spec: { ...objectAt(example, "spec"), api, ...more } };
}

export interface Providers {
  readonly customers: OidcPeer;
  readonly admins: OidcPeer;
  readonly agents: OidcPeer;
}

interface FleetServerParts {
  readonly setpoint: Setpoint;
  readonly providers: Providers;
  /** Of the command line of the server. */
  readonly args: readonly string[];
  readonly undo: AsyncDisposableStack;
}

export class FleetServer implements AsyncDisposable {
  readonly setpoint: Setpoint;
  readonly providers: Providers;
  readonly #parts: FleetServerParts;
  readonly #tokens = new Map<string, string>();

  constructor(parts: FleetServerParts) {
    this.setpoint = parts.setpoint;
    this.providers = parts.providers;
    this.#parts = parts;
  }

  /** Another server of the same PostgreSQL, which trusts the same issuers. */
  async startSibling(store: string): Promise<FleetServer> {
    await using undo = new AsyncDisposableStack();
    const keys = join(this.setpoint.folder, "keys.json");
    const { providers, args } = this.#parts;
    const setpoint = undo.use(await startSetpoint({ store, keys, args }));
    return new FleetServer({ setpoint, providers, args, undo: undo.move() });
  }

  /** Of a person, an administrator or an agent; any other text is a token itself. */
  async token(name: string): Promise<string> {
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    const { customers, admins, agents } = this.providers;
    const provider = name in people ? customers : name in administrators ? admins : agents;
    if (!/^[a-z][a-z0-9-]*$/.test(name)) return name;
    const token = await provider.token(name);
    this.#tokens.set(name, token);
    return token;
  }

  /** The path is below /api/dinosaurs_mgmt/v1, or begins with /api. */
  async call(path: string, { method = "GET", body, as, headers = {} }: Call = {}): Promise<Reply> {
    const sent = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const token = as === undefined ? undefined : await this.token(as);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const url = this.#url(path);
    const asked = request(url, {
      ca: this.setpoint.ca,
      method,
      // As it is: a parsed URL has no segments such as "..".
      path: url.slice(this.setpoint.url.length),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        "content-length": Buffer.byteLength(sent),
        ...headers,
      },
    });
    asked.once("error", reject);
    asked.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, text, json: jsonOf(text) });
      });
    });
    asked.end(sent);
    return await promise;
  }

  /** The events of a watch so far; disposing of it ends the watch. */
  async watch(path: string, as: string): Promise<FleetWatch> {
    const authorization = `Bearer ${await this.token(as)}`;
    const { promise, resolve, reject } = Promise.withResolvers<FleetWatch>();
    const events: JsonObject[] = [];
    const state = { isEnded: false };
    const asked = request(this.#url(path), { ca: this.setpoint.ca, headers: { authorization } });
    asked.once("error", reject);
    asked.once("response", (response) => {
      const { statusCode = 0 } = response;
      const lines = createInterface(response);
      lines.on("line", (line) => events.push(JSON.parse(line) as JsonObject));
      lines.on("error", () => undefined); // The stream may be cut; what came has come.
      lines.on("close", () => {
        state.isEnded = true;
      });
      const end = (): void => void asked.destroy();
      resolve({ status: statusCode, events, state, [Symbol.dispose]: end });
    });
    asked.end();
    return await promise;
  }

  /** Creates or replaces a cluster-wide resource of the fleet as the administrator. */
  async apply(resource: JsonObject): Promise<void> {
    const plural = `${textAt(resource, "kind").toLowerCase()}s`;
    const name = textAt(resource, "metadata", "name");
    const path = `/apis/fleet.setpoint.dev/v1/${plural}/${name}?fieldManager=test&force=true`;
    const answer = await this.setpoint.ask(path, {
      method: "PATCH",
      body: resource,
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${String(answer.body)}`);
  }

  /** Creates an instance as a user who has accepted the terms. */
  async create(as: string, body: JsonObject): Promise<CreatedInstance> {
    const reply = await this.call("/dinosaurs?async=true", { method: "POST", as, body });
    equal(reply.status, 202, reply.text);
    return { ...reply.json, id: textAt(reply.json, "id") };
  }

  async acceptTerms(...users: readonly string[]): Promise<void> {
    for (const as of users) {
      const body = { version: "2026-01" };
      equal((await this.call("/terms", { method: "POST", as, body })).status, 200);
    }
  }

  /** Waits until the API of instances is served. */
  async untilReady(): Promise<void> {
    await waitUntil("the kind of the instances", async () => {
      const { status } = await this.call("/dinosaurs", { as: "alice" });
      return status === 200;
    });
  }

  /** A line of the log, which may arrive after the answer to the request that caused it. */
  async untilLogged(pattern: RegExp): Promise<string> {
    return await waitUntil(`${pattern} in the log`, () =>
      this.setpoint
        .log()
        .split("\n")
        .find((line) => pattern.test(line)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.undo.disposeAsync();
  }

  #url(path: string): string {
    return `${this.setpoint.url}${path.startsWith("/api") ? path : `${v1}${path}`}`;
  }
}

export type CreatedInstance = JsonObject & { readonly id: string };

export interface FleetWatch extends Disposable {
  readonly status: number;
  readonly events: readonly JsonObject[];
  readonly state: { readonly isEnded: boolean };
}

/** Asserts that the reply is the error object with this number; its id is also in the header. */
export function isError(reply: Reply, status: number, number: number): void {
  equal(reply.status, status, reply.text);
  const { operation_id: operation, reason, ...rest } = reply.json;
  deepEqual(rest, {
    id: String(number),
    kind: "Error",
    href: `${v1}/errors/${number}`,
    code: `DINOSAURS-MGMT-${number}`,
  });
  equal(operation, reply.headers["x-operation-id"]);
  notEqual(operation, undefined);
  ok(typeof reason === "string" && reason !== "");
}

function jsonOf(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    // Texts and empty answers.
    return {};
  }
}
