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
import { formConverter } from "./other-form.ts";
import type { OtherForm } from "./other-form.ts";
import type { MutableKindRegistry } from "./registry.ts";
import { servedKind } from "./served-kind.ts";
import type { Converter, ServedKind } from "./served-kind.ts";

export const definitionsKind = "customresourcedefinitions.apiextensions.k8s.io";

export interface DefinitionKindsInput {
  readonly live: LiveView;
  readonly kinds: MutableKindRegistry;
  /** How documents of a kind are converted; undefined for kinds that need no conversion. */
  readonly converterOf: (record: LiveRecord) => Converter | undefined;
  /** By the name of the definition. */
  readonly forms: ReadonlyMap<string, InstalledForm>;
  /** Additional terms of the documents of every kind. */
  readonly indexTerms?: IndexTerms | undefined;
  readonly onError: (error: unknown, name: string) => void;
}

/** The definition of a form belongs to its module: another one of the same name is a kind. */
export interface InstalledForm {
  readonly form: OtherForm;
  readonly module: string;
}

export function followDefinitions(input: DefinitionKindsInput): void {
  const { live, kinds, converterOf, forms, indexTerms, onError } = input;
  const follow = (after: LiveRecord | undefined, before: LiveRecord | undefined): void => {
    const name = (after ?? before)?.key.name ?? "";
    const form = formOf(forms.get(name), after);
    const own = form && ownKind(kinds, form);
    const isServable = form === undefined || own !== undefined;
    if (after === undefined || !isEstablished(after.resource) || !isServable) {
      kinds.remove(name);
      return;
    }
    try {
      const convert = converterOf(after);
      const served = servedDefinition(after, before, kinds.byId(name), { convert, indexTerms });
      kinds.put(form === undefined || own === undefined ? served : servedForm(served, form, own));
    } catch (error) {
      onError(error, name);
    }
  };
  live.follow(definitionsKind, (after, before) => {
    follow(after, before);
    const changed = (after ?? before)?.key.name;
    for (const [name, { form }] of forms) {
      if (form.of !== changed) continue;
      const definition = live.get({ kind: definitionsKind, namespace: "", name });
      if (definition !== undefined) follow(definition, definition);
    }
  });
}

function formOf(
  installed: InstalledForm | undefined,
  definition: LiveRecord | undefined,
): OtherForm | undefined {
  const maker = definition?.resource.metadata.annotations?.[annotations.module];
  return installed?.module === maker ? installed?.form : undefined;
}

/** A form has the id of its kind, also after that one was removed. */
function ownKind(kinds: MutableKindRegistry, { of }: OtherForm): ServedKind | undefined {
  const found = kinds.byId(of);
  return found?.form === undefined ? found : undefined;
}

function servedForm(
  { kind, preferred, isTerminating, definition }: ServedKind,
  form: OtherForm,
  own: ServedKind,
): ServedKind {
  return servedKind({
    kind,
    storedAs: own,
    form: { own, created: form.created ?? ((document) => document) },
    convert: formConverter(form, own.storage),
    preferred: preferred.name,
    cleanSince: own.cleanSince,
    isTerminating,
    ...(definition === undefined ? {} : { definition }),
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
