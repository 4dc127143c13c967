// Marks definitions whose resources this process reconciles, in the write that makes or changes
// them: from the first moment on, a write of such a resource makes it due.

import { annotations } from "../../kernel/annotations.ts";
import type { Resource } from "../../kernel/resource.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { AdmissionPlugin } from "./admission.ts";

export function reconciledDefinitions(kinds: Pick<ReadonlySet<string>, "has">): AdmissionPlugin {
  return {
    name: "ReconciledDefinitions",
    mutate: ({ target, object }) => {
      const isOwn = target.served.id === definitionsKind && kinds.has(target.name);
      return object === undefined || !isOwn ? object : markedReconciled(object);
    },
  };
}

export function isMarkedReconciled({ metadata }: Resource): boolean {
  return metadata.annotations?.[annotations.reconciled] === "true";
}

export function markedReconciled(definition: Resource): Resource {
  if (isMarkedReconciled(definition)) return definition;
  const marked = { ...definition.metadata.annotations, [annotations.reconciled]: "true" };
  return { ...definition, metadata: { ...definition.metadata, annotations: marked } };
}
