// The one place that builds the URLs of the console. Pages never join strings to a path.

export const base = "/console";

/** A kind as the REST API names it: plural and group, such as databases.shop.example. */
export type KindId = string;

export interface ResourceAddress {
  readonly kind: KindId;
  /** Empty for a resource of a cluster-wide kind. */
  readonly namespace: string;
  readonly name: string;
}

export type ResourceTab = "why" | "status" | "events" | "history" | "yaml" | "related";

export type FleetTab = "clusters" | "instances" | "rollouts" | "offerings" | "organisations";

type Query = Readonly<Record<string, string | number | undefined>>;

export const paths = {
  overview: (query: Query = {}) => path(["/"], query),
  explorer: (query: Query = {}) => path(["x"], query),
  kind: (kind: KindId, query: Query = {}) => path(["x", kind], query),
  create: (kind: KindId, query: Query = {}) => path(["x", kind, "new"], query),
  resource: (address: ResourceAddress, tab?: ResourceTab, query: Query = {}) =>
    path(["x", address.kind, address.namespace || "-", address.name, ...(tab ? [tab] : [])], query),
  environments: (query: Query = {}) => path(["environments"], query),
  environment: (namespace: string, name: string, tab?: string, query: Query = {}) =>
    path(["environments", namespace, name, ...(tab ? [tab] : [])], query),
  fleet: (tab?: FleetTab, query: Query = {}) => path(["fleet", ...(tab ? [tab] : [])], query),
  fleetItem: (tab: FleetTab, name: string, query: Query = {}) => path(["fleet", tab, name], query),
  fleetInstance: (offering: string, namespace: string, name: string) =>
    path(["fleet", "instances", offering, namespace, name], {}),
  gitops: (query: Query = {}) => path(["gitops"], query),
  deployment: (namespace: string, name: string, tab?: string, query: Query = {}) =>
    path(["gitops", namespace, name, ...(tab ? [tab] : [])], query),
  connect: (query: Query = {}) => path(["connect"], query),
  connection: (name: string, tab?: string, query: Query = {}) =>
    path(["connect", name, ...(tab ? [tab] : [])], query),
  providers: (query: Query = {}) => path(["providers"], query),
  subscription: (id: string, tab?: string, query: Query = {}) =>
    path(["providers", id, ...(tab ? [tab] : [])], query),
  activity: (query: Query = {}) => path(["activity"], query),
  reference: (query: Query = {}) => path(["reference"], query),
  signIn: (next?: string) => path(["sign-in"], { next }),
  settings: (query: Query = {}) => path(["settings"], query),
} as const;

/** The same page with some values of the query changed; undefined removes a value. */
export function withQuery(href: string, changes: Query): string {
  const [before = "", text = ""] = href.split("?");
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  return query.size === 0 ? before : `${before}?${query.toString()}`;
}

function path(parts: readonly string[], query: Query): string {
  const folders = parts.filter((part) => part !== "/").map(encodeURIComponent);
  return withQuery(`${base}/${folders.join("/")}`, query);
}
