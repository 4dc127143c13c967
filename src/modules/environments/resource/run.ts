// What the parts of the reconciler of EnvironmentResources share.

import type { HttpClient } from "../../../adapters/http/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Found, KindRegistry } from "../../../intents/kinds/registry.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import type { TargetPorts } from "./apply-target.ts";

export interface ResourcePorts extends TargetPorts {
  readonly store: Pick<Store, "get" | "getMany" | "list">;
  readonly templates: TemplateCache;
  readonly http: HttpClient;
}

export interface ResourceRun {
  readonly resource: Resource;
  readonly context: Context;
  readonly ports: ResourcePorts;
}

export function targetKey({ metadata }: Resource, found: Found, document: JsonObject): ResourceKey {
  const namespace = metadata.namespace ?? "";
  return { kind: found.served.id, namespace, name: textAt(document, "metadata", "name") };
}

export async function readTarget(
  { store }: Pick<ResourcePorts, "store">,
  key: ResourceKey,
): Promise<Resource | undefined> {
  const record = await store.get(key);
  return record === undefined ? undefined : decodeDocument(record.body, record.revision);
}

export function kindFound(
  { intents }: { readonly intents: { readonly kinds: Pick<KindRegistry, "findKind"> } },
  apiVersion: string,
  kind: string,
): Found | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return intents.kinds.findKind(group, apiVersion.slice(slash + 1), kind);
}
