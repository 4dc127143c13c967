// Path templates such as "/api/v1/history/{kind}/{name}". A parameter is a whole segment and never
// empty. Values are percent-decoded once; a value that cannot be decoded matches nothing. The
// template "/" has no segments: it is the base path of mounted routes.

export interface PathTemplate {
  readonly text: string;
  readonly segments: readonly Segment[];
}

export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "parameter"; readonly name: string };

const parameterPattern = /^\{([a-z][A-Za-z0-9]*)\}$/;
const literalPattern = /^[A-Za-z0-9._-]+$/;

/** Undefined when the text is not a template. */
export function parseTemplate(text: string): PathTemplate | undefined {
  if (!text.startsWith("/")) return undefined;
  if (text === "/") return { text, segments: [] };
  const segments: Segment[] = [];
  const names = new Set<string>();
  for (const part of text.slice(1).split("/")) {
    const name = parameterPattern.exec(part)?.[1];
    if (name === undefined && !literalPattern.test(part)) return undefined;
    if (name === undefined) segments.push({ kind: "literal", text: part });
    else if (names.has(name)) return undefined;
    else {
      names.add(name);
      segments.push({ kind: "parameter", name });
    }
  }
  return { text, segments };
}

export function parameterNames({ segments }: PathTemplate): readonly string[] {
  return segments.flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
}

/** The decoded segments of a path without its query; undefined when one cannot be decoded. */
export function pathSegments(path: string): readonly string[] | undefined {
  const rest = path.replace(/^\/+/, "");
  if (rest === "") return [];
  const parts = rest.split("/");
  try {
    return parts.map((part) => (part.includes("%") ? decodeURIComponent(part) : part));
  } catch {
    // Not valid percent-encoding: no route has such a path.
    return undefined;
  }
}

/** The parameters of a path that matches; undefined when it does not. */
export function matchTemplate(
  { segments }: PathTemplate,
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (segments.length !== path.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const value = path[at] ?? "";
    if (segment.kind === "literal") {
      if (segment.text !== value) return undefined;
    } else if (value === "") return undefined;
    else values[segment.name] = value;
  }
  return values;
}
