// Keeps the registry in step with the stored definitions: what is established is served, what is
// gone is not. A definition that cannot be read as a kind is left out and reported; it was
// checked when it was written, so this happens only with data of another version.

import { annotations } from "../../kernel/annotations.ts";
import type { IndexTerms } from "../../kernel/draft.ts";
import { kindOf } from "../../kernel/kind.ts";
import { equalJson } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { LiveRecord, LiveView } from "../live-view.ts";
import { kindOfDefinition } from "./definition.ts";
import { isEstablished } from "./definition-status.ts";
import { knowingEngineStatus } from "./kind-definition.ts";
import type { MutableKindRegistry } from "./registry.ts";
import { servedKind } from "./served-kind.ts";
import type { Converter, ServedKind } from "./served-kind.ts";

export const definitionsKind = "customresourcedefinitions.apiextensions.k8s.io";

export interface DefinitionKindsInput {
  readonly live: LiveView;
  readonly kinds: MutableKindRegistry;
  /** How documents of a kind are converted; undefined for kinds that need no conversion. */
  readonly converterOf: (record: LiveRecord) => Converter | undefined;
  /** Additional terms of the documents of every kind. */
  readonly indexTerms?: IndexTerms | undefined;
  readonly onError: (error: unknown, name: string) => void;
}

export function followDefinitions(input: DefinitionKindsInput): void {
  const { live, kinds, converterOf, indexTerms, onError } = input;
  live.follow(definitionsKind, (after, before) => {
    const name = (after ?? before)?.key.name ?? "";
    if (after === undefined || !isEstablished(after.resource)) {
      kinds.remove(name);
      return;
    }
    try {
      const convert = converterOf(after);
      kinds.put(servedDefinition(after, before, kinds.byId(name), { convert, indexTerms }));
    } catch (error) {
      onError(error, name);
    }
  });
}

/** Every change of the spec raises the generation, so that most specs need no comparison. */
export function hasSameSpec(before: Resource, after: Resource): boolean {
  const { uid, generation } = before.metadata;
  const isSameLife = generation !== undefined && uid === after.metadata.uid;
  if (isSameLife && generation === after.metadata.generation) return true;
  return equalJson(before.spec, after.spec);
}

interface Added {
  readonly convert: Converter | undefined;
  readonly indexTerms: IndexTerms | undefined;
}

function servedDefinition(
  after: LiveRecord,
  before: LiveRecord | undefined,
  served: ServedKind | undefined,
  { convert, indexTerms }: Added,
): ServedKind {
  const { resource, revision } = after;
  const isReconciled = resource.metadata.annotations?.[annotations.reconciled] === "true";
  const input = kindOfDefinition(resource);
  const kind = kindOf(isReconciled ? knowingEngineStatus(input) : input);
  const isSameSpec = before !== undefined && hasSameSpec(before.resource, resource);
  return servedKind({
    kind,
    ...(convert === undefined ? {} : { convert }),
    indexTerms,
    preferred: kind.versions.find((version) => version.served)?.name ?? "",
    cleanSince: isSameSpec ? (served?.cleanSince ?? 0) : cleanSince(after, before),
    isTerminating: resource.metadata.deletionTimestamp !== undefined,
    isReconciled,
    definition: { name: resource.metadata.name, uid: resource.metadata.uid },
  });
  function cleanSince({ resource: { metadata } }: LiveRecord, old: LiveRecord | undefined): number {
    // The first spec has no older documents; of a later one, those since it was stored are clean.
    return old === undefined && metadata.generation === 1 ? 0 : revision;
  }
}
