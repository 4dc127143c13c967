// What the kinds are called. A kind is called like the last word of its path, in the singular;
// where that is taken by another, the word before it is put in front. The group is the service's
// own domain, or made of its title where it is reached by an address.

import { isIP } from "node:net";
import type { FoundResource } from "./resources.ts";
import { isParameter } from "./paths.ts";
import { pascalCase, pluralOf, singularOf } from "./words.ts";

export interface KindName {
  readonly kind: string;
  readonly plural: string;
}

/** By key; shorter paths are named first and keep the shorter names. */
export function nameResources(resources: readonly FoundResource[]): ReadonlyMap<string, KindName> {
  const names = new Map<string, KindName>();
  const taken = new Set<string>();
  const byLength = resources.toSorted((a, b) => a.item.segments.length - b.item.segments.length);
  for (const { key, item, ids } of byLength) {
    const name = freeName(literalsOf(item.segments, ids), taken);
    take(name, taken);
    names.set(key, name);
  }
  return names;
}

/** The kind of the elements of a list, which has no path of its own. */
export function nameElement(list: string, parent: KindName, taken: Set<string>): KindName {
  const name = freeName([parent.kind, list], taken);
  take(name, taken);
  return name;
}

export function takenNames(names: Iterable<KindName>): Set<string> {
  const taken = new Set<string>();
  for (const name of names) take(name, taken);
  return taken;
}

export function groupFor(baseUrl: string, title: string): string {
  const host = hostOf(baseUrl);
  const isName = host.includes(".") && isIP(host.replace(/^\[|\]$/g, "")) === 0;
  const isDomain = isName && /^[a-z\d]([-a-z\d.]*[a-z\d])?$/.test(host);
  if (isDomain) return host.replace(/^(?:api|www)\./, "");
  const noise = new Set(["api", "http", "rest", "the", "openapi", "swagger", "server", "service"]);
  // "PowerDNS" is one name, however it is written.
  const words = title.toLowerCase().split(/[^a-z\d]+/);
  const word = words.find((one) => one !== "" && !noise.has(one)) ?? "service";
  return `${word}.services.local`;
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).hostname.toLowerCase();
  } catch {
    return "";
  }
}

function literalsOf(segments: readonly string[], ids: number): readonly string[] {
  const own = ids === 0 ? segments : segments.slice(0, -ids);
  const literals = own.filter((segment) => !isParameter(segment) && /[A-Za-z]{2}/.test(segment));
  // "/settings/default" are the settings.
  const isAny = ids === 0 && /^(?:default|current|main)$/i.test(literals.at(-1) ?? "");
  if (isAny && literals.length > 1) return literals.slice(0, -1);
  const last = own.at(-1);
  // "/1.0" and "/{id}" say nothing.
  return literals.length > 0 ? literals : [pascalCase(last ?? "") === "" ? "Object" : "Root"];
}

function freeName(literals: readonly string[], taken: ReadonlySet<string>): KindName {
  let name: KindName = { kind: "Object", plural: "objects" };
  for (let count = 1; count <= literals.length; count += 1) {
    name = nameOf(literals.slice(-count));
    if (!isTaken(name, taken)) return name;
  }
  for (let number = 2; ; number += 1) {
    const kind = `${name.kind}${number}`;
    const numbered = { kind, plural: kind.toLowerCase() };
    if (!isTaken(numbered, taken)) return numbered;
  }
}

function nameOf(literals: readonly string[]): KindName {
  const parts = literals.map((literal) => singularName(pascalCase(literal)));
  const joined = parts.join("").slice(0, 58);
  const kind = /^[A-Za-z]/.test(joined) ? joined : `Kind${joined}`;
  return { kind, plural: pluralOf(kind.toLowerCase()) };
}

/** Only the last word of a name has a plural. */
function singularName(name: string): string {
  const last = /[A-Z]?[a-z\d]+$|[A-Z]+$/.exec(name)?.[0] ?? name;
  return `${name.slice(0, name.length - last.length)}${singularOf(last)}`;
}

function take({ kind, plural }: KindName, taken: Set<string>): void {
  taken.add(kind.toLowerCase()).add(plural).add(`${kind}List`.toLowerCase());
}

function isTaken({ kind, plural }: KindName, taken: ReadonlySet<string>): boolean {
  return taken.has(kind.toLowerCase()) || taken.has(plural);
}
