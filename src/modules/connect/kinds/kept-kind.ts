// The mark on the definition of a kind whose resources are kept in a service.

import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Resource } from "../../../kernel/resource.ts";

const annotation = "setpoint.dev/kept-outside";

export function isMarkedKept({ metadata }: Resource): boolean {
  return metadata.annotations?.[annotation] === "true";
}

export function markedKept(definition: Resource): Resource {
  const { metadata } = definition;
  const annotations = { ...metadata.annotations, [annotation]: "true" };
  return { ...definition, metadata: { ...metadata, annotations } };
}

/** Whether the resources of a kind are, or were, kept in a service. */
export function isKeptKind(live: Pick<LiveView, "get">, kind: string): boolean {
  const record = live.get({ kind: definitionsKind, namespace: "", name: kind });
  return record !== undefined && isMarkedKept(record.resource);
}
