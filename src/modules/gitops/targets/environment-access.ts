// How a managed environment is reached, from its spec and its Secret, or why it is not. Pure. The
// text of the Secret is never in a message.

import { isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { readKubeconfig } from "../../../kernel/kubeconfig.ts";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import { parseYaml } from "../../../kernel/yaml.ts";
import type { connectionReasons } from "../kinds/managed-environment-kind.ts";
import { environmentSecretTypes } from "../names.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export type ConnectionReason = (typeof connectionReasons)[number];

export interface ConnectionProblem {
  readonly kind: "problem";
  readonly reason: ConnectionReason;
  readonly message: string;
}

export interface EnvironmentAccess {
  readonly kind: "access";
  readonly access: KubeAccess;
  readonly token: string;
}

/** Undefined when the spec can be used. */
export function specProblem(environment: Resource): ConnectionProblem | undefined {
  const spec = objectAt(environment, "spec");
  const url = textAt(spec, "apiURL");
  if (!URL.canParse(url) || /[?&#\s\\]|^https:\/\/[^/]*@/.test(url)) {
    const why = "must be an https URL without user, query, fragment and the characters ? and &";
    return problem("UnsupportedAPIURL", `spec.apiURL ${why}`);
  }
  const invalid = namespacesProblem(environment);
  if (invalid !== undefined) return invalid;
  if (textAt(spec, "credentialsSecret") === "") {
    return problem("SecretNotSpecified", "spec.credentialsSecret is empty");
  }
  return undefined;
}

export function namespacesProblem({ spec }: Resource): ConnectionProblem | undefined {
  const invalid = textsAt(spec, "namespaces").find((name) => !namespaceName.test(name));
  if (invalid === undefined) return undefined;
  const message = `spec.namespaces: ${JSON.stringify(invalid)} is not the name of a namespace`;
  return problem("InvalidNamespaceList", message);
}

const namespaceName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Undefined as the Secret: it does not exist. */
export function accessOf(
  environment: Resource,
  secret: Resource | undefined,
): EnvironmentAccess | ConnectionProblem {
  const spec = objectAt(environment, "spec");
  const name = `the Secret ${textAt(spec, "credentialsSecret")}`;
  if (secret === undefined) return problem("SecretNotFound", `${name} does not exist`);
  const type = textAt(secret, "type");
  if (!environmentSecretTypes.includes(type)) {
    const wanted = environmentSecretTypes.join(" or ");
    return problem("InvalidSecretType", `${name} has the type ${type}: use ${wanted}`);
  }
  const text = secretData(secret)?.["kubeconfig"] ?? "";
  if (text === "") return problem("MissingKubeConfigField", `${name} has no key kubeconfig`);
  const content = contentOf(text);
  if (content === undefined) {
    return problem("UnableToParseKubeconfigData", `the kubeconfig of ${name} is not valid YAML`);
  }
  const context = contextFor(content, textAt(spec, "apiURL"));
  if (context === undefined) {
    const why = "has no context with a cluster whose server is spec.apiURL";
    return problem("UnableToLocateContext", `the kubeconfig of ${name} ${why}`);
  }
  return credentialsIn(content, context, isTrueAt(spec, "allowInsecureSkipTLSVerify"));
}

function credentialsIn(
  content: JsonObject,
  context: Context,
  mayBeInsecure: boolean,
): EnvironmentAccess | ConnectionProblem {
  const { name, cluster } = context;
  const unsupported = ["proxy-url"].find((field) => cluster[field] !== undefined);
  const use = "use the token of a ServiceAccount";
  if (unsupported !== undefined) {
    return problem("UnsupportedCredentials", `the kubeconfig uses ${unsupported}: ${use}`);
  }
  try {
    const found = readKubeconfig([{ path: "of the Secret", content }], { context: name });
    if (found.token !== undefined) {
      // Only spec.allowInsecureSkipTLSVerify turns the check of the certificate off.
      const access = { ...found, certificate: undefined, isInsecure: mayBeInsecure };
      return { kind: "access", access, token: found.token };
    }
    const what = found.certificate === undefined ? "has no token" : "has a client certificate";
    return problem("UnsupportedCredentials", `the user of the kubeconfig ${what}: ${use}`);
  } catch (error) {
    const why = isSetpointError(error, "config.invalid") ? error.message : "it cannot be read";
    return problem("UnsupportedCredentials", `${why}: ${use}`);
  }
}

interface Context {
  readonly name: string;
  readonly cluster: JsonObject;
}

/** The current context where it has the server, or else the first that has it. */
function contextFor(content: JsonObject, apiUrl: string): Context | undefined {
  const wanted = comparable(apiUrl);
  const clusters = new Map(
    objectsAt(content, "clusters")
      .filter((each) => comparable(textAt(each, "cluster", "server")) === wanted)
      .map((each) => [textAt(each, "name"), objectAt(each, "cluster")]),
  );
  const contexts = objectsAt(content, "contexts").flatMap((each) => {
    const cluster = clusters.get(textAt(each, "context", "cluster"));
    return cluster === undefined ? [] : [{ name: textAt(each, "name"), cluster }];
  });
  const current = textAt(content, "current-context");
  return contexts.find(({ name }) => name === current) ?? contexts[0];
}

function comparable(url: string): string {
  return URL.canParse(url) ? withoutTrailing(new URL(url).href, "/") : url;
}

function contentOf(text: string): JsonObject | undefined {
  try {
    const { value } = parseYaml(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function problem(reason: ConnectionReason, message: string): ConnectionProblem {
  return { kind: "problem", reason, message };
}
