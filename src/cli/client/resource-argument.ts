/** A resource as the command line names it: KIND/NAME, KIND NAME, or a form of a surface. */
import { moduleSurfaces } from "../../app/modules.ts";
import type { NamedResource } from "../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ApiClient } from "./api-client.ts";
import { findKind, pathTo, servedKinds } from "./find-kind.ts";

const namings = moduleSurfaces.flatMap(({ resourceNaming }) => resourceNaming ?? []);

export async function findResource(
  client: ApiClient,
  words: readonly string[],
  given: string | undefined,
): Promise<NamedResource> {
  const [first = "", ...others] = words;
  const naming = others.length === 0 ? namings.find(({ matches }) => matches(first)) : undefined;
  if (naming !== undefined) {
    const find = await naming.load();
    const found = await find(first, {
      get: async (path) => await client.get(path),
      kinds: async () => await servedKinds(client),
      pathTo,
    });
    const { kind, namespace, name } = found;
    return { kind: kind.kind, name, namespace, path: pathTo(kind, namespace, name) };
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
        suggestion: `name another with -n, or create it: kubectl create namespace ${namespace}`,
      });
    }
    const message = `${error.message} in the namespace ${namespace}`;
    throw new SetpointError(error.code, message, {
      details: error.details,
      suggestion: "name another namespace with -n, or run kubectl get KIND -A",
    });
  }
}

function partsOf(words: readonly string[]): readonly [string, string] {
  const parts = words.flatMap((word) => word.split("/"));
  const [kind = "", name = ""] = parts;
  if (parts.length === 2 && kind !== "" && name !== "") return [kind, name];
  const what = words.length === 0 ? "no resource is named" : `${words.join(" ")} is not a resource`;
  throw new SetpointError("config.invalid", `${what}: name a resource as KIND/NAME`, {
    suggestion: "write for example database/orders, or databases.example.com/orders",
  });
}
