// Calls the API server of a managed environment, to find out whether its credentials can be used.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { KubeClient, OpenKube } from "../../../adapters/kubernetes/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fieldManager, targetSystem } from "../names.ts";
import type { EffectivePolicy, PolicyReader } from "../policy/effective-policy.ts";
import { accessOf, problem, specProblem } from "./environment-access.ts";
import type { ConnectionProblem, EnvironmentAccess } from "./environment-access.ts";

export interface ConnectionPorts {
  readonly openKube: OpenKube;
  readonly policies: PolicyReader;
}

/** Secrets are read by reference, so that a change of one wakes the resource of the run. */
export async function findAccess(
  environment: Resource,
  policy: EffectivePolicy,
  { references }: Pick<Context, "references">,
): Promise<EnvironmentAccess | ConnectionProblem> {
  const wrong = specProblem(environment);
  if (wrong !== undefined) return wrong;
  const refusal = policy.serverRefusal(textAt(environment, "spec", "apiURL"));
  if (refusal !== undefined) return problem("PolicyDenied", `spec.apiURL: ${refusal}`);
  const name = textAt(environment, "spec", "credentialsSecret");
  const namespace = environment.metadata.namespace ?? "";
  const secret = await references.get({ kind: "secrets", namespace, name });
  return accessOf(environment, secret);
}

/** The policy at the time of each connection counts. */
export function openClient(
  { openKube, policies }: ConnectionPorts,
  { access, token }: EnvironmentAccess,
  namespace: string,
): KubeClient {
  const refuseAddress = (address: string, host: string): string | undefined =>
    policies.policyOf(namespace).addressRefusal(address, host);
  return openKube({ access, token: () => token, fieldManager, refuseAddress });
}

export interface EnvironmentFacts {
  readonly kind: "facts";
  readonly version: string;
  /** Empty where the credentials may not read it. */
  readonly serverUid: string;
}

export async function probe(
  environment: Resource,
  client: KubeClient,
  { outside }: Pick<Context, "outside">,
): Promise<EnvironmentFacts | ConnectionProblem> {
  const { namespace = "", name } = environment.metadata;
  const get = async (path: string): ReturnType<KubeClient["get"]> =>
    await outside(targetSystem(namespace, name), (signal) => client.get(path, signal));
  const [first] = textsAt(environment, "spec", "namespaces");
  try {
    if (first === undefined) await get("/api/v1/namespaces?limit=1");
    else if ((await get(`/api/v1/namespaces/${first}`)) === undefined) {
      const message = `spec.namespaces: the namespace ${first} does not exist in the target`;
      return problem("UnableToValidateClusterCredentials", message);
    }
    const system = await unlessForbidden(get("/api/v1/namespaces/kube-system"));
    const version = await unlessForbidden(get("/version"));
    return {
      kind: "facts",
      version: textAt(version, "gitVersion"),
      serverUid: textAt(system, "metadata", "uid"),
    };
  } catch (error) {
    if (error instanceof KubeError) return connectionProblem(error);
    throw error;
  }
}

async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return undefined;
    throw error;
  }
}

const unknownAuthority =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA)/;

export function connectionProblem(error: KubeError): ConnectionProblem {
  const { status, reason, message } = error;
  if (status === 401) {
    const why = "the API server does not accept the token of the kubeconfig";
    return problem("UnableToValidateClusterCredentials", `${why}: ${message}`);
  }
  if (status === 403) {
    const why = "the token of the kubeconfig may not read namespaces: give it this right, or set";
    return problem("Forbidden", `${why} spec.namespaces: ${message}`);
  }
  if (status !== 0) return problem("UnknownError", message);
  if (reason === "refused") return problem("PolicyDenied", message);
  const code = (error.cause as { readonly code?: unknown } | undefined)?.code;
  if (typeof code === "string" && unknownAuthority.test(code)) {
    const why = "the certificate of the API server has an authority that the kubeconfig does not";
    return problem("UnknownCertificateAuthority", `${why} contain: ${message}`);
  }
  return problem("Unreachable", message);
}
