// A kind as the server works with it: its versions with everything compiled that a request needs.
// Compilation waits until the first request asks for it, so that a thousand definitions cost a
// thousand small objects and nothing more.

import type { DraftKind, IndexTerms } from "../../kernel/draft.ts";
import { apiVersionOf, kindId } from "../../kernel/kind.ts";
import type { Kind, KindVersion } from "../../kernel/kind.ts";
import { once } from "../../kernel/once.ts";
import type { Resource } from "../../kernel/resource.ts";
import { compileSchemaInSlices } from "../../kernel/schema/compile.ts";
import { isHeavySchema } from "../../kernel/schema/schema-size.ts";
import type { KindRules } from "../builtin/rules.ts";
import { builtinType } from "./builtin-type.ts";
import type { ServedForm } from "./other-form.ts";
import { compileType } from "./compiled-type.ts";
import type { CompiledType } from "./compiled-type.ts";
import { isHiding } from "../../kernel/hidden-values.ts";
import { hiddenTextFilter, withoutHiddenTexts } from "../write/hidden-errors.ts";

export interface ServedVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly definition: KindVersion;
  /** Compiled when first asked for. */
  readonly type: CompiledType;
  /** Compiles a large type in slices. Undefined: it is compiled, or takes little time. */
  prepare(pause: () => Promise<void>): Promise<void> | undefined;
}

/** What a request for this version needs: see ServedVersion.prepare. */
export function prepareKind(
  { served, version }: Prepared,
  pause: () => Promise<void>,
): Promise<void> | undefined {
  const first = version.prepare(pause);
  const second = version === served.storage ? undefined : served.storage.prepare(pause);
  if (first === undefined || second === undefined) return first ?? second;
  return first.then(() => second);
}

interface Prepared {
  readonly served: ServedKind;
  readonly version: ServedVersion;
}

/** Takes documents of any version of the kind to the version asked for. */
export type Converter = (
  documents: readonly Resource[],
  to: ServedVersion,
) => Promise<readonly Resource[]>;

export interface ServedKind {
  /** What the store calls it; two kinds that show the same resources have the same. */
  readonly id: string;
  readonly kind: Kind;
  readonly versions: ReadonlyMap<string, ServedVersion>;
  readonly storage: ServedVersion;
  /** The kind whose documents are stored: another one where two kinds show the same resources. */
  readonly storedKind: Kind & DraftKind;
  /** What a selectable field is called in the stored documents. */
  readonly storedField: (path: string) => string;
  /** The version that clients should use. */
  readonly preferred: ServedVersion;
  readonly rules: KindRules | undefined;
  /** A subset of `usualVerbs`. Requests with any other verb are refused. */
  readonly verbs: readonly string[];
  readonly convert: Converter;
  /** False: its versions differ in name alone, and what one of them does not have is lost in it. */
  readonly hasConverter: boolean;
  /** Whether changes of intent are counted; most of the built-in kinds do not. */
  readonly hasGeneration: boolean;
  /**
   * Documents of this revision and later were written with the present schema. Older documents are
   * pruned and get defaults when they are read, and are stored in the new form by the next write.
   */
  readonly cleanSince: number;
  /** Whether some fields are never shown. */
  readonly hasHidden: boolean;
  /** The kind is a second form of another one. */
  readonly form: ServedForm | undefined;
  /** The definition is being deleted: nothing new may be created. */
  readonly isTerminating: boolean;
  /** Its resources have a reconciler, in this process or another: a write makes them due. */
  readonly isReconciled: boolean;
  /**
   * For built-in kinds that the server itself reconciles (housekeeping): whether a write
   * makes its resource due. Undefined for all other kinds.
   */
  readonly isDueAfter: ((write: DueWrite) => boolean) | undefined;
  /** Name and uid of the definition, for kinds that come from one. */
  readonly definition: { readonly name: string; readonly uid: string } | undefined;
}

/** What a write of a resource did, as far as the due time depends on it. */
export interface DueWrite {
  readonly isNew: boolean;
  /** Its deletion was requested, by this write or an earlier one. */
  readonly isDeleting: boolean;
}

export const usualVerbs: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

const countingGroups = new Set(["apiextensions.k8s.io", "admissionregistration.k8s.io"]);

