// The shape of everything stored, and how one resource is told from another. Unknown fields are
// part of the types on purpose: what a newer version wrote must survive a write by this one.
// A key's text form is injective for any strings at all, so it is safe as a Map key even before
// the parts have been validated.

import { SetpointError } from "./errors.ts";
import type { Json } from "./json.ts";

export interface ResourceKey {
  /** The kind id: plural and group, as in "widgets.example.dev", or "configmaps". */
  readonly kind: string;
  /** Empty for cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
  readonly [key: string]: Json;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** Assigned by the store at commit; absent on what has not been committed. */
  readonly resourceVersion?: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly [key: string]: Json;
}

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Json;
  readonly status?: Json;
  readonly [key: string]: Json;
}

export function keyOf(kind: string, resource: { readonly metadata: Metadata }): ResourceKey {
  const { namespace = "", name } = resource.metadata;
  return { kind, namespace, name };
}

/** An unambiguous text for Map keys. The name is last and needs no escape. */
export function keyText(key: ResourceKey): string {
  return `${escaped(key.kind)}/${escaped(key.namespace)}/${key.name}`;
}

export function isSameKey(one: ResourceKey, other: ResourceKey): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.kind === other.kind;
}

/** Orders by kind, then namespace, then name, each by code point, as databases order UTF-8. */
export function compareKeys(a: ResourceKey, b: ResourceKey): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name)
  );
}

/** A resource as people write it: kind/name in cluster scope, else kind/namespace/name. */
export function formatReference(key: ResourceKey): string {
  const { kind, namespace, name } = key;
  return namespace === "" ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

export function parseReference(text: string): ResourceKey {
  const parts = text.split("/");
  const [kind = "", second = "", third] = parts;
  const isWhole = !parts.includes("") && (parts.length === 2 || parts.length === 3);
  if (!isWhole) {
    throw new SetpointError("request.invalid", "a resource reference cannot be parsed", {
      details: { reference: text.slice(0, 600) },
      suggestion: "write kind/name or kind/namespace/name",
    });
  }
  if (third === undefined) return { kind, namespace: "", name: second };
  return { kind, namespace: second, name: third };
}

function escaped(part: string): string {
  if (!part.includes("/") && !part.includes("%")) return part;
  return part.replaceAll("%", "%25").replaceAll("/", "%2F");
}

function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF but are smaller than U+E000 as code units. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
