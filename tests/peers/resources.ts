// Resources of one kind in a real server, as tests of modules use them: written as a client writes
// them, and waited for until they have a state. Nothing sleeps: a test requests a run and waits for
// its end.
import assert from "node:assert/strict";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Setpoint } from "./setpoint.ts";
import { waitUntil } from "./wait.ts";

/** As `kubectl apply --server-side` does it. */
export async function applyToServer(server: Setpoint, document: JsonObject): Promise<void> {
  const path = `${pathOf(document)}?fieldManager=tests&force=true`;
  const headers = { "content-type": "application/apply-patch+yaml" };
  const asked = async (): Promise<boolean> => {
    const { status, body } = await server.ask(path, { method: "PATCH", body: document, headers });
    // A kind is served soon after its definition.
    if (status === 404) return false;
    assert.ok(status === 200 || status === 201, `${path}: ${status} ${body.toString()}`);
    return true;
  };
  await waitUntil(`${path} to be taken`, asked);
}

/** The path of a resource, from its document. */
export function pathOf(document: JsonObject): string {
  const { apiVersion, kind, metadata } = document as unknown as Document;
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = `${kind.toLowerCase()}s`;
  const { namespace, name } = metadata;
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${group}${within}/${plural}/${name}`;
}

interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** A resource with a reconciler, as far as all tests look at it. */
export interface Reconciled {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation: number;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: JsonObject;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly reconcile?: { readonly handledRequest?: string };
  };
}

/** Far beyond any retry of the tests. */
const patienceMs = 120_000;

/** The resources of one kind in one namespace, or of a cluster-wide kind. */
export class Resources<R extends Reconciled = Reconciled> {
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
      /** Empty for a cluster-wide kind. */
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
    const within = this.#namespace === "" ? "" : `/namespaces/${this.#namespace}`;
    const list = `/apis/${this.#apiVersion}${within}/${this.#plural}`;
    return name === "" ? list : `${list}/${name}`;
  }

  async create(name: string, spec: JsonObject, more: JsonObject = {}): Promise<void> {
    const { status, text } = await this.tryCreate(name, spec, more);
    assert.equal(status, 201, text);
  }

  /** `more` are fields next to the spec. */
  async tryCreate(name: string, spec: JsonObject, more: JsonObject = {}): Promise<Tried> {
    const [apiVersion, kind] = [this.#apiVersion, this.#kind];
    const body = { apiVersion, kind, metadata: { name }, spec, ...more };
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

  async get(name: string): Promise<R | undefined> {
    const { status, body } = await this.#server().ask(this.path(name));
    return status === 404 ? undefined : (JSON.parse(body.toString()) as R);
  }

  async present(name: string): Promise<R> {
    const found = await this.get(name);
    assert.ok(found, `there is no ${name}`);
    return found;
  }

  async delete(name: string): Promise<void> {
    const { status, text } = await this.tryDelete(name);
    assert.ok(status === 200 || status === 202, text);
  }

  async tryDelete(name: string): Promise<Tried> {
    return await this.#send(this.path(name), "DELETE");
  }

  /** Until it is as wanted; the error shows how it was last. */
  async until(
    name: string,
    what: string,
    is: (managed: R) => boolean,
    limitMs = patienceMs,
  ): Promise<R> {
    let last: R | undefined;
    const look = async (): Promise<R | undefined> => {
      last = await this.get(name);
      return last !== undefined && is(last) ? last : undefined;
    };
    return await waitUntil(`${name} to be ${what}`, look, { limitMs }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${JSON.stringify(last, undefined, 1)}`);
    });
  }

  /** Its present generation is reconciled and can be used. */
  async ready(name: string): Promise<R> {
    return await this.until(name, "ready", isReady);
  }

  /** Until a condition says so, for the generation it has then. */
  async says(name: string, type: string, reason: string): Promise<R> {
    return await this.until(name, `${type} ${reason}`, (one) => {
      const { generation } = one.metadata;
      const found = condition(one, type);
      return found?.reason === reason && found.observedGeneration === generation;
    });
  }

  async gone(name: string): Promise<void> {
    let last: R | undefined;
    const isGone = async (): Promise<boolean> => (last = await this.get(name)) === undefined;
    await waitUntil(`${name} to be deleted`, isGone, { limitMs: patienceMs }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${JSON.stringify(last, undefined, 1)}`);
      },
    );
  }

  /** One run that begins after this was called, to its end. */
  async reconcile(name: string): Promise<R> {
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

export function condition(one: Reconciled, type: string): Condition | undefined {
  return one.status?.conditions?.find((each) => each.type === type);
}

export function isReady(one: Reconciled): boolean {
  return ["Ready", "Synced"].every((type) => {
    const found = condition(one, type);
    return found?.status === "True" && found.observedGeneration === one.metadata.generation;
  });
}
