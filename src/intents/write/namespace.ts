// Nothing is created in a namespace that is not there or that is being deleted. The live view
// answers at once; only when it does not know the namespace is the store asked, since another
// process may have created it a moment ago.

import { decodeDocument } from "../../kernel/document.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { forbidden, notFound } from "../refusals.ts";
import type { Intents, Target } from "../request.ts";

export const namespacesKind = "namespaces";
const namespaceNames = {
  plural: "namespaces",
  singular: "namespace",
  kind: "Namespace",
  listKind: "NamespaceList",
  shortNames: [],
  categories: [],
};

export async function openNamespace(intents: Intents, target: Target): Promise<void> {
  if (target.namespace === "") return;
  const problem = refusedNamespace(target, await readNamespace(intents, target.namespace));
  if (problem !== undefined) throw problem;
}

/** Why nothing can be created in the namespace, if so. */
export function refusedNamespace(
  { namespace, served, name }: Target,
  found: Resource | undefined,
): SetpointError | undefined {
  if (found === undefined) return notFound({ group: "", names: namespaceNames }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return undefined;
  const what = `unable to create new content in namespace ${namespace}`;
  const why = `${what} because it is being terminated`;
  const cause = `namespace ${namespace} is being terminated`;
  return forbidden(served.kind, name, why, [
    { reason: "NamespaceTerminating", message: cause, field: "metadata.namespace" },
  ]);
}

export async function readNamespace(
  intents: Pick<Intents, "live" | "store">,
  name: string,
): Promise<Resource | undefined> {
  const key = { kind: namespacesKind, namespace: "", name };
  const live = intents.live.get(key);
  if (live !== undefined) return live.resource;
  const record = await intents.store.get(key);
  return record === undefined ? undefined : decodeDocument(record.body, record.revision);
}

export function phaseOf(namespace: Resource): string {
  const { status } = namespace;
  const phase = isJsonObject(status) ? status["phase"] : undefined;
  return typeof phase === "string" ? phase : "Active";
}
