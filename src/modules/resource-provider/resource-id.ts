// The id of a resource in the Azure Resource Manager, in parts. Names and types keep the case in
// which they were written.

/** Names and types in the case of the URL; the last type has no name in a collection. */
export interface ArmPlace {
  readonly subscription: string;
  /** Absent where a whole subscription is meant. */
  readonly group: string | undefined;
  readonly provider: string;
  readonly types: readonly string[];
  readonly names: readonly string[];
}

/** The id of a resource, in the case that the place has. */
export function idOfPlace({ subscription, group, provider, types, names }: ArmPlace): string {
  const inGroup = group === undefined ? "" : `/resourceGroups/${group}`;
  const parts = types.map((type, at) => `${type}/${names[at] ?? ""}`);
  return `/subscriptions/${subscription}${inGroup}/providers/${provider}/${parts.join("/")}`;
}

/** The end of an id, as messages name a resource: "Example.Shop/shops/one/shelves/two". */
export function shortId(
  { provider, type }: { readonly provider: string; readonly type: string },
  { names }: Pick<ArmPlace, "names">,
): string {
  const parts = type.split("/").map((each, at) => `${each}/${names[at] ?? ""}`);
  return `${provider}/${parts.join("/")}`;
}

/** "clusters/pools", as faces name their types. */
export function typeOfPlace({ types }: Pick<ArmPlace, "types">): string {
  return types.join("/");
}

/** The resource around a nested one. */
export function parentOf(place: ArmPlace): ArmPlace | undefined {
  if (place.types.length < 2) return undefined;
  return { ...place, types: place.types.slice(0, -1), names: place.names.slice(0, -1) };
}
