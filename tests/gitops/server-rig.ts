// A server as its users see it, and a git host on loopback: the program with its own time.

import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";

export const gitopsApi = "gitops.setpoint.dev/v1";
const rbac = "rbac.authorization.k8s.io";

export interface ServerRig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly remote: GitRemote;
  readonly folder: string;
  apply(object: JsonObject): Promise<JsonObject>;
  read(path: string): Promise<JsonObject | undefined>;
  /** A namespace whose account `gitops` may write ConfigMaps and Secrets. */
  tenant(name: string): Promise<void>;
  /** A repository with its credential, and a deployment of its folder deploy. */
  deploy(namespace: string, name: string, more?: Deployed): Promise<void>;
  deployment(namespace: string, name: string): Promise<JsonObject>;
  reached(
    namespace: string,
    name: string,
    what: string,
    isReached: (deployment: JsonObject) => boolean,
  ): Promise<JsonObject>;
}

interface Deployed {
  readonly repository?: string;
  readonly source?: JsonObject;
  readonly spec?: JsonObject;
}

export async function startServerRig(gitops: JsonObject = {}): Promise<ServerRig> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "gitops-rig-"));
  undo.defer(async () => await rm(folder, { recursive: true, force: true }));
  const config = join(folder, "setpoint.yaml");
  writeFileSync(config, JSON.stringify({ gitops }));
  const remote = undo.use(await startGitRemote());
  const server = undo.use(await startSetpoint({ args: ["--config", config] }));
  const rig = rigOf(server, remote, folder);
  await rig.apply({
    apiVersion: gitopsApi,
    kind: "GitOpsPolicy",
    metadata: { name: "loopback" },
    spec: {
      namespaces: { names: ["jane", "bob"] },
      repositories: { allowPrivate: { cidrs: ["127.0.0.0/8"] } },
    },
  });
  const ended = undo.move();
  return { ...rig, [Symbol.asyncDispose]: async () => await ended.disposeAsync() };
}

function rigOf(
  server: Setpoint,
  remote: GitRemote,
  folder: string,
): Omit<ServerRig, keyof AsyncDisposable> {
  const read = async (path: string): Promise<JsonObject | undefined> => {
    const { status, body } = await server.ask(path);
    if (status === 404) return undefined;
    return document(path, status, body);
  };
  const apply = async (object: JsonObject): Promise<JsonObject> => {
    const path = pathOf(object);
    const { status, body } = await server.ask(`${path}?fieldManager=test&force=true`, {
      method: "PATCH",
      body: object,
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    return document(path, status, body);
  };
  const deployment = async (namespace: string, name: string): Promise<JsonObject> =>
    (await read(`/apis/${gitopsApi}/namespaces/${namespace}/gitopsdeployments/${name}`)) ?? {};
  return {
    server,
    remote,
    folder,
    apply,
    read,
    deployment,
    tenant: async (name) => await createTenant(apply, name),
    deploy: async (namespace, name, more = {}) => {
      await createDeployment({ apply, remote }, { name, namespace }, more);
    },
    reached: async (namespace, name, what, isReached) => {
      let last: JsonObject = {};
      try {
        return await waitUntil(
          what,
          async () => {
            last = await deployment(namespace, name);
            return isReached(last) && last;
          },
          { limitMs: 60_000 },
        );
      } catch (error) {
        throw new Error(`it shows ${JSON.stringify(objectAt(last, "status"))}`, { cause: error });
      }
    },
  };
}

async function createTenant(apply: ServerRig["apply"], name: string): Promise<void> {
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const metadata = { name: "gitops", namespace: name };
  await apply({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  const rules = [{ apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["*"] }];
  await apply({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await apply({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "gitops" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
}

async function createDeployment(
  { apply, remote }: Pick<ServerRig, "apply" | "remote">,
  metadata: { readonly name: string; readonly namespace: string },
  { repository = metadata.name, source = {}, spec = {} }: Deployed,
): Promise<void> {
  const login = { username: "jane", password: "right" };
  await remote.create(repository, { login });
  await apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    type: "gitops.setpoint.dev/repository-credential",
    stringData: login,
  });
  const url = remote.url(repository);
  const { caBundle } = remote;
  await apply({
    apiVersion: gitopsApi,
    kind: "GitOpsDeploymentRepositoryCredential",
    metadata,
    spec: { repository: url, secret: metadata.name, caBundle },
  });
  await apply({
    apiVersion: gitopsApi,
    kind: "GitOpsDeployment",
    metadata,
    spec: { source: { repoURL: url, path: "deploy", ...source }, type: "automated", ...spec },
  });
}

export const isSyncedAt = (commit: string) => (deployment: JsonObject) =>
  textAt(deployment, "status", "sync", "status") === "Synced" &&
  textAt(deployment, "status", "sync", "revision") === commit;

const plurals: Readonly<Record<string, string>> = { GitOpsPolicy: "gitopspolicies" };

export function pathOf(object: JsonObject): string {
  const [apiVersion, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
  const [namespace, name] = ["namespace", "name"].map((key) => textAt(object, "metadata", key));
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === "" ? "" : `/namespaces/${namespace}`;
  return `${root}${place}/${plurals[kind] ?? `${kind.toLowerCase()}s`}/${name}`;
}

function document(path: string, status: number, body: Buffer): JsonObject {
  const value = JSON.parse(body.toString()) as Json;
  if (status >= 300 || !isJsonObject(value)) {
    throw new Error(`${path}: ${status} ${body.toString().slice(0, 1_000)}`);
  }
  return value;
}
