/** A resource as it is named on the command line: KIND/NAME, or KIND NAME. */
import { SetpointError } from "../../kernel/errors.ts";
import type { ApiClient } from "./api-client.ts";
import { findKind, pathTo } from "./find-kind.ts";

export interface NamedResource {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
}

export async function findResource(
  client: ApiClient,
  words: readonly string[],
  namespace: string | undefined,
): Promise<NamedResource> {
  const [kindText, name] = partsOf(words);
  const address = await findKind(client, kindText);
  const path = pathTo(address, namespace ?? client.namespace, name);
  return { kind: address.kind, name, path };
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
