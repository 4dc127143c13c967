// Where a walk through a document is: the keys and indices from its root. Walks push and pop one
// shared list, and make a text of it only when there is something to report, because the hot
// path reports nothing.

export type Trail = (string | number)[];

/** "spec.ports[0].name" */
export function formatTrail(trail: Readonly<Trail>): string {
  let text = "";
  for (const step of trail) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** The same with one more key. */
export function formatChild(trail: Readonly<Trail>, key: string): string {
  return trail.length === 0 ? key : `${formatTrail(trail)}.${key}`;
}

/** "spec.versions" and "name" make "spec.versions.name"; nothing and "name" make "name". */
export function childPath(path: string, child: string): string {
  return path === "" ? child : `${path}.${child}`;
}

/** A path as field errors show it: the document itself has none. */
export function shownPath(path: string): string {
  return path === "" ? "<nil>" : path;
}
