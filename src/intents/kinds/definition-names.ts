// Which of the names a definition asks for it gets. Within a group every plural, singular and short
// name leads to one kind, and so does every kind and list kind; who asks later for a taken name
// keeps what it had. A definition's own names count as taken, too, as they do in Kubernetes.

import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import type { Kind, KindNames } from "../../kernel/kind.ts";
import { namesIn, specOf, statusOf } from "./definition-parts.ts";

export interface NameDecision {
  readonly accepted: KindNames;
  /** The last conflict found; undefined when all names were granted. */
  readonly conflict: NameConflict | undefined;
}

export interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

export function decideNames(
  definition: JsonObject,
  others: readonly JsonObject[],
  builtins: readonly Kind[],
): NameDecision {
  const wanted = namesIn(objectAt(specOf(definition), "names"));
  const had = acceptedNamesOf(definition);
  const group = textAt(specOf(definition), "group");
  const { resources, kinds } = takenNames(group, [definition, ...others], builtins);
  let conflict: NameConflict | undefined;
  const granted = (want: string, has: string, taken: ReadonlySet<string>, reason: string) => {
    if (want === has || !taken.has(want)) return want;
    conflict = { reason, message: inUse(want) };
    return has;
  };
  const plural = granted(wanted.plural, had.plural, resources, "PluralConflict");
  const singular = granted(wanted.singular, had.singular, resources, "SingularConflict");
  const clashes = wanted.shortNames.filter(
    (name) => !had.shortNames.includes(name) && resources.has(name),
  );
  if (clashes.length > 0) {
    conflict = { reason: "ShortNamesConflict", message: allInUse(clashes) };
  }
  const shortNames = clashes.length > 0 ? had.shortNames : wanted.shortNames;
  const kind = granted(wanted.kind, had.kind, kinds, "KindConflict");
  const listKind = granted(wanted.listKind, had.listKind, kinds, "ListKindConflict");
  const { categories } = wanted;
  return { accepted: { plural, singular, shortNames, kind, listKind, categories }, conflict };
}

export function acceptedNamesOf(definition: JsonObject): KindNames {
  return namesIn(objectAt(statusOf(definition), "acceptedNames"));
}

/** As it stands in a document: the plural and the kind always, the others when they are given. */
export function namesJson(names: KindNames): JsonObject {
  const { plural, singular, shortNames, kind, listKind, categories } = names;
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(
  group: string,
  definitions: readonly JsonObject[],
  builtins: readonly Kind[],
): TakenNames {
  const holders = [
    ...definitions.filter((one) => textAt(specOf(one), "group") === group).map(acceptedNamesOf),
    ...builtins.filter((kind) => kind.group === group).map((kind) => kind.names),
  ];
  const resources = holders.flatMap((names) => [names.plural, names.singular, ...names.shortNames]);
  const kinds = holders.flatMap((names) => [names.kind, names.listKind]);
  return { resources: new Set(resources), kinds: new Set(kinds) };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function allInUse(names: readonly string[]): string {
  const messages = [...new Set(names.map(inUse))];
  return messages.length === 1 ? messages.join("") : `[${messages.join(", ")}]`;
}
