// The terms under which the store's inverted index finds a resource: its labels, its owners and
// its selectable fields. A term is equal exactly when its parts are equal, and it is always short:
// long values are replaced by their digest. So is any value that starts with the digest's mark,
// since otherwise a short value could pass for the digest of a long one.

import { hash } from "node:crypto";
import { isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";
import type { Resource } from "./resource.ts";

export type FieldScalar = string | number | bigint | boolean;

export interface TermSource {
  readonly labels?: { readonly [key: string]: string } | undefined;
  /** Uids of the owners. */
  readonly owners?: readonly string[] | undefined;
  readonly fields?: readonly FieldEntry[] | undefined;
}

export interface FieldEntry {
  readonly path: string;
  readonly value: FieldScalar;
}

export function labelTerm(key: string, value: string): string {
  return `l:${key}=${termValue(value)}`;
}

export function ownerTerm(uid: string): string {
  return `o:${uid}`;
}

/** ".spec.color" and "spec.color" give the same term; so do the number 3 and the text "3". */
export function fieldTerm(path: string, value: FieldScalar): string {
  return `f:${path.startsWith(".") ? path.slice(1) : path}=${termValue(String(value))}`;
}

/** Reads a selectable field such as ".spec.color"; anything but a scalar counts as absent. */
export function fieldValue(resource: Resource, path: string): FieldScalar | undefined {
  let at: Json | undefined = resource;
  for (const name of (path.startsWith(".") ? path.slice(1) : path).split(".")) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return typeof at === "object" ? undefined : at;
}

/** All terms, sorted and without duplicates. */
export function termsOf(source: TermSource): string[] {
  const terms = new Set<string>();
  for (const [key, value] of Object.entries(source.labels ?? {})) terms.add(labelTerm(key, value));
  for (const uid of source.owners ?? []) terms.add(ownerTerm(uid));
  for (const { path, value } of source.fields ?? []) terms.add(fieldTerm(path, value));
  return [...terms].sort();
}

/** A value as it is in a term: the part after the sign. */
export function termValue(value: string): string {
  const isShort = value.length <= limits.maxTermValueLength && !value.startsWith("#");
  // Databases keep neither NUL nor half a surrogate pair in a text; a digest they do.
  if (isShort && value.isWellFormed() && !value.includes("\0")) return value;
  return `#${hash("sha256", Buffer.from(value, "utf16le"), "hex")}`;
}
