// A Template, compiled: its entries, their graph, and every error in it. Pure.

import { appendAll } from "../../../kernel/append.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, invalidField, tooManyItems } from "../../../kernel/field-error.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, listAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import { atOnce } from "../../../kernel/sliced.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { environmentLimits } from "../limits.ts";
import { compileActions } from "./actions.ts";
import type { Action } from "./actions.ts";
import { compileEntry, documentVariables } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { cycleIn } from "./graph.ts";
import type { Graph } from "./graph.ts";
import { groupDependencies, groupErrors } from "./groups.ts";
import { declarationErrors } from "./parameters.ts";
import { compileLinks, linkTexts } from "./links.ts";
import type { CompiledLinks, LinkTemplate } from "./links.ts";
import { referencesOf, referencesOfTexts } from "./references.ts";
import type { Known, Referred } from "./references.ts";
import { secretFlowErrors, shownSecretErrors } from "./secret-flow.ts";
import { documentErrors, expressionErrors, typedVariables } from "./target-types.ts";
import type { FoundKind } from "./target-types.ts";

/** The kinds that are served. */
export type KindOf = (apiVersion: string, kind: string) => FoundKind | undefined;

export interface CompiledTemplate {
  readonly spec: JsonObject;
  readonly entries: ReadonlyMap<string, CompiledResource>;
  /** From each key to the keys that it depends on. */
  readonly graph: Graph;
  readonly externals: ReadonlyMap<string, string>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly links: readonly LinkTemplate[];
  readonly endpoints: readonly LinkTemplate[];
  readonly known: Known;
}

export interface CompiledResource {
  readonly entry: Entry;
  readonly referred: Referred;
  readonly dependencies: readonly string[];
}

export interface Compilation {
  readonly template: CompiledTemplate;
  readonly errors: readonly FieldError[];
}

/** All at once. */
export function compileSpec(spec: Json | undefined, kindOf?: KindOf): Compilation {
  return atOnce(slicedCompilation(spec, kindOf));
}

/**
 * Errors of the entries at `spec`, up to a number of them. `kindOf` is left out where the template
 * was checked before. Pauses between entries.
 */
export function* slicedCompilation(spec: Json | undefined, kindOf?: KindOf): Sliced<Compilation> {
  const object = isJsonObject(spec) ? spec : {};
  const errors: FieldError[] = [];
  const compiled = yield* compiledEntries(object, errors);
  const known = knownIn(object, compiled);
  const resources = new Map<string, CompiledResource>();
  const groups = groupDependencies(object);
  let dependencies = 0;
  for (const entry of compiled.values()) {
    yield;
    if (errors.length >= limits.maxSchemaErrors) break;
    const referred = referencesOf(entry, known);
    appendAll(errors, referred.errors);
    const all = new Set([...referred.keys, ...groups.of(entry.key, textAt(entry.json, "group"))]);
    resources.set(entry.key, { entry, referred, dependencies: [...all] });
    dependencies += all.size;
    if (all.size > environmentLimits.maxDependencies) {
      const most = environmentLimits.maxDependencies;
      errors.push(tooManyItems(`${entry.path}.dependsOn`, all.size, most));
    }
    if (kindOf !== undefined) appendAll(errors, yield* kindErrors(entry, known, kindOf));
    appendAll(errors, countErrors(entry, known));
    appendAll(
      errors,
      shownSecretErrors(linkTexts([...entry.links, ...entry.endpoints]), known.secretParameters),
    );
  }
  if (dependencies > environmentLimits.maxTemplateDependencies) {
    const most = environmentLimits.maxTemplateDependencies;
    errors.push(tooManyItems("spec.resources", dependencies, most));
  }
  appendAll(errors, yield* declarationErrors(objectAt(object, "parameters"), "spec.parameters"));
  appendAll(errors, groupErrors(object, new Set(compiled.keys()), known.suggest));
  const graph: Graph = new Map([...resources].map(([key, each]) => [key, each.dependencies]));
  const cycle = errors.length === 0 ? cycleIn(graph) : undefined;
  if (cycle !== undefined) errors.push(cycleError("spec.resources", cycle));
  const actions = yield* compileActions(object, known, kindOf);
  appendAll(errors, actions.errors);
  const shown = environmentLinks(object, "spec");
  appendAll(errors, shown.errors);
  appendAll(errors, linkErrors([...shown.links, ...shown.endpoints], known));
  const externals = new Map(
    objectsAt(object, "externals").map((each) => {
      const name = textAt(each, "name");
      return [name, textAt(each, "resource") || name];
    }),
  );
  return {
    template: {
      spec: object,
      entries: resources,
      graph,
      externals,
      actions: actions.actions,
      links: shown.links,
      endpoints: shown.endpoints,
      known,
    },
    errors,
  };
}

