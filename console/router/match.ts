// Which route a path belongs to. Patterns are segments; `:name` takes one segment and `*` the rest.

export interface Matched<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

export function matchRoute<R extends { readonly pattern: string }>(
  routes: readonly R[],
  path: string,
): Matched<R> | undefined {
  for (const route of routes) {
    const params = matchPattern(route.pattern, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

export function matchPattern(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const wanted = segmentsOf(pattern);
  const given = segmentsOf(path);
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part === "*") {
      params["rest"] = given.slice(index).map(decoded).join("/");
      return params;
    }
    const value = given[index];
    if (value === undefined) return undefined;
    if (part.startsWith(":")) params[part.slice(1)] = decoded(value);
    else if (part !== value) return undefined;
  }
  return wanted.length === given.length ? params : undefined;
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link that was cut in the middle of an escape: show it as it is.
    return segment;
  }
}
