/**
 * The fields that the author of a module may write, for everything that the server would otherwise
 * ignore: modules may be written without types, and types are not checked when a file is loaded.
 */
import type { UserReconciler } from "../contract/user-module.ts";
import type { FieldRule, KindInput, KindNames, KindVersion } from "../kernel/kind.ts";
import type { PrinterColumn, Subresources } from "../kernel/kind.ts";
import { nearestName } from "../kernel/nearest-name.ts";
import { unknownField } from "../kernel/unknown-field.ts";

type FieldsOf<T> = readonly Extract<keyof T, string>[];

const reconcilerFields: FieldsOf<UserReconciler> = [
  "kind",
  "version",
  "reconcile",
  "remove",
  "observe",
  "resyncMs",
  "timeoutMs",
  "concurrency",
  "retry",
];

/**
 * An instance of a class may have members of its own; only those are refused that are spelt nearly
 * like an option.
 */
export function unknownReconcilerField(prefix: string, given: object): string | undefined {
  if (isPlain(given)) return unknownField(prefix, given, reconcilerFields);
  const own = Object.keys(given).filter((name) => !isKnown(name));
  const misspelt = own.find((name) => nearestName(name, reconcilerFields) !== undefined);
  return misspelt === undefined
    ? undefined
    : unknownField(prefix, { [misspelt]: true }, reconcilerFields);
}

function isKnown(name: string): boolean {
  return (reconcilerFields as readonly string[]).includes(name);
}

const kindFields: FieldsOf<KindInput> = [
  "group",
  "names",
  "scope",
  "versions",
  "fieldRules",
  "origin",
  "subresources",
];
const namesFields: FieldsOf<KindNames> = [
  "plural",
  "singular",
  "kind",
  "listKind",
  "shortNames",
  "categories",
];
const versionFields: FieldsOf<KindVersion> = [
  "name",
  "served",
  "storage",
  "schema",
  "selectableFields",
  "printerColumns",
  "subresources",
  "deprecationWarning",
];
const columnFields: FieldsOf<PrinterColumn> = [
  "name",
  "type",
  "jsonPath",
  "format",
  "description",
  "priority",
];
const ruleFields: FieldsOf<FieldRule> = ["path", "rule"];
const subresourcesFields: FieldsOf<Subresources> = ["status", "scale"];

/** Of a kind and its parts. Parts of another type than the types declare are reported elsewhere. */
export function unknownKindField(kind: KindInput): string | undefined {
  const { names, versions, fieldRules, subresources } = kind as Partial<KindInput>;
  const parts: (readonly [string, unknown, readonly string[]])[] = [
    ["", kind, kindFields],
    ["names.", names, namesFields],
    ["subresources.", subresources, subresourcesFields],
  ];
  for (const [at, version] of itemsOf(versions)) {
    const { printerColumns, subresources: own } = version as Partial<KindVersion>;
    parts.push([`versions[${at}].`, version, versionFields]);
    parts.push([`versions[${at}].subresources.`, own, subresourcesFields]);
    for (const [index, column] of itemsOf(printerColumns)) {
      parts.push([`versions[${at}].printerColumns[${index}].`, column, columnFields]);
    }
  }
  for (const [at, rule] of itemsOf(fieldRules)) {
    parts.push([`fieldRules[${at}].`, rule, ruleFields]);
  }
  for (const [prefix, part, known] of parts) {
    const problem = isPlain(part) ? unknownField(prefix, part, known) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function itemsOf(list: unknown): readonly (readonly [number, object])[] {
  if (!Array.isArray(list)) return [];
  return [...(list as readonly unknown[]).entries()].flatMap(([at, item]) =>
    typeof item === "object" && item !== null ? [[at, item] as const] : [],
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}
