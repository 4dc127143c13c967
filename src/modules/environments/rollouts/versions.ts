// Versions of a Template by their names, ID.vN. Pure.

/** "shop" for "shop.v2"; the whole name when it has no version. */
export function templateIdOf(name: string): string {
  return name.replace(/\.v\d+$/, "");
}

/** The templates with the version of one of them replaced. */
export function templatesWith(templates: readonly string[], wanted: string): readonly string[] {
  const id = templateIdOf(wanted);
  return templates.map((name) => (templateIdOf(name) === id ? wanted : name));
}

export function usesOtherVersion(templates: readonly string[], wanted: string): boolean {
  const id = templateIdOf(wanted);
  return templates.some((name) => name !== wanted && templateIdOf(name) === id);
}
