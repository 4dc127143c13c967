// Path templates. Two are the same when their literals and the places of their parameters are,
// since documents name the same parameter differently from path to path and are careless about
// case.

export interface PathParts {
  /** As the document has it, without a query. */
  readonly text: string;
  readonly segments: readonly string[];
  /** Equal for paths that mean the same. */
  readonly key: string;
}

export function partsOfPath(text: string): PathParts {
  const segments = text.split("/").filter((segment) => segment !== "");
  return { text, segments, key: keyOfSegments(segments) };
}

export function keyOfSegments(segments: readonly string[]): string {
  return segments
    .map((segment) => `/${segment.replace(/\{[^}]*\}/g, "{}").toLowerCase()}`)
    .join("");
}

/** Such as "{zone_id}"; "{a}.json" is none that could be an id alone. */
export function isParameter(segment: string | undefined): boolean {
  return segment !== undefined && /^\{[^{}]+\}$/.test(segment);
}

export function parameterName(segment: string): string {
  return segment.replace(/^\{|\}$/g, "");
}

export function parametersIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** How many parameters stand at the end. */
export function trailingParameters(segments: readonly string[]): number {
  const last = segments.findLastIndex((segment) => !isParameter(segment));
  return segments.length - 1 - last;
}

export function pathOf(segments: readonly string[]): string {
  return `/${segments.join("/")}`;
}
