// A tenant of a real server whose deployments read repositories of a git host on loopback.
import assert from "node:assert/strict";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import type { GitRemote } from "./git-remote.ts";

export const gitopsApi = "/apis/gitops.setpoint.dev/v1";
const apiVersion = "gitops.setpoint.dev/v1";
const rbac = "rbac.authorization.k8s.io";

/** A ConfigMap as a file of a repository. */
export function configMapFile(name: string, data: Readonly<Record<string, string>>): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

/** Applies an object as an administrator. */
export async function put(server: Setpoint, path: string, object: JsonObject): Promise<void> {
  const answer = await server.ask(`${path}?fieldManager=test&force=true`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: object,
  });
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.body.toString()}`);
}

export async function read(server: Setpoint, path: string): Promise<JsonObject | undefined> {
  const { status, body } = await server.ask(path);
  if (status === 404) return undefined;
  assert.equal(status, 200, body.toString());
  return JSON.parse(body.toString()) as JsonObject;
}

export async function itemsAt(server: Setpoint, path: string): Promise<readonly JsonObject[]> {
  return objectsAt((await read(server, path)) ?? {}, "items");
}

/** Deployments of all namespaces may read repositories on this machine. */
export async function allowLoopback(server: Setpoint): Promise<void> {
  const cidrs = ["127.0.0.0/8"];
  const spec = { namespaces: { selector: {} }, repositories: { allowPrivate: { cidrs } } };
  const metadata = { name: "loopback" };
  const policy = { apiVersion, kind: "GitOpsPolicy", metadata, spec };
  await put(server, `${gitopsApi}/gitopspolicies/loopback`, policy);
}

export class Tenant {
  readonly namespace: string;
  readonly #server: Setpoint;
  readonly #remote: GitRemote;

  constructor(server: Setpoint, remote: GitRemote, namespace: string) {
    this.namespace = namespace;
    this.#server = server;
    this.#remote = remote;
  }

  /** The namespace, and an account that may write everything in it. */
  async setUp(): Promise<void> {
    const { namespace } = this;
    const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await put(this.#server, `/api/v1/namespaces/${namespace}`, home);
    const metadata = { name: "gitops", namespace };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata };
    await this.put("/api/v1", "serviceaccounts", account);
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    const version = `${rbac}/v1`;
    await this.put(`/apis/${version}`, "roles", {
      apiVersion: version,
      kind: "Role",
      metadata,
      rules,
    });
    await this.put(`/apis/${version}`, "rolebindings", {
      apiVersion: version,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "gitops" },
      subjects: [{ kind: "ServiceAccount", name: "gitops", namespace }],
    });
  }

  /** Applies an object to the namespace. */
  async put(api: string, plural: string, object: JsonObject): Promise<void> {
    const { namespace } = this;
    const metadata = { ...objectAt(object, "metadata"), namespace };
    const name = textAt(metadata, "name");
    const path = `${api}/namespaces/${namespace}/${plural}/${name}`;
    await put(this.#server, path, { ...object, metadata });
  }

  /** The login of a repository that exists. */
  async addCredential(repository: string): Promise<void> {
    const metadata = { name: repository };
    const stringData = { username: "jane", password: "right" };
    this.#remote.protect(repository, stringData);
    const type = "gitops.setpoint.dev/repository-credential";
    await this.put("/api/v1", "secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      type,
      stringData,
    });
    const { caBundle } = this.#remote;
    const spec = { repository: this.#remote.url(repository), secret: repository, caBundle };
    await this.#putGitOps("GitOpsDeploymentRepositoryCredential", metadata, spec);
  }

  async deploy(name: string, source: JsonObject, more: JsonObject = {}): Promise<void> {
    const spec = { source, type: "automated", ...more };
    await this.#putGitOps("GitOpsDeployment", { name }, spec);
  }

  /** With the finalizer: its deletion waits for its objects and hooks. */
  async deployHeld(name: string, source: JsonObject, more: JsonObject = {}): Promise<void> {
    const metadata = { name, finalizers: ["gitops.setpoint.dev/objects"] };
    const spec = { source, type: "automated", ...more };
    await this.#putGitOps("GitOpsDeployment", metadata, spec);
  }

  async #putGitOps(kind: string, metadata: JsonObject, spec: JsonObject): Promise<void> {
    const plural = `${kind.toLowerCase()}s`;
    await this.put(gitopsApi, plural, { apiVersion, kind, metadata, spec });
  }

  pathOf(deployment: string): string {
    return `${gitopsApi}/namespaces/${this.namespace}/gitopsdeployments/${deployment}`;
  }

  async statusOf(deployment: string): Promise<JsonObject> {
    return objectAt((await read(this.#server, this.pathOf(deployment))) ?? {}, "status");
  }

  /** Waits until the status of a deployment is as described, and returns it. */
  async reached(
    deployment: string,
    isReached: (status: JsonObject) => boolean,
    limitMs = 120_000,
  ): Promise<JsonObject> {
    let last: JsonObject = {};
    const look = async (): Promise<JsonObject | false> => {
      last = await this.statusOf(deployment);
      return isReached(last) && last;
    };
    try {
      return await waitUntil(`the deployment ${deployment}`, look, { limitMs });
    } catch (error) {
      throw new Error(`it shows ${JSON.stringify(last).slice(0, 5_000)}`, { cause: error });
    }
  }

  /** Makes the server compare the repository of a deployment now, as a webhook does. */
  async refresh(deployment: string): Promise<void> {
    const name = textAt(await this.statusOf(deployment), "source", "name");
    const path = `${gitopsApi}/namespaces/${this.namespace}/gitsources/${name}`;
    const stamp = String(performance.now());
    const body = { metadata: { annotations: { "gitops.setpoint.dev/refresh": stamp } } };
    const headers = { "content-type": "application/merge-patch+json" };
    const answer = await this.#server.ask(path, { method: "PATCH", headers, body });
    assert.equal(answer.status, 200, answer.body.toString());
  }
}

export function isSyncedAt(commit: string): (status: JsonObject) => boolean {
  return (status) =>
    textAt(status, "sync", "status") === "Synced" && textAt(status, "sync", "revision") === commit;
}

interface EnvironmentServer {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** A managed environment of a tenant, with its kubeconfig. */
export async function addEnvironment(
  tenant: Tenant,
  name: string,
  { url, ca, token }: EnvironmentServer,
): Promise<void> {
  const authority = Buffer.from(ca).toString("base64");
  const cluster = { server: url, "certificate-authority-data": authority };
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  });
  await tenant.put("/api/v1", "secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    type: "gitops.setpoint.dev/managed-environment",
    stringData: { kubeconfig },
  });
  await tenant.put(gitopsApi, "gitopsdeploymentmanagedenvironments", {
    apiVersion,
    kind: "GitOpsDeploymentManagedEnvironment",
    metadata: { name },
    spec: { apiURL: url, credentialsSecret: name },
  });
}
