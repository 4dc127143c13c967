// What an object gives away, such as keys that the service made, kept in Secrets beside the
// resource. They belong to it and go with it; a Secret of somebody else is never taken over.

import type { HookDocuments, HookSecrets } from "../connect-hooks.ts";
import { throughHooks } from "./hooks.ts";
import type { Session } from "./session.ts";

export async function exportSecrets(session: Session, documents: HookDocuments): Promise<void> {
  const { hooks, resource, context } = session;
  if (!hooks.some((each) => each.hooks.exportSecrets !== undefined)) return;
  const secrets = await throughHooks<HookDocuments, HookSecrets>(hooks, "exportSecrets", {
    input: documents,
    resource,
    last: () => Promise.resolve({}),
  });
  for (const [name, values] of Object.entries(secrets)) {
    const data = Object.entries(values).map(([key, value]): [string, string] => [
      key,
      Buffer.from(value).toString("base64"),
    ]);
    await context.children.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name },
      type: "Opaque",
      data: Object.fromEntries(data),
    });
  }
}
