// From a document to what it proposes: for each resource of the service a kind, its binding and
// what is known of its fields. Pure: what was read goes in, documents to review come out.

import type { Binding, FieldEntry, Identity } from "../binding.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Documents } from "../document/load.ts";
import { rootOf, rootsOf } from "../document/place.ts";
import type { Problem } from "../document/problem.ts";
import type { Classified } from "../fields/classify.ts";
import { isSecretName } from "../fields/secret-name.ts";
import { bindingOf } from "./binding-of.ts";
import { connectionOf } from "./connection-of.ts";
import { makeDefinition } from "./definition-of.ts";
import { describeResource, schemaIn } from "./describe.ts";
import type { Described } from "./describe.ts";
import { elementKind } from "./element-kind.ts";
import { sureIdentity } from "./identity.ts";
import { groupFor, nameElement, nameResources, takenNames } from "./names.ts";
import type { KindName } from "./names.ts";
import { nothingFound } from "./nothing-found.ts";
import { operationsOf } from "./operations.ts";
import { findResources, groupPaths } from "./resources.ts";
import type { FoundResource } from "./resources.ts";
import { treesOf } from "./trees.ts";
import type { Trees } from "./trees.ts";

export interface ProposeOptions {
  readonly baseUrl: string;
  readonly group?: string;
  readonly connection?: string;
  /** Kinds, plurals or paths; all of them without any. */
  readonly only?: readonly string[];
  /** Values of path parameters that are the same for all. */
  readonly values?: Readonly<Record<string, string>>;
  /** What persons said of fields, by the id of the kind. */
  readonly overrides?: ReadonlyMap<string, readonly FieldEntry[]>;
  /** False to see what can be told without annotations. */
  readonly useMarks?: boolean;
}

export interface ProposedKind {
  /** "zones.powerdns.services.local". */
  readonly id: string;
  readonly name: KindName;
  readonly definition: JsonObject;
  readonly binding: Binding;
  readonly classified: Classified;
  /** False where reading and writing have too little in common to be compared. */
  readonly isComparable: boolean;
  readonly notes: readonly string[];
}

export interface Proposal {
  readonly group: string;
  readonly title: string;
  readonly connection: JsonObject;
  readonly kinds: readonly ProposedKind[];
  readonly problems: readonly Problem[];
  /** What `only` asks for and the document does not have. */
  readonly missing: readonly string[];
  /** The kinds that the document has. */
  readonly names: readonly string[];
}

export function propose(documents: Documents, options: ProposeOptions): Proposal {
  const { node } = rootOf(documents);
  const title = textAt(node, "info", "title");
  const group = options.group ?? groupFor(options.baseUrl, title);
  const connection = options.connection ?? (group.split(".")[0] || "service");
  const trees = treesOf(documents);
  const operations = operationsOf(documents);
  const groups = groupPaths(operations);
  const found = findResources(groups);
  const names = nameResources(found);
  const context: Context = {
    group,
    connection,
    trees,
    names,
    taken: takenNames(names.values()),
    options,
  };
  const items = new Map(found.map((resource) => [resource.key, resource]));
  const kinds = found
    .filter((resource) => isWanted(resource, names.get(resource.key), options.only))
    .filter((resource) => !isView(resource, items, trees))
    .flatMap((resource) => proposedKinds(resource, context));
  for (const { id, notes } of kinds) {
    for (const message of notes) {
      const at = { file: documents.root, pointer: "" };
      documents.problems.add({ severity: "warning", ...at, message: `${id}: ${message}` });
    }
  }
  if (kinds.length === 0) {
    const paths = rootsOf(documents).flatMap((root) => Object.keys(objectAt(root.node, "paths")));
    const message = nothingFound({ paths: paths.length, operations, groups });
    documents.problems.add({ severity: "error", file: documents.root, pointer: "/paths", message });
  }
  return {
    group,
    title,
    connection: connectionOf(documents, connection, options.baseUrl),
    kinds,
    problems: documents.problems.all(),
    missing: (options.only ?? []).filter(
      (text) => !found.some((each) => isWanted(each, names.get(each.key), [text])),
    ),
    names: [...names.values()].map(({ kind }) => kind),
  };
}

