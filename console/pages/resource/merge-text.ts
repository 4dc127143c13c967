// The changes of the user, applied to a newer revision. A field that both changed keeps the value
// of the user, and is reported. Lists are values as a whole.

import { parseDocument } from "yaml";

export interface Merged {
  readonly text: string;
  /** Fields that both changed, as paths. */
  readonly conflicts: readonly string[];
}

type Path = readonly string[];

export function mergeText(base: string, mine: string, theirs: string): Merged {
  const [before, wanted, newer] = [base, mine, theirs].map(
    (text) => parseDocument(text).toJS() as unknown,
  );
  const result = parseDocument(theirs);
  const conflicts: string[] = [];
  for (const { path, value } of changesOf(before, wanted, [])) {
    const [old, now] = [valueAt(before, path), valueAt(newer, path)];
    if (!isEqual(old, now) && !isEqual(now, value)) conflicts.push(path.join("."));
    // The revision is that of the newer document: it is the precondition of the write.
    if (path.join(".") === "metadata.resourceVersion") continue;
    if (value === undefined) result.deleteIn(path);
    else result.setIn(path, value);
  }
  return { text: result.toString(), conflicts };
}

interface Changed {
  readonly path: Path;
  readonly value: unknown;
}

function changesOf(before: unknown, after: unknown, path: Path): readonly Changed[] {
  if (isEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, value: after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changesOf(before[name], after[name], [...path, name]));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
