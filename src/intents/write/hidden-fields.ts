// Fields that clients may write but never see. They are taken out of what is shown, so a client
// that reads, edits and writes back does not send them: what it leaves out is kept as it is
// stored. Writing null removes such a field. The copy of the document that client-side `kubectl
// apply` puts into an annotation would show them after all, so it is stored without them.

import { lastAppliedAnnotation } from "../../kernel/apply/last-applied.ts";
import { parseExact } from "../../kernel/int64.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import type { CompiledFieldRule, Kind } from "../../kernel/kind.ts";
import { getAt, setEach } from "../../kernel/pointer.ts";
import type { Tokens } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";

type Ruled = Pick<Kind, "fieldRules">;

export function isHiding({ rule }: Pick<CompiledFieldRule, "rule">): boolean {
  return rule === "write-only" || rule === "secret";
}

/** The document without what its kind never shows. */
export function withoutHidden<T extends Json>(kind: Ruled, document: T): T {
  let shown: Json = document;
  for (const rule of kind.fieldRules) {
    if (isHiding(rule)) shown = removed(shown, rule.segments, 0);
  }
  return shown as T;
}

/**
 * Whether a place is hidden, lies within something hidden, or may hold something hidden. Rules
 * alone decide, and not what is stored: an answer that depends on it would tell of it. An index
 * below zero, which counts from the end, can be any.
 */
export function touchesHidden(kind: Ruled, place: Tokens): boolean {
  return kind.fieldRules.some(
    (rule) =>
      isHiding(rule) &&
      rule.segments.every((segment, depth) => {
        const token = place[depth];
        if (token === undefined) return true;
        return segment === "*" || segment === token || /^-\d/.test(token);
      }),
  );
}

/** Where a document has hidden values. */
export function hiddenPlaces(kind: Ruled, document: Json): readonly Tokens[] {
  return kind.fieldRules.flatMap((rule) =>
    isHiding(rule) ? pathsOf(document, rule.segments, 0) : [],
  );
}

/** All texts within the hidden values of a document. */
export function hiddenTexts(kind: Ruled, document: Json): readonly string[] {
  return hiddenPlaces(kind, document).flatMap((place) => textsIn(getAt(document, place)));
}

/** The document with nothing hidden in the annotation that repeats what was applied. */
export function withoutHiddenCopy(kind: Kind, resource: Resource): Resource {
  const { annotations = {} } = resource.metadata;
  const text = getOwn(annotations, lastAppliedAnnotation);
  const applied = typeof text === "string" ? parsed(text) : undefined;
  if (!isJsonObject(applied)) return resource;
  const shown = withoutHidden(kind, applied as Resource);
  if (equalJson(shown, applied)) return resource;
  const clean = { ...annotations, [lastAppliedAnnotation]: `${JSON.stringify(shown)}\n` };
  return { ...resource, metadata: { ...resource.metadata, annotations: clean } };
}

/**
 * For whole documents, whose senders cannot know what is hidden. A patch is applied to the stored
 * document with its hidden fields, so that what a patch takes away is meant to go.
 */
export function keepHidden<T extends Json>(kind: Ruled, next: T, old: Json, sent: Json = next): T {
  let kept: Json = next;
  for (const rule of kind.fieldRules) {
    if (!isHiding(rule)) continue;
    const missing: { readonly tokens: Tokens; readonly value: Json }[] = [];
    for (const path of pathsOf(old, rule.segments, 0)) {
      const parent = getAt(kept, path.slice(0, -1));
      const last = path.at(-1) ?? "";
      if (!isJsonObject(parent) || getOwn(parent, last) !== undefined) continue;
      if (getAt(sent, path) === null) continue;
      const value = getAt(old, path);
      if (value !== undefined) missing.push({ tokens: path, value });
    }
    if (missing.length > 0) kept = setEach(kept, missing);
  }
  return kept as T;
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
}

function removed(at: Json, segments: Tokens, depth: number): Json {
  const segment = segments[depth];
  if (segment === undefined) return at;
  const isLast = depth === segments.length - 1;
  if (isJsonArray(at)) {
    return at.flatMap((item, index) => {
      if (segment !== "*" && segment !== String(index)) return [item];
      return isLast ? [] : [removed(item, segments, depth + 1)];
    });
  }
  if (!isJsonObject(at)) return at;
  const entries = Object.entries(at).flatMap(([key, value]): [string, Json][] => {
    if (segment !== "*" && segment !== key) return [[key, value]];
    return isLast ? [] : [[key, removed(value, segments, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function pathsOf(at: Json, segments: Tokens, depth: number, path: Tokens = []): readonly Tokens[] {
  const segment = segments[depth];
  if (segment === undefined) return [path];
  if (!isJsonObject(at) && !isJsonArray(at)) return [];
  const keys = segment === "*" ? Object.keys(at) : [segment];
  return keys.flatMap((key) => {
    const child = isJsonArray(at) ? at[Number(key)] : getOwn(at, key);
    if (child === undefined) return [];
    return pathsOf(child, segments, depth + 1, [...path, key]);
  });
}
