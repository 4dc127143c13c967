// Every operation on a resource, told once and free of any OpenAPI version: both documents are
// written from this list. Identifiers, descriptions and tags are formed as kube-apiserver forms
// them, because generated clients take their method names from them.

import { kindId } from "../../../kernel/kind.ts";
import type { Kind } from "../../../kernel/kind.ts";
import type { ServedResource, ServedSubresource } from "../discovery/served-groups.ts";
import type { ParameterName } from "./parameters.ts";
import { parametersOf } from "./parameters.ts";

export type Action = "list" | "post" | "deletecollection" | "get" | "put" | "delete" | "patch";
export type Method = "get" | "post" | "put" | "delete" | "patch";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly action: Action;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly gvk: GroupVersionKind;
  /** In the order of their names; "name" and "namespace" are in the path. */
  readonly parameters: readonly ParameterName[];
  /** The kind that the path's name belongs to. */
  readonly nameOf: string;
  /** What is sent. */
  readonly body: BodyShape | undefined;
  /** What is answered, and with which codes besides 401. */
  readonly answer: BodyShape;
  readonly codes: readonly number[];
  readonly isBuiltIn: boolean;
}

export type BodyShape =
  | { readonly kind: "object"; readonly gvk: GroupVersionKind }
  | { readonly kind: "list"; readonly gvk: GroupVersionKind }
  | { readonly kind: "status" }
  | { readonly kind: "patch" }
  | { readonly kind: "delete-options" };

export function operationsOf(resource: ServedResource): readonly Operation[] {
  const { kind, version, verbs } = resource;
  const self = { group: kind.group, version: version.name, kind: kind.names.kind };
  const root = rootPath(self.group, self.version);
  const isNamespaced = kind.scope === "Namespaced";
  const space = isNamespaced ? `${root}/namespaces/{namespace}` : root;
  const all = `${space}/${kind.names.plural}`;
  const one = `${all}/{name}`;
  const target: Target = { resource, gvk: self, sub: undefined };
  const found: Operation[] = [];
  const add = (verb: string, path: string, action: Action): void => {
    if (verbs.includes(verb)) found.push(operation(target, path, action));
  };
  if (isNamespaced) add("list", `${root}/${kind.names.plural}`, "list");
  add("list", all, "list");
  add("create", all, "post");
  add("deletecollection", all, "deletecollection");
  add("get", one, "get");
  add("update", one, "put");
  add("delete", one, "delete");
  add("patch", one, "patch");
  const inner = resource.subresources.flatMap((sub) => subresourceOperations(resource, sub, one));
  return [...found, ...inner];
}

interface Target {
  readonly resource: ServedResource;
  readonly gvk: GroupVersionKind;
  readonly sub: string | undefined;
}

const subActions: Readonly<Record<string, Action>> = {
  create: "post",
  get: "get",
  update: "put",
  patch: "patch",
};

function subresourceOperations(
  resource: ServedResource,
  sub: ServedSubresource,
  one: string,
): readonly Operation[] {
  const gvk = { group: sub.group, version: sub.version, kind: sub.kind };
  const target: Target = { resource, gvk, sub: sub.name };
  const actions = sub.verbs
    .map((verb) => subActions[verb])
    .filter((action) => action !== undefined);
  return actions.map((action) => operation(target, `${one}/${sub.name}`, action));
}

const methods: Readonly<Record<Action, Method>> = {
  list: "get",
  post: "post",
  deletecollection: "delete",
  get: "get",
  put: "put",
  delete: "delete",
  patch: "patch",
};

function operation(target: Target, path: string, action: Action): Operation {
  const { resource, gvk } = target;
  const { kind, version } = resource;
  const isBuiltIn = kind.origin === "built-in";
  const scope = {
    isBuiltIn,
    isNamed: path.includes("{name}"),
    isSpaced: path.includes("{namespace}"),
  };
  const self = { group: kind.group, version: version.name, kind: kind.names.kind };
  return {
    path,
    method: methods[action],
    action,
    id: operationId(target, path, action),
    tag: `${validId(shortGroup(kind.group), false)}_${validId(version.name, false)}`,
    description: description(target, action),
    // Operations on a definition's subresources name the resource they belong to.
    gvk: isBuiltIn ? gvk : self,
    parameters: parametersOf(action, scope),
    nameOf: kind.names.kind,
    body: bodyOf(action, gvk, isBuiltIn),
    answer: answerOf(action, gvk, kind),
    codes: codesOf(action, isBuiltIn),
    isBuiltIn,
  };
}

