// A real server, a real service behind a proxy that can fail, and the questions that the tests of
// Connect ask about a resource. Nothing sleeps: a run is asked for and its end is waited for.
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

export interface Rig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly service: Service;
  /** Between the two. */
  readonly proxy: FaultProxy;
}

export async function startRig(
  startPeer: () => Promise<Service>,
  documents: (proxy: FaultProxy) => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  options: SetpointOptions = {},
): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startPeer());
  const proxy = stack.use(await startFaultProxy({ target: () => service.url }));
  const server = stack.use(await startSetpoint(options));
  for (const document of await documents(proxy)) await applyDocument(server, document);
  const owned = stack.move();
  return {
    server,
    service,
    proxy,
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

/** As `kubectl apply --server-side` does it. */
export async function applyDocument(server: Setpoint, document: JsonObject): Promise<void> {
  const path = `${pathOf(document)}?fieldManager=tests&force=true`;
  const headers = { "content-type": "application/apply-patch+yaml" };
  const asked = async (): Promise<boolean> => {
    const { status, body } = await server.ask(path, { method: "PATCH", body: document, headers });
    // A kind is served a moment after its definition.
    if (status === 404) return false;
    assert.ok(status === 200 || status === 201, `${path}: ${status} ${body.toString()}`);
    return true;
  };
  await waitUntil(`${path} to be taken`, asked);
  if (document["kind"] === "RestKind") await inForce(server, pathOf(document));
}

/** A kind is kept in its service a moment after somebody said how. */
async function inForce(server: Setpoint, path: string): Promise<void> {
  let last = "";
  const isAccepted = async (): Promise<boolean> => {
    const { body } = await server.ask(path);
    last = body.toString();
    const { status } = JSON.parse(last) as Managed;
    return status?.conditions?.some(({ reason }) => reason === "InForce") === true;
  };
  await waitUntil(`${path} to be in force`, isAccepted).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${last}`);
  });
}

const plurals: Readonly<Record<string, string>> = {
  CustomResourceDefinition: "customresourcedefinitions",
  Connection: "connections",
  RestKind: "restkinds",
  Secret: "secrets",
  Namespace: "namespaces",
};

function pathOf(document: JsonObject): string {
  const { apiVersion, kind, metadata } = document as unknown as Managed & {
    readonly apiVersion: string;
    readonly kind: string;
  };
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
  const { namespace, name } = metadata;
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${group}${within}/${plural}/${name}`;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** A resource of a managed kind, as far as the tests look at it. */
export interface Managed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generation: number;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: JsonObject;
  readonly connect?: JsonObject;
  readonly status?: {
    readonly observed?: JsonObject;
    readonly joined?: JsonObject;
    readonly connect?: Bookkeeping;
    readonly conditions?: readonly Condition[];
    readonly reconcile?: { readonly handledRequest?: string };
  };
}

export interface Bookkeeping {
  readonly id?: string;
  readonly path?: string;
  readonly lastApplied?: JsonObject;
  readonly knownDifferences?: readonly JsonObject[];
  readonly creating?: JsonObject;
  readonly operation?: JsonObject;
  readonly lastWrite?: JsonObject;
  readonly drift?: readonly JsonObject[];
}

/** A creation without an answer is looked for three times as long as the service may take. */
const patienceMs = 120_000;

/** The resources of one kind in one namespace. */
export class Resources {
  readonly #server: () => Setpoint;
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #plural: string;
  readonly #namespace: string;
  #requests = 0;

  constructor(
    server: () => Setpoint,
    at: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly plural?: string;
      readonly namespace?: string;
    },
  ) {
    this.#server = server;
    this.#apiVersion = at.apiVersion;
    this.#kind = at.kind;
    this.#plural = at.plural ?? `${at.kind.toLowerCase()}s`;
    this.#namespace = at.namespace ?? "default";
  }

  path(name = ""): string {
    const list = `/apis/${this.#apiVersion}/namespaces/${this.#namespace}/${this.#plural}`;
    return name === "" ? list : `${list}/${name}`;
  }

  async create(name: string, spec: JsonObject, connect?: JsonObject): Promise<void> {
    const { status, text } = await this.tryCreate(name, spec, connect);
    assert.equal(status, 201, text);
  }

  async tryCreate(name: string, spec: JsonObject, connect?: JsonObject): Promise<Tried> {
    const body = {
      apiVersion: this.#apiVersion,
      kind: this.#kind,
      metadata: { name },
      spec,
      ...(connect === undefined ? {} : { connect }),
    };
    return await this.#send(this.path(), "POST", body);
  }

  /** A merge patch. */
  async patch(name: string, patch: JsonObject): Promise<void> {
    const { status, text } = await this.tryPatch(name, patch);
    assert.equal(status, 200, text);
  }

  async tryPatch(name: string, patch: JsonObject): Promise<Tried> {
    const headers = { "content-type": "application/merge-patch+json" };
    return await this.#send(this.path(name), "PATCH", patch, headers);
  }

  async get(name: string): Promise<Managed | undefined> {
    const { status, body } = await this.#server().ask(this.path(name));
    return status === 404 ? undefined : (JSON.parse(body.toString()) as Managed);
  }

  async present(name: string): Promise<Managed> {
    const found = await this.get(name);
    assert.ok(found, `there is no ${name}`);
    return found;
  }

  async delete(name: string): Promise<void> {
    const { status, text } = await this.#send(this.path(name), "DELETE");
    assert.ok(status === 200 || status === 202, text);
  }

  /** Until it is as wanted; tells how it was last when that never happens. */
  async until(
    name: string,
    what: string,
    is: (managed: Managed) => boolean,
    limitMs = patienceMs,
  ): Promise<Managed> {
    let last: Managed | undefined;
    const look = async (): Promise<Managed | undefined> => {
      last = await this.get(name);
      return last !== undefined && is(last) ? last : undefined;
    };
    return await waitUntil(`${name} to be ${what}`, look, { limitMs }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${JSON.stringify(last, undefined, 1)}`);
    });
  }

  /** Its present generation has been brought to the service, and can be used. */
  async ready(name: string): Promise<Managed> {
    return await this.until(name, "ready", isReady);
  }

  /** Until a condition says so, for the generation it has then. */
  async says(name: string, type: string, reason: string): Promise<Managed> {
    return await this.until(name, `${type} ${reason}`, (one) => {
      const { generation } = one.metadata;
      const found = condition(one, type);
      return found?.reason === reason && found.observedGeneration === generation;
    });
  }

  async gone(name: string): Promise<void> {
    let last: Managed | undefined;
    const isGone = async (): Promise<boolean> => (last = await this.get(name)) === undefined;
    await waitUntil(`${name} to be gone`, isGone, { limitMs: patienceMs }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${JSON.stringify(last, undefined, 1)}`);
      },
    );
  }

  /** One run that begins after this was called, to its end. */
  async reconcile(name: string): Promise<Managed> {
    const token = `tests-${++this.#requests}`;
    await this.patch(name, { metadata: { annotations: { "setpoint.dev/reconcile": token } } });
    return await this.until(
      name,
      "reconciled",
      ({ status }) => status?.reconcile?.handledRequest === token,
    );
  }

  async #send(
    path: string,
    method: string,
    body?: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Tried> {
    const answer = await this.#server().ask(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, text: answer.body.toString() };
  }
}

export interface Tried {
  readonly status: number;
  readonly text: string;
}

export function condition(one: Managed, type: string): Condition | undefined {
  return one.status?.conditions?.find((each) => each.type === type);
}

export function isReady(one: Managed): boolean {
  return ["Ready", "Synced"].every((type) => {
    const found = condition(one, type);
    return found?.status === "True" && found.observedGeneration === one.metadata.generation;
  });
}

/** The bodies of writes, as JSON. */
export function bodiesOf(seen: readonly { readonly body: string }[]): readonly Json[] {
  return seen.map(({ body }) => JSON.parse(body) as Json);
}
