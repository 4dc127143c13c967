// Which kinds are published: patterns such as "environments.environments.setpoint.dev", "*.GROUP"
// or "*". A pattern "!PLURAL.GROUP" takes a kind out of all of them.

export type WantedKinds = (kindId: string) => boolean;

/** `isServed` is false for records of the server itself and for kinds that were deleted. */
export function wantedKinds(
  patterns: readonly string[],
  isServed: (kindId: string) => boolean,
): WantedKinds {
  const exact = new Set(patterns.filter((pattern) => !pattern.startsWith("*")));
  const groups = new Set(patterns.filter((each) => each.startsWith("*.")).map((p) => p.slice(2)));
  const isAll = patterns.includes("*");
  const left = new Set(patterns.filter((each) => each.startsWith("!")).map((p) => p.slice(1)));
  return (kindId) => {
    if (left.has(kindId)) return false;
    if (exact.has(kindId) || groups.has(groupOf(kindId))) return true;
    return isAll && isServed(kindId);
  };
}

/** The plural has no dot. */
export function groupOf(kindId: string): string {
  const dot = kindId.indexOf(".");
  return dot === -1 ? "" : kindId.slice(dot + 1);
}
