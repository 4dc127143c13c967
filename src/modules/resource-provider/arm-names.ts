// What a resource of the Resource Manager is called in the store. Paths that differ in case alone
// are one resource, so names are made of the path in lower case: a part that people recognise and a
// digest that no two paths share.

import { hash } from "node:crypto";
import type { ArmPlace } from "./resource-id.ts";
import { idOfPlace, typeOfPlace } from "./resource-id.ts";

const maxReadableChars = 40;
const digestChars = 20;

/** The namespace of a subscription. */
export function namespaceOf(subscription: string): string {
  return `sub-${subscription.toLowerCase()}`;
}

/** What a place is called wherever case does not count. */
export interface PlaceNames {
  /** The id in lower case. */
  readonly id: string;
  /** Of the stored resource, unless it came from elsewhere. */
  readonly stored: string;
}

export function namesOf(place: ArmPlace): PlaceNames {
  return { id: idOfPlace(place).toLowerCase(), stored: storedName(place) };
}

/** The name of the stored resource, which is in the namespace of its subscription. */
export function storedName(place: ArmPlace): string {
  return nameOf(place, []);
}

/** For a resource whose usual name is kept by one that was moved away. */
export function saltedName(place: ArmPlace, salt: string): string {
  return nameOf(place, [salt]);
}

/** What the stored names of all resources begin with that have this name, wherever they are. */
export function storedPrefix(name: string): string {
  return readablePart(name);
}

/** Whether a stored name that begins with the prefix has nothing after it but the digest. */
export function isStoredUnder(prefix: string, stored: string): boolean {
  return stored.length === prefix.length + digestChars && stored.startsWith(prefix);
}

/** The value of the label by which the resources of a group are found. */
export function groupDigest(group: string): string {
  return digest(group);
}

/** Locations are compared without case and spaces. */
export function plainLocation(location: string): string {
  return location.toLowerCase().replaceAll(/\s/g, "");
}

export function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function nameOf(place: ArmPlace, salt: readonly string[]): string {
  const path = [place.group ?? "", place.provider, typeOfPlace(place), ...place.names, ...salt];
  const readable = readablePart(place.names.at(-1) ?? "");
  return `${readable}${digest(path.join("/"))}`;
}

function readablePart(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const cut = plain.replace(/^-/, "").slice(0, maxReadableChars).replace(/-$/, "");
  return cut === "" ? "r-" : `${cut}-`;
}

function digest(text: string): string {
  return hash("sha256", text.toLowerCase(), "hex").slice(0, digestChars);
}
