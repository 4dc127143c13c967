// Field selectors: metadata.name and metadata.namespace of every kind, and the fields a kind
// declares selectable, each answered by an index. Values may hold escaped commas and signs.

import { badRequest } from "../../intents/refusals.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { Selection } from "../../intents/watch/selection.ts";
import { parseSelector } from "../../kernel/selector.ts";
import type { FieldRequirement } from "../../store/port.ts";

interface Term {
  readonly path: string;
  readonly isEqual: boolean;
  readonly value: string;
}

export function selectionOf(
  { served, version }: Found,
  namespace: string | undefined,
  selectors: { readonly labelSelector: string; readonly fieldSelector: string },
): Selection {
  const labels = parseSelector(selectors.labelSelector);
  const terms = parseFieldSelector(selectors.fieldSelector);
  const chosen: { namespace: string | undefined; name: string | undefined } = {
    namespace,
    name: undefined,
  };
  let isEmpty = false;
  const fields: FieldRequirement[] = [];
  const excluded: { part: "name" | "namespace"; value: string }[] = [];
  for (const { path, isEqual, value } of terms) {
    const isKeyPart = path === "metadata.name" || path === "metadata.namespace";
    if (!isKeyPart) {
      if (!version.definition.selectableFields.includes(`.${path}`)) {
        const { selectableFields } = version.definition;
        throw unknownField(served.kind.origin === "built-in", path, selectableFields);
      }
      const stored = served.storedField(`.${path}`);
      fields.push({ path: stored, operator: isEqual ? "in" : "notin", values: [value] });
      continue;
    }
    const part = path === "metadata.name" ? "name" : "namespace";
    if (!isEqual) {
      excluded.push({ part, value });
      continue;
    }
    const had = chosen[part];
    // What the path says stands: a selector can only narrow it down.
    if (had === undefined) chosen[part] = value;
    else if (had !== value) isEmpty = true;
  }
  return { kind: served.id, ...chosen, labels, fields, excluded, isEmpty };
}

export function parseFieldSelector(text: string): readonly Term[] {
  return [...splitUnescaped(text)]
    .sort()
    .filter((part) => part !== "")
    .map((part) => termOf(part, text))
    .filter(({ path, value }) => path !== "" || value !== "");
}

/** Nothing is escaped before the operator, so the first one that fits separates. */
function termOf(part: string, whole: string): Term {
  for (let at = 0; at < part.length; at++) {
    const operator = ["!=", "==", "="].find((sign) => part.startsWith(sign, at));
    if (operator === undefined) continue;
    const value = part.slice(at + operator.length);
    return { path: part.slice(0, at), isEqual: operator !== "!=", value: unescaped(value) };
  }
  throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
}

function splitUnescaped(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === ",") {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([^]?)|[,=]/gu, (found: string, after: string | undefined) => {
    if (after === undefined) {
      const code = found.charCodeAt(0);
      throw badRequest(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (after !== "" && "\\,=".includes(after)) return after;
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

/** Kinds with selectors of their own refuse in other words than those without. */
function unknownField(isBuiltin: boolean, path: string, selectable: readonly string[]): Error {
  if (!isBuiltin || selectable.length > 0) return badRequest(`field label not supported: ${path}`);
  const known = 'only "metadata.name", "metadata.namespace"';
  return badRequest(`"${path}" is not a known field selector: ${known}`);
}
