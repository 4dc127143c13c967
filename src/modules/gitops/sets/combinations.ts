/** What a GitOpsDeploymentSet is generated from, and the combinations of it. Pure. */
import type { GitBranch } from "../../../adapters/git/port.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { matchesText } from "../policy/patterns.ts";

/** One value of a variable. */
export interface Generated {
  /** For messages and the status, such as "branch main". */
  readonly text: string;
  readonly value: JsonObject;
}

export interface Combination {
  readonly text: string;
  readonly variables: { readonly [name: string]: JsonObject };
}

/** In the order of the branches. */
export function branchValues(
  branches: readonly GitBranch[],
  generator: JsonObject,
): readonly Generated[] {
  const include = textsAt(generator, "include");
  const exclude = textsAt(generator, "exclude");
  return branches
    .filter(({ name }) => include.length === 0 || include.some((each) => matchesText(each, name)))
    .filter(({ name }) => !exclude.some((each) => matchesText(each, name)))
    .map(({ name, commit }) => ({
      text: `branch ${name}`,
      value: { name, slug: slugOf(name), commit },
    }));
}

/** Folders that have a file at any depth, sorted. */
export function directoryValues(
  files: readonly string[],
  generator: JsonObject,
): readonly Generated[] {
  const folders = new Set<string>();
  for (const file of files) {
    const parts = file.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) {
      folders.add(parts.slice(0, depth).join("/"));
    }
  }
  const include = textsAt(generator, "include");
  const exclude = textsAt(generator, "exclude");
  const isIn = (patterns: readonly string[], path: string): boolean =>
    patterns.some((pattern) => matchesPath(pattern, path));
  return [...folders]
    .filter((path) => isIn(include, path) && !isIn(exclude, path))
    .toSorted()
    .map((path) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return { text: `directory ${path}`, value: { path, name, slug: slugOf(name) } };
    });
}

export function environmentValues(environments: readonly Resource[]): readonly Generated[] {
  return environments
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
    .map(({ metadata: { name, labels = {} }, spec }) => ({
      text: `environment ${name}`,
      value: { name, server: textAt(spec, "apiURL"), labels },
    }));
}

export function itemValues(items: readonly JsonObject[]): readonly Generated[] {
  return items.map((value, index) => ({ text: `item ${index}`, value }));
}

/** Each with each; undefined when there are more than `most`. */
export function combinationsOf(
  lists: ReadonlyMap<string, readonly Generated[]>,
  most: number,
): readonly Combination[] | undefined {
  let combinations: readonly Combination[] = [{ text: "", variables: {} }];
  for (const [name, values] of lists) {
    if (combinations.length * values.length > most) return undefined;
    combinations = combinations.flatMap(({ text, variables }) =>
      values.map((each) => ({
        text: text === "" ? each.text : `${text}, ${each.text}`,
        variables: { ...variables, [name]: each.value },
      })),
    );
  }
  return combinations;
}

/** A text as a part of a name: feature/Cart-9 becomes feature-cart-9. */
export function slugOf(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.slice(0, 40).replaceAll(/^-+|-+$/g, "");
}

/** A * stands for any characters of one name. */
function matchesPath(pattern: string, path: string): boolean {
  const patterns = pattern.replace(/\/+$/, "").split("/");
  const names = path.split("/");
  return (
    patterns.length === names.length &&
    patterns.every((each, index) => matchesText(each, names[index] ?? ""))
  );
}

/** By the names of the variables. */
export const variableOf: Readonly<Record<string, string>> = {
  branches: "branch",
  directories: "directory",
  environments: "environment",
  items: "item",
};

/** The variables of the template of a set. */
export function variablesOf(spec: JsonObject): readonly string[] {
  const generate = objectAt(spec, "generate");
  const used = Object.entries(variableOf).flatMap(([field, name]) =>
    generate[field] === undefined ? [] : [name],
  );
  return [...used, "set"];
}
