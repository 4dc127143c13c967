// The ServiceAccount that Setpoint creates in a managed environment, with rights in the namespaces
// of the environment and no others. Its token is kept in a Secret beside the environment, expires,
// and is renewed. All of it is deleted with the environment.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { KubeClient } from "../../../adapters/kubernetes/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import { targetSystem } from "../names.ts";
import { connectionProblem } from "./environment-connection.ts";
import { problem } from "./environment-access.ts";
import type { ConnectionProblem, EnvironmentAccess } from "./environment-access.ts";

export function hasOwnAccount(environment: Resource): boolean {
  return isTrueAt(environment, "spec", "createNewServiceAccount");
}

export interface AccountFacts {
  readonly kind: "account";
  readonly token: string;
  /** For the status. */
  readonly account: JsonObject;
}

const tokenSeconds = 86_400;
/** A token with less time left is replaced. */
const renewMs = 43_200_000;

/** `client` has the credential of the kubeconfig. */
export async function ensureAccount(
  environment: Resource,
  client: KubeClient,
  context: Context,
): Promise<AccountFacts | ConnectionProblem> {
  const namespaces = textsAt(environment, "spec", "namespaces");
  const before = objectAt(environment, "status", "serviceAccount");
  const kept = await storedToken(environment, context);
  const expiresMs = Date.parse(textAt(before, "expiresAt"));
  const isSame = textsAt(before, "namespaces").join() === namespaces.join();
  if (kept !== undefined && isSame && expiresMs - context.clock.nowMs() > renewMs) {
    return { kind: "account", token: kept, account: before };
  }
  const name = accountName(environment);
  const oldHome = textAt(before, "namespace");
  const home = namespaces.includes(oldHome) ? oldHome : (namespaces[0] ?? "");
  const call = callerOf(environment, context);
  try {
    if (oldHome !== home) await removeAccount(environment, client, context);
    // Stored first, so that a killed server leaves no right behind that is not known.
    const known = [...new Set([...textsAt(before, "namespaces"), ...namespaces])];
    const granted = { namespace: home, name, namespaces: known, expiresAt: null };
    await context.status.patch({ serviceAccount: granted });
    await removeRights(environment, client, context, namespaces);
    const account = object("v1", "ServiceAccount", name, home);
    const accounts = `/api/v1/namespaces/${home}/serviceaccounts/${name}`;
    await call((signal) => client.apply(accounts, account, signal));
    for (const namespace of namespaces) {
      for (const [path, right] of rightsIn(namespace, name, home)) {
        await call((signal) => client.apply(path, right, signal));
      }
    }
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: tokenSeconds },
    };
    const answer = await call((signal) => client.create(`${accounts}/token`, request, signal));
    const token = textAt(answer, "status", "token");
    const expiresAt = textAt(answer, "status", "expirationTimestamp");
    await context.children.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secretName(environment) },
      type: "Opaque",
      data: { token: Buffer.from(token).toString("base64") },
    });
    const facts = { namespace: home, name, namespaces: [...namespaces], expiresAt };
    return { kind: "account", token, account: facts };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.status === 0 || error.status === 401) return connectionProblem(error);
    const why = "the kubeconfig may not create a ServiceAccount with rights in the namespaces";
    return problem("UnableToInstallServiceAccount", `${why}: ${error.message}`);
  }
}

/** With the token of the account, where the environment has one. */
export async function withOwnAccount(
  environment: Resource,
  found: EnvironmentAccess,
  context: Pick<Context, "references">,
): Promise<EnvironmentAccess | ConnectionProblem> {
  if (!hasOwnAccount(environment)) return found;
  const token = await storedToken(environment, context);
  if (token !== undefined) return { ...found, token };
  return problem("UnableToInstallServiceAccount", "the ServiceAccount has no token yet");
}

/** Deletes the account and its rights. */
export async function removeAccount(
  environment: Resource,
  client: KubeClient,
  context: Context,
): Promise<void> {
  await removeRights(environment, client, context, []);
  const home = textAt(environment, "status", "serviceAccount", "namespace");
  if (home === "") return;
  const path = `/api/v1/namespaces/${home}/serviceaccounts/${accountName(environment)}`;
  await callerOf(environment, context)((signal) => client.delete(path, undefined, signal));
}

/** In the namespaces that the environment had, and no longer has. */
async function removeRights(
  environment: Resource,
  client: KubeClient,
  context: Context,
  kept: readonly string[],
): Promise<void> {
  const call = callerOf(environment, context);
  const had = textsAt(environment, "status", "serviceAccount", "namespaces");
  for (const namespace of had.filter((each) => !kept.includes(each))) {
    for (const [path] of rightsIn(namespace, accountName(environment), "").toReversed()) {
      await call((signal) => client.delete(path, undefined, signal));
    }
  }
}

async function storedToken(
  environment: Resource,
  { references }: Pick<Context, "references">,
): Promise<string | undefined> {
  const { namespace = "", uid } = environment.metadata;
  const name = secretName(environment);
  const secret = await references.get({ kind: "secrets", namespace, name });
  const isOwn = secret?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  return isOwn ? secretData(secret)?.["token"] : undefined;
}

function secretName(environment: Resource): string {
  return `gitops-environment-${environment.metadata.uid}`;
}

function accountName(environment: Resource): string {
  return `setpoint-gitops-${environment.metadata.uid}`;
}

const rbac = "rbac.authorization.k8s.io";

function rightsIn(
  namespace: string,
  name: string,
  home: string,
): readonly (readonly [string, JsonObject])[] {
  const base = `/apis/${rbac}/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  const roleRef = { apiGroup: rbac, kind: "Role", name };
  const subjects = [{ kind: "ServiceAccount", name, namespace: home }];
  const role = object(`${rbac}/v1`, "Role", name, namespace);
  const binding = object(`${rbac}/v1`, "RoleBinding", name, namespace);
  return [
    [`${base}/roles/${name}`, { ...role, rules }],
    [`${base}/rolebindings/${name}`, { ...binding, roleRef, subjects }],
  ];
}

function object(apiVersion: string, kind: string, name: string, namespace: string): JsonObject {
  return { apiVersion, kind, metadata: { name, namespace } };
}

type Call = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

function callerOf({ metadata }: Resource, { outside }: Pick<Context, "outside">): Call {
  const system = targetSystem(metadata.namespace ?? "", metadata.name);
  return async (call) => await outside(system, call);
}
