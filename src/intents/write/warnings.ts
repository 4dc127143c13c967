// What clients are told although their write succeeds.

import { labelKeyProblems } from "../../kernel/labels.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Caller, Target } from "../request.ts";
import { standardFinalizers } from "./finalizers.ts";

/** Called once the document was found valid; the status endpoint has nothing to say. */
export function tellWarnings(
  caller: Caller,
  { served, subresource }: Target,
  resource: Resource,
  old: Resource | undefined,
): void {
  if (subresource !== "") return;
  const texts =
    served.kind.origin === "built-in"
      ? (served.rules?.warnings?.(resource, old) ?? [])
      : finalizerWarnings(resource, old);
  for (const text of texts) caller.warn(text);
}

/** Kinds of definitions may use any finalizer, but some names are asking for trouble. */
export function finalizerWarnings(
  resource: Resource,
  old: Resource | undefined,
): readonly string[] {
  const { finalizers } = resource.metadata;
  if (finalizers === undefined) return [];
  const had = new Set(old?.metadata.finalizers);
  const added = [...new Set(finalizers)].filter((finalizer) => !had.has(finalizer)).sort();
  return added.flatMap((finalizer) =>
    [...labelKeyProblems(finalizer), ...preference(finalizer)].map(
      (problem) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${problem}`,
    ),
  );
}

function preference(finalizer: string): readonly string[] {
  if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return [];
  const form = finalizer.includes(".") ? "name including a path (/)" : "name";
  return [
    `prefer a domain-qualified finalizer ${form} ` +
      "to avoid accidental conflicts with other finalizer writers",
  ];
}
