// What a run needs to call the server of a ConsulServer, and the keys that a ConsulKeys wants.

import { checkAllowed, sharedResource } from "../../../engine/external/shared-resource.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { readSecretRef } from "../target/secret-reference.ts";
import type { ConsulAccess } from "./client.ts";
import { sharedConsul } from "./consul-kinds.ts";

type ReferringContext = Pick<Context, "references">;

/** The server, after a check that the namespace may use it. */
export async function allowedServer(user: Resource, context: ReferringContext): Promise<Resource> {
  const server = await serverOf(user, context);
  await checkAllowed(context, user, server, sharedConsul);
  return server;
}

/** A deletion does not need the permission. */
export async function serverOf(
  user: Resource,
  context: ReferringContext,
  hint = "",
): Promise<Resource> {
  return await sharedResource(
    context,
    { ...sharedConsul, name: textAt(user, "spec", "server") },
    hint,
  );
}

export async function consulAccess(
  server: Resource,
  context: ReferringContext,
): Promise<ConsulAccess> {
  const ca = textAt(server, "spec", "ca");
  return {
    resourceName: server.metadata.name,
    url: textAt(server, "spec", "url"),
    datacenter: textAt(server, "spec", "datacenter"),
    token: await readSecretRef(context, objectAt(server, "spec", "token")),
    ca: ca === "" ? undefined : ca,
  };
}

/** With which its keys may begin; none: all keys are allowed. */
export function allowedPrefixes(server: Resource, namespace: string): readonly string[] {
  return textsAt(server, "spec", "allow", "prefixes").map((prefix) => {
    return prefix.replaceAll("{namespace}", namespace);
  });
}

/** Values by complete key, in the order of the keys. */
export function wantedKeys(resource: Resource): ReadonlyMap<string, string> {
  const prefix = textAt(resource, "spec", "prefix");
  const values = {
    ...objectAt(resource, "spec", "keys"),
    ...objectAt(resource, "spec", "secretKeys"),
  };
  const entries = Object.keys(values).map((key) => {
    return [`${prefix}${key}`, textAt(values, key)] as const;
  });
  return new Map(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