export function cycleError(path: string, cycle: readonly string[]): FieldError {
  const detail = `the dependencies have a cycle: ${cycle.join(" -> ")}`;
  return invalidField(path, cycle[0] ?? "", detail);
}

function* compiledEntries(spec: JsonObject, errors: FieldError[]): Sliced<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for (const [at, json] of objectsAt(spec, "resources").entries()) {
    yield;
    if (errors.length >= limits.maxSchemaErrors) break;
    const path = `spec.resources[${at}]`;
    const key = textAt(json, "key");
    if (entries.has(key)) errors.push(duplicateField(`${path}.key`, key));
    const { entry, errors: found } = compileEntry(json, path);
    appendAll(errors, found);
    if (entry !== undefined) entries.set(key, entry);
  }
  return entries;
}

function knownIn(spec: JsonObject, entries: ReadonlyMap<string, Entry>): Known {
  const parameters = objectAt(spec, "parameters");
  const isSecret = ([, each]: [string, Json]): boolean => isTrueAt(each, "secret");
  const names = (field: string): ReadonlySet<string> =>
    new Set(objectsAt(spec, field).map((each) => textAt(each, "name")));
  const keys = objectsAt(spec, "resources").map((each) => textAt(each, "key"));
  const outputs = new Map<string, ReadonlySet<string>>();
  for (const [key, entry] of entries) {
    if (entry.outputs !== undefined) outputs.set(key, new Set(entry.outputs.keys()));
  }
  return {
    keys: new Set(keys),
    externals: names("externals"),
    parameters: new Set(Object.keys(parameters)),
    secretParameters: new Set(
      Object.entries(parameters)
        .filter(isSecret)
        .map(([name]) => name),
    ),
    secrets: names("secrets"),
    variables: typedVariables([...documentVariables, "action"], parameters),
    outputsOf: (key) => outputs.get(key),
    suggest: suggester(),
  };
}

function* kindErrors(entry: Entry, known: Known, kindOf: KindOf): Sliced<readonly FieldError[]> {
  const { apiVersion, kind, path, document } = entry;
  const served = kindOf(apiVersion, kind);
  if (served === undefined) {
    const detail = `no kind ${kind} is served in ${apiVersion}: install its definition first`;
    return [invalidField(`${path}.template.kind`, kind, detail)];
  }
  if (served.kind.scope === "Cluster") {
    const detail = "is cluster-scoped: a resource of an environment must be namespaced";
    return [invalidField(`${path}.template.kind`, kind, detail)];
  }
  return [
    ...secretFlowErrors(document, known.secretParameters, served.kind),
    ...(yield* documentErrors(entry.json["template"], served, known, `${path}.template`)),
    ...expressionErrors(entry.json["count"], countSchema, known.variables, `${path}.count`),
  ];
}

/** The number of resources is shown. */
function countErrors({ count }: Entry, { secretParameters }: Known): readonly FieldError[] {
  return typeof count === "object" ? shownSecretErrors(count.texts, secretParameters) : [];
}
const countSchema = { type: "integer", intOrString: false } as const;

/** Links and status endpoints of the environment itself: of a Template, or of an Environment. */
export function environmentLinks(
  spec: JsonObject,
  path: string,
): Pick<CompiledTemplate, "links" | "endpoints"> & { readonly errors: readonly FieldError[] } {
  const part = (field: string): CompiledLinks =>
    compileLinks(listAt(spec, field), environmentVariables, `${path}.${field}`);
  const [links, endpoints] = [part("entryPoints"), part("statusEndpoints")];
  const errors = [...links.errors, ...endpoints.errors];
  return { links: links.links, endpoints: endpoints.links, errors };
}

/** Unknown names in links of an environment, and secrets, because the links are shown. */
export function linkErrors(links: readonly LinkTemplate[], known: Known): readonly FieldError[] {
  const texts = linkTexts(links);
  const { errors } = referencesOfTexts(texts, known);
  return [...errors, ...shownSecretErrors(texts, known.secretParameters)];
}

/** What the links and status endpoints of an environment may read. */
export const environmentVariables = ["parameters", "environment", "resources"] as const;
