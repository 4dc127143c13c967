// Requests of commands to the REST API: the path of a route for a resource, with its query.

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** "/api/v1/WORD/..." with the parameters that have a value. */
export function restPath(segments: readonly string[], query: Query = {}): string {
  const path = segments.map((segment) => encodeURIComponent(segment)).join("/");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  return `/api/v1/${path}${search.size === 0 ? "" : `?${search.toString()}`}`;
}

/** Plural and group, as the REST API names a kind. */
export function kindIdOf({
  plural,
  group,
}: {
  readonly plural: string;
  readonly group: string;
}): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/**
 * The kind of a resource from its path in the Kubernetes API:
 * "/apis/shop.example/v1/namespaces/team/databases/orders" or "/api/v1/namespaces/team".
 */
export function kindIdOfPath(path: string): string {
  const parts = path.split("/").slice(1);
  const group = parts[0] === "apis" ? (parts[1] ?? "") : "";
  const rest = parts.slice(parts[0] === "apis" ? 3 : 2);
  const plural = rest.length === 4 ? (rest[2] ?? "") : (rest[0] ?? "");
  return kindIdOf({ plural, group });
}
