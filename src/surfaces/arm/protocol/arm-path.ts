// What a URL of the Azure Resource Manager names. Fixed words are found in any case, names keep the
// case they came in, doubled slashes count as one, and what cannot be a name (a slash, a control
// character, a step upwards) makes the whole path one that nobody serves.

import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { UrlPrefix } from "../../http/prefix-table.ts";

export type ArmPath =
  | { readonly kind: "subscription"; readonly subscription: string }
  | { readonly kind: "operations"; readonly provider: string }
  | ({ readonly kind: "resource" } & ArmPlace)
  /** All of a type; with POST the last word is an action on what is before it. */
  | ({ readonly kind: "collection" } & ArmPlace)
  | ({ readonly kind: "operationStatus" | "operationResult" } & OperationPlace)
  | {
      readonly kind: "nameCheck";
      readonly subscription: string;
      readonly provider: string;
      readonly location: string | undefined;
    }
  | {
      readonly kind: "preflight";
      readonly subscription: string;
      readonly group: string | undefined;
      readonly provider: string;
    }
  | {
      readonly kind: "move";
      readonly subscription: string;
      readonly group: string;
      /** Only whether it could be done. */
      readonly isValidation: boolean;
    };

export interface OperationPlace {
  readonly subscription: string;
  readonly provider: string;
  readonly location: string;
  readonly id: string;
}

/** Whether this surface answers for the path at all. */
export function isArmPath(url: string): boolean {
  return /^\/+(subscriptions|providers)(\/|\?|$)/i.test(url) || isDocumentPath(url);
}

/** The same as rows of the prefix table. */
export const armPrefixes: readonly UrlPrefix[] = [
  { path: "/subscriptions", ignoresCase: true },
  { path: "/providers", ignoresCase: true },
  { path: "/swagger" },
];

export function isDocumentPath(url: string): boolean {
  return /^\/+swagger(\/|\?|$)/.test(url);
}

/** Undefined for what nobody serves. */
export function parseArmPath(url: string): ArmPath | undefined {
  const segments = segmentsOf(url);
  return segments && pathOf(segments);
}

function pathOf([first = "", second = "", ...rest]: readonly string[]): ArmPath | undefined {
  if (isWord(first, "providers")) {
    const isOperations = rest.length === 1 && isWord(rest[0], "operations");
    return isOperations ? { kind: "operations", provider: second } : undefined;
  }
  if (!isWord(first, "subscriptions") || second === "") return undefined;
  if (rest.length === 0) return { kind: "subscription", subscription: second };
  return inSubscription(second, rest);
}

/** The query of a URL; parameters of ARM are named in any case. */
export function armQuery(url: string): ReadonlyMap<string, string> {
  const question = url.indexOf("?");
  const text = question < 0 ? "" : url.slice(question + 1);
  const found = new Map<string, string>();
  for (const [name, value] of pairsOf(text)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, value);
  }
  return found;
}

/** One parameter whose characters stand for themselves is what most requests have. */
function pairsOf(text: string): Iterable<readonly [string, string]> {
  const plain = /^([\w$-]+)=([\w.-]*)$/.exec(text);
  if (plain === null) return new URLSearchParams(text);
  return [[plain[1] ?? "", plain[2] ?? ""]];
}

/** The resource that an id in a body names; its characters stand for themselves, as in no URL. */
export function placeOfId(id: string): ArmPlace | undefined {
  const [before, ...segments] = id.split("/");
  if (before !== "" || !segments.every(isSegment)) return undefined;
  const path = pathOf(segments);
  return path?.kind === "resource" ? path : undefined;
}

function inSubscription(subscription: string, rest: readonly string[]): ArmPath | undefined {
  const isInGroup = isWord(rest[0], "resourcegroups");
  const group = isInGroup ? rest[1] : undefined;
  if (isInGroup && group === undefined) return undefined;
  const tail = isInGroup ? rest.slice(2) : rest;
  if (group !== undefined && tail.length === 1) {
    const isValidation = isWord(tail[0], "validatemoveresources");
    const isMove = isValidation || isWord(tail[0], "moveresources");
    return isMove ? { kind: "move", subscription, group, isValidation } : undefined;
  }
  const [word, provider, ...parts] = tail;
  if (!isWord(word, "providers") || provider === undefined || parts.length === 0) return undefined;
  const special = specialPath({ subscription, group, provider, parts });
  if (special !== undefined) return special;
  const types = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  const place = { subscription, group, provider, types, names };
  return { kind: types.length === names.length ? "resource" : "collection", ...place };
}

interface InProvider {
  readonly subscription: string;
  readonly group: string | undefined;
  readonly provider: string;
  readonly parts: readonly string[];
}

function specialPath({ subscription, group, provider, parts }: InProvider): ArmPath | undefined {
  const [first, location = "", third, id = ""] = parts;
  if (isWord(first, "checknameavailability") && parts.length === 1) {
    return { kind: "nameCheck", subscription, provider, location: undefined };
  }
  if (isWord(first, "deployments") && isWord(third, "preflight") && parts.length === 3) {
    return { kind: "preflight", subscription, group, provider };
  }
  if (!isWord(first, "locations")) return undefined;
  if (isWord(third, "checknameavailability") && parts.length === 3) {
    return { kind: "nameCheck", subscription, provider, location };
  }
  if (parts.length !== 4) return undefined;
  if (isWord(third, "operationsstatus")) {
    return { kind: "operationStatus", subscription, provider, location, id };
  }
  if (isWord(third, "operationresults")) {
    return { kind: "operationResult", subscription, provider, location, id };
  }
  return undefined;
}

function segmentsOf(url: string): readonly string[] | undefined {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  // Nearly all are of such characters only, which stand for themselves.
  const isPlain = /^[!-$&-~]*$/.test(path);
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    if (raw === "") continue;
    const segment = isPlain ? raw : decoded(raw);
    if (isStep(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** What cannot be a name comes through, and is refused as one where a name is looked at. */
function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** Whether a text can stand between two slashes; all that is called by a path is of such texts. */
export function isSegment(text: string): boolean {
  // A lone half of a surrogate pair cannot be stored.
  return text !== "" && !/[/\p{Cc}]/u.test(text) && text.isWellFormed() && !isStep(text);
}

function isStep(text: string): boolean {
  return text === "." || text === "..";
}

function isWord(segment: string | undefined, word: string): boolean {
  return segment?.toLowerCase() === word;
}
