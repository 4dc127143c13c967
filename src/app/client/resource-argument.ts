/** A resource as it is named on the command line: KIND/NAME, or KIND NAME, or its ARM id. */
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ApiClient } from "./api-client.ts";
import { findByArmId } from "./arm-argument.ts";
import { findKind, pathTo } from "./find-kind.ts";

export interface NamedResource {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Undefined where the kind has none. */
  readonly namespace?: string;
}

export async function findResource(
  client: ApiClient,
  words: readonly string[],
  given: string | undefined,
): Promise<NamedResource> {
  const [first = "", ...others] = words;
  const byId = others.length === 0 ? await findByArmId(client, first) : undefined;
  if (byId !== undefined) {
    const { address, namespace, name } = byId;
    return { kind: address.kind, name, namespace, path: pathTo(address, namespace, name) };
  }
  const [kindText, name] = partsOf(words);
  const address = await findKind(client, kindText);
  const namespace = given ?? client.namespace;
  const path = pathTo(address, namespace, name);
  return { kind: address.kind, name, path, ...(address.isNamespaced ? { namespace } : {}) };
}

/** Asks about a resource; who is told that there is none learns where it was looked for. */
export async function askAbout<T>({ namespace }: NamedResource, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (namespace === undefined || !isSetpointError(error, "resource.not_found")) throw error;
    // Paths that nobody serves are not there in other words.
    if (!error.message.endsWith(" not found")) throw error;
    if (error.message.startsWith("namespaces ")) {
      throw new SetpointError(error.code, `there is no namespace "${namespace}"`, {
        details: error.details,
        suggestion: `name another with -n, or make it: kubectl create namespace ${namespace}`,
      });
    }
    const message = `${error.message} in the namespace ${namespace}`;
    throw new SetpointError(error.code, message, {
      details: error.details,
      suggestion: "name another namespace with -n, or see kubectl get KIND -A",
    });
  }
}

function partsOf(words: readonly string[]): readonly [string, string] {
  const parts = words.flatMap((word) => word.split("/"));
  const [kind = "", name = ""] = parts;
  if (parts.length === 2 && kind !== "" && name !== "") return [kind, name];
  const what = words.length === 0 ? "no resource is named" : `${words.join(" ")} names none`;
  throw new SetpointError("config.invalid", `${what}: a resource is named as KIND/NAME`, {
    suggestion: "write for example database/orders, or databases.example.com/orders",
  });
}
