// What a run needs to call the server of a VaultServer.

import { checkAllowed, sharedResource } from "../../../engine/external/shared-resource.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { SecretPlace, VaultServerAccess } from "./client.ts";
import { sharedVault } from "./vault-kinds.ts";

type ReferringContext = Pick<Context, "references">;

/** The server, after a check that the namespace may use it. */
export async function allowedServer(user: Resource, context: ReferringContext): Promise<Resource> {
  const server = await serverOf(user, context);
  await checkAllowed(context, user, server, sharedVault);
  return server;
}

/** A deletion does not need the permission. */
export async function serverOf(
  user: Resource,
  context: ReferringContext,
  hint = "",
): Promise<Resource> {
  const name = textAt(user, "spec", "server");
  return await sharedResource(context, { ...sharedVault, name }, hint);
}

export function vaultAccess(server: Resource): VaultServerAccess {
  const ca = textAt(server, "spec", "ca");
  return {
    resourceName: server.metadata.name,
    url: textAt(server, "spec", "url"),
    vaultNamespace: textAt(server, "spec", "namespace"),
    ca: ca === "" ? undefined : ca,
  };
}

export function placeOf(secret: Resource): SecretPlace {
  return {
    mount: textAt(secret, "spec", "mount") || "secret",
    path: textAt(secret, "spec", "path"),
  };
}