export interface ServedKindInput {
  readonly kind: Kind;
  readonly rules?: KindRules | undefined;
  readonly verbs?: readonly string[];
  /** Another kind in whose form the documents are stored. */
  readonly storedAs?: ServedKind;
  readonly form?: ServedForm;
  readonly storedField?: (path: string) => string;
  readonly preferred?: string;
  readonly convert?: Converter;
  readonly cleanSince?: number;
  readonly isTerminating?: boolean;
  readonly isReconciled?: boolean;
  readonly indexTerms?: IndexTerms | undefined;
  readonly isDueAfter?: ((write: DueWrite) => boolean) | undefined;
  readonly definition?: { readonly name: string; readonly uid: string };
}

export function servedKind(input: ServedKindInput): ServedKind {
  const { kind } = input;
  const versions = new Map(
    kind.versions.map((definition) => [definition.name, servedVersion(input, definition)]),
  );
  const all = [...versions.values()];
  const own = all.find(({ definition }) => definition.storage) ?? only(all);
  const preferred = versions.get(input.preferred ?? "") ?? own;
  const storage = input.storedAs?.storage ?? own;
  return {
    id: input.storedAs?.id ?? kindId(kind),
    kind,
    versions,
    storage,
    storedKind: input.storedAs?.storedKind ?? withTerms(kind, input.indexTerms),
    storedField: input.storedField ?? ((path) => path),
    preferred,
    rules: input.rules,
    verbs: input.verbs ?? usualVerbs,
    convert: input.convert === undefined ? renameVersion : hidingConverter(kind, input.convert),
    hasConverter: input.convert !== undefined,
    hasGeneration: kind.origin === "definition" || countingGroups.has(kind.group),
    cleanSince: input.cleanSince ?? 0,
    hasHidden: kind.fieldRules.some(({ rule }) => rule === "write-only" || rule === "secret"),
    form: input.form,
    isTerminating: input.isTerminating ?? false,
    isReconciled: input.isReconciled ?? false,
    isDueAfter: input.isDueAfter,
    definition: input.definition,
  };
}

function withTerms(kind: Kind, indexTerms: IndexTerms | undefined): Kind & DraftKind {
  return indexTerms === undefined ? kind : { ...kind, indexTerms };
}

/** The errors of a converter may quote the documents that it is given. */
function hidingConverter(kind: Kind, convert: Converter): Converter {
  if (!isHiding(kind)) return convert;
  return async (documents, to) => {
    try {
      return await convert(documents, to);
    } catch (error) {
      throw withoutHiddenTexts(hiddenTextFilter(kind, documents), error);
    }
  };
}

function servedVersion({ kind, rules }: ServedKindInput, definition: KindVersion): ServedVersion {
  let type: CompiledType | undefined;
  let preparing: Promise<void> | undefined;
  const isBuiltin = kind.origin === "built-in";
  const isLarge = once(() => ({ value: !isBuiltin && isHeavySchema(definition.schema) }));
  const prepare = async (pause: () => Promise<void>): Promise<void> => {
    const schema = await compileSchemaInSlices(definition.schema, pause);
    type ??= compileType(definition, schema);
  };
  return {
    name: definition.name,
    apiVersion: apiVersionOf(kind, definition.name),
    definition,
    get type() {
      return (type ??= isBuiltin ? builtinType(kind, definition, rules) : compileType(definition));
    },
    prepare: (pause) => {
      if (type !== undefined || !isLarge().value) return undefined;
      return (preparing ??= prepare(pause));
    },
  };
}

/** The conversion of kinds whose versions have one shape: only the name changes. */
function renameVersion(
  documents: readonly Resource[],
  { apiVersion }: ServedVersion,
): Promise<readonly Resource[]> {
  return Promise.resolve(documents.map((document) => withApiVersion(document, apiVersion)));
}

function withApiVersion(document: Resource, apiVersion: string): Resource {
  return document.apiVersion === apiVersion ? document : { ...document, apiVersion };
}

function only(all: readonly ServedVersion[]): ServedVersion {
  const [first] = all;
  if (first === undefined) throw new Error("a kind without versions cannot be served");
  return first;
}
