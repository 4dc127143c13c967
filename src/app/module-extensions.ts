/**
 * The extensions of a user module: entries in `extensions`, or in a field of the same name beside
 * it. Each entry goes to the built-in module that owns the extension point, after that module has
 * checked it. An entry without an owner is refused.
 */
import type { ExtensionEntry, ExtensionPoint } from "../contract/user-module.ts";
import { nearestName } from "../kernel/nearest-name.ts";

export interface ExtensionsInput {
  /** The module, or one of its kinds, as its author wrote it. */
  readonly given: object;
  /** Which of them, as messages show it: "", or "kinds[0].". */
  readonly prefix: string;
  readonly points: readonly ExtensionPoint[];
  readonly from: Pick<ExtensionEntry, "module" | "file" | "kind">;
  /** Throws. */
  readonly refuse: (problem: string) => never;
}

type Fields = Readonly<Record<string, unknown>>;

export function extensionsIn(input: ExtensionsInput): readonly ExtensionEntry[] {
  const { prefix, points, from, refuse } = input;
  const given = input.given as Fields;
  const nested = nestedIn(input);
  const entries: ExtensionEntry[] = [];
  for (const { name, problem } of points) {
    const field = nested[name] === undefined ? name : `extensions.${name}`;
    if (nested[name] !== undefined && given[name] !== undefined) {
      refuse(`${prefix}${name} is given twice; remove it, or ${prefix}${field}`);
    }
    const value = nested[name] ?? given[name];
    if (value === undefined) continue;
    const found = problem(value, `${prefix}${field}`);
    if (found !== undefined) refuse(found);
    entries.push({ ...from, point: name, value });
  }
  return entries;
}

function nestedIn({ given, prefix, points, refuse }: ExtensionsInput): Fields {
  const { extensions = {} } = given as { readonly extensions?: unknown };
  const field = `${prefix}extensions`;
  if (typeof extensions !== "object" || extensions === null) {
    refuse(`${field} must have one entry for each extension`);
  }
  const names = points.map(({ name }) => name);
  const unknown = Object.keys(extensions as object).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, names);
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    const known = names.length === 0 ? "there are none here" : `known here: ${names.join(", ")}`;
    refuse(
      `${field}.${unknown} is not an extension of any module of this server (${known})${meant}`,
    );
  }
  return extensions as Fields;
}