function bodyOf(action: Action, gvk: GroupVersionKind, isBuiltIn: boolean): BodyShape | undefined {
  if (action === "post" || action === "put") return { kind: "object", gvk };
  if (action === "patch") return { kind: "patch" };
  if (action === "delete") return { kind: "delete-options" };
  return action === "deletecollection" && isBuiltIn ? { kind: "delete-options" } : undefined;
}

/** Kinds whose deletion is answered with what was deleted. */
const answeredWhole = new Set(["resourcequotas", "serviceaccounts"]);

function answerOf(action: Action, gvk: GroupVersionKind, kind: Kind): BodyShape {
  if (action === "list") return { kind: "list", gvk: { ...gvk, kind: kind.names.listKind } };
  const isStatus =
    action === "delete" ? !answeredWhole.has(kindId(kind)) : action === "deletecollection";
  return isStatus ? { kind: "status" } : { kind: "object", gvk };
}

function codesOf(action: Action, isBuiltIn: boolean): readonly number[] {
  if (action === "post") return [200, 201, 202];
  if (action === "delete") return [200, 202];
  if (action === "put" || (action === "patch" && isBuiltIn)) return [200, 201];
  return [200];
}

const idVerbs: Readonly<Record<Action, string>> = {
  list: "list",
  post: "create",
  deletecollection: "delete",
  get: "read",
  put: "replace",
  delete: "delete",
  patch: "patch",
};

function operationId(target: Target, path: string, action: Action): string {
  const { kind, version } = target.resource;
  const group = validId(shortGroup(kind.group), true);
  const isNamespaced = kind.scope === "Namespaced";
  const isEverywhere = isNamespaced && !path.includes("{namespace}");
  return [
    idVerbs[action],
    group,
    validId(version.name, true),
    action === "deletecollection" ? "Collection" : "",
    isNamespaced && !isEverywhere ? "Namespaced" : "",
    kind.names.kind,
    validId(target.sub ?? "", true),
    isEverywhere ? "ForAllNamespaces" : "",
  ].join("");
}

function description(target: Target, action: Action): string {
  const { kind } = target.resource.kind.names;
  const sub = target.sub === undefined ? "" : ` ${target.sub} of`;
  const isBuiltIn = target.resource.kind.origin === "built-in";
  switch (action) {
    case "list":
      return `${isBuiltIn ? "list or watch" : "list"} objects of kind ${kind}`;
    case "deletecollection":
      return `delete collection of ${kind}`;
    case "patch":
      return `partially update${sub} the specified ${kind}`;
    case "get":
      return `read${sub} the specified ${kind}`;
    case "put":
      return `replace${sub} the specified ${kind}`;
    case "post":
      return `create${sub} ${withArticle(kind)}`;
    case "delete":
      return `delete${sub} ${withArticle(kind)}`;
    default:
      return action satisfies never;
  }
}

function withArticle(noun: string): string {
  if (noun.endsWith("s") && !noun.endsWith("ss")) return noun;
  return /^[aeiou]/i.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/** "/api/v1", or "/apis/example.dev/v1". */
export function rootPath(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

function shortGroup(group: string): string {
  if (group === "") return "core";
  return group.endsWith(".k8s.io") ? group.slice(0, -".k8s.io".length) : group;
}

/** Letters and digits only; each letter after something else becomes a capital one. */
function validId(text: string, startsCapital: boolean): string {
  let isCapital = startsCapital;
  let id = "";
  for (const letter of text) {
    if (/[A-Za-z0-9_]/.test(letter)) {
      id += isCapital ? letter.toUpperCase() : letter;
      isCapital = false;
    } else isCapital = true;
  }
  return id;
}