interface Context {
  readonly group: string;
  readonly connection: string;
  readonly trees: Trees;
  readonly names: ReadonlyMap<string, KindName>;
  readonly taken: Set<string>;
  readonly options: ProposeOptions;
}

/** The resource, and the elements of its list when they are resources, too. */
function proposedKinds(found: FoundResource, context: Context): readonly ProposedKind[] {
  const { names, group, options, trees } = context;
  const name = names.get(found.key);
  if (name === undefined) return [];
  const id = `${name.plural}.${group}`;
  const { useMarks } = options;
  const overrides = options.overrides?.get(id);
  const described = describeResource(found, trees, {
    ...(overrides === undefined ? {} : { overrides }),
    ...(useMarks === undefined ? {} : { useMarks }),
  });
  if (described === undefined) return [];
  const kind = proposedKind(described, id, name, context);
  if (described.element === undefined) return [kind];
  const elementName = nameElement(described.element.name, name, context.taken);
  const elementId = `${elementName.plural}.${group}`;
  const elementOverrides = options.overrides?.get(elementId);
  const element = elementKind({
    element: described.element,
    parent: kind,
    group,
    name: elementName,
    ...(elementOverrides === undefined ? {} : { overrides: elementOverrides }),
  });
  return [kind, element];
}

function proposedKind(
  described: Described,
  id: string,
  name: KindName,
  context: Context,
): ProposedKind {
  const { group, names, connection, trees, options } = context;
  const { found, classified, isComparable } = described;
  const parent = found.parent === undefined ? undefined : names.get(found.parent);
  const binding = bindingOf(described, {
    connection,
    parentKind: parent === undefined ? undefined : `${parent.plural}.${group}`,
    values: options.values ?? {},
    trees,
  });
  const { listed } = described;
  const made = makeDefinition({
    group,
    name,
    trees: described.trees,
    classified,
    ...(listed === undefined ? {} : { listed }),
  });
  const notes = [
    ...(made.problem === undefined ? [] : [`its definition would be refused: ${made.problem}`]),
    ...made.unhidden.map((path) => `${path} is a secret inside a list, so it cannot be hidden`),
    ...readableSecrets(described.identity),
    ...identityDoubt(described.identity),
    ...(isComparable
      ? []
      : ["the schemas for reading and writing have little in common, so they are not compared"]),
    ...(described.read === undefined ? ["it can be read only as part of its list"] : []),
    ...(described.remove === undefined ? ["it cannot be deleted"] : []),
  ];
  return { id, name, definition: made.definition, binding, classified, isComparable, notes };
}

function identityDoubt({ kind, confidence = 1 }: Identity): readonly string[] {
  if (confidence >= sureIdentity) return [];
  const what = `the identity (${kind}, confidence ${confidence.toFixed(2)}) is a guess`;
  return [`${what}: no field is called like the parameter of the path; check it in the RestKind`];
}

/** What is in a URL cannot be hidden. */
function readableSecrets(identity: Identity): readonly string[] {
  const fields = identity.kind === "composite" ? Object.values(identity.fields) : [];
  const named = "field" in identity && identity.field !== undefined ? [identity.field] : fields;
  const why = "identifies the object and is readable, although it is called like a secret";
  return named.filter((path) => isSecretName(path)).map((path) => `${path} ${why}`);
}

/** Another address of its parent, such as one that takes a part of it only. */
function isView(
  { ids, parent, item }: FoundResource,
  items: ReadonlyMap<string, FoundResource>,
  trees: Trees,
): boolean {
  const whole = parent === undefined || ids > 0 ? undefined : items.get(parent);
  if (whole === undefined) return false;
  const { ref } = trees.of(schemaIn(item.operations.get("get")));
  return ref !== undefined && ref === trees.of(schemaIn(whole.item.operations.get("get"))).ref;
}

function isWanted(
  { item }: FoundResource,
  name: KindName | undefined,
  only: readonly string[] | undefined,
): boolean {
  if (only === undefined || only.length === 0 || name === undefined) return true;
  const own = new Set([name.kind.toLowerCase(), name.plural, item.text.toLowerCase()]);
  return only.some((wanted) => own.has(wanted.toLowerCase()));
}
