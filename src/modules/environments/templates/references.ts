// What the expressions of an entry refer to: other resources, externals, parameters and secrets. An
// unknown name is an error at the text that contains it, with the nearest known name. Pure.

import type { ReadPath } from "../../../kernel/cel/reads.ts";
import { computedIndex } from "../../../kernel/cel/reads.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { Suggest } from "../../../kernel/nearest-name.ts";
import type { TemplateText } from "../../../kernel/template/template.ts";
import type { Entry } from "./entry.ts";
import { linkTexts } from "./links.ts";
import type { Variables } from "./target-types.ts";

/** The names that a template declares. */
export interface Known {
  readonly keys: ReadonlySet<string>;
  readonly externals: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly secretParameters: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  /** What documents read, with the types that are known. */
  readonly variables: Variables;
  /** The outputs of an entry that states them; undefined when the target decides. */
  readonly outputsOf: (key: string) => ReadonlySet<string> | undefined;
  readonly suggest: Suggest;
}

/** The names of several templates together, for the links of an Environment. */
export function joinedKnown(each: readonly Known[]): Known {
  const all = (field: "keys" | "externals" | "parameters" | "secretParameters" | "secrets") =>
    new Set(each.flatMap((known) => [...known[field]]));
  const [first] = each;
  return {
    keys: all("keys"),
    externals: all("externals"),
    parameters: all("parameters"),
    secretParameters: all("secretParameters"),
    secrets: all("secrets"),
    variables: {},
    outputsOf: (key) => each.find((known) => known.keys.has(key))?.outputsOf(key),
    suggest: first?.suggest ?? (() => ""),
  };
}

export interface Referred {
  readonly keys: Set<string>;
  readonly externals: Set<string>;
  readonly parameters: Set<string>;
  readonly secrets: Set<string>;
  readonly errors: FieldError[];
}

const externalPrefix = "external/";

export function referencesOf(entry: Entry, known: Known): Referred {
  const { document, links, endpoints, count, dependsOn, path } = entry;
  const counted = typeof count === "object" ? count.texts : [];
  const texts = [...document.texts, ...linkTexts([...links, ...endpoints]), ...counted];
  const referred = referencesOfTexts(texts, known);
  dependsOn.forEach((name, at) => {
    const field = `${path}.dependsOn[${at}]`;
    if (name.startsWith(externalPrefix)) {
      const external = name.slice(externalPrefix.length);
      const problem = unknownProblem("external", external, known.externals, known.suggest);
      if (problem === undefined) referred.externals.add(external);
      else referred.errors.push(invalidField(field, name, problem));
      return;
    }
    const problem = unknownProblem("resource", name, known.keys, known.suggest);
    if (problem === undefined) referred.keys.add(name);
    else referred.errors.push(invalidField(field, name, problem));
  });
  return referred;
}

export function referencesOfTexts(texts: readonly TemplateText[], known: Known): Referred {
  const referred: Referred = {
    keys: new Set(),
    externals: new Set(),
    parameters: new Set(),
    secrets: new Set(),
    errors: [],
  };
  for (const text of texts) {
    for (const read of text.reads) {
      const problem = take(read, known, referred);
      if (problem !== undefined) {
        referred.errors.push(invalidField(text.path, text.text, `${read.join(".")}: ${problem}`));
      }
    }
  }
  return referred;
}

/** What is wrong with a read; notes it otherwise. */
function take(read: ReadPath, known: Known, referred: Referred): string | undefined {
  const [root, name] = read;
  switch (root) {
    case "resources": {
      if (name === undefined || name === computedIndex) return computedKey("resources.KEY");
      const problem = unknownProblem("resource", name, known.keys, known.suggest);
      if (problem !== undefined) return problem;
      referred.keys.add(name);
      return partProblem(read, known.outputsOf(name), known.suggest);
    }
    case "externals": {
      if (name === undefined || name === computedIndex) return computedKey("externals.NAME");
      const problem = unknownProblem("external", name, known.externals, known.suggest);
      if (problem === undefined) referred.externals.add(name);
      return problem ?? partProblem(read, undefined, known.suggest);
    }
    case "parameters": {
      if (name === undefined || name === computedIndex) {
        for (const each of known.parameters) referred.parameters.add(each);
        return undefined;
      }
      const problem = unknownProblem("parameter", name, known.parameters, known.suggest);
      if (problem === undefined) referred.parameters.add(name);
      return problem;
    }
    case "secrets": {
      if (name === undefined || name === computedIndex) return computedKey("secrets.NAME");
      const problem = unknownProblem("secret", name, known.secrets, known.suggest);
      if (problem === undefined) referred.secrets.add(name);
      return problem;
    }
    default:
      return undefined;
  }
}

function computedKey(form: string): string {
  return `the name must be written in the expression, as in ${form}: it decides the dependencies`;
}

/** A resource has `outputs` and `secretOutputs`, below a position where it has a count. */
function partProblem(
  [, , ...parts]: ReadPath,
  outputs: ReadonlySet<string> | undefined,
  suggest: Suggest,
): string | undefined {
  const [first, ...others] = parts;
  const isPosition = first !== undefined && (first === computedIndex || /^\d+$/.test(first));
  const [part, output] = isPosition ? others : parts;
  if (part === undefined) return undefined;
  if (part !== "outputs" && part !== "secretOutputs") {
    return `a resource has outputs and secretOutputs${suggest(part, resourceParts)}`;
  }
  const isKnown = part !== "outputs" || output === undefined || output === computedIndex;
  if (isKnown || outputs === undefined || outputs.has(output)) return undefined;
  return `the resource has no output ${output}${suggest(output, outputs)}`;
}

const resourceParts = ["outputs", "secretOutputs"];

function unknownProblem(
  what: string,
  name: string,
  names: ReadonlySet<string>,
  suggest: Suggest,
): string | undefined {
  if (names.has(name)) return undefined;
  return `the template has no ${what} ${name}${suggest(name, names)}`;
}
