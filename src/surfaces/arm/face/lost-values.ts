// What a function of a face wants stored and its kind does not have is pruned as it is stored. The
// client has done nothing wrong and cannot mend it, and a function that gives more than the kind
// has may mean no harm by it, so the write goes on; the author finds in the log what was lost.

import type { ServedVersion } from "../../../intents/kinds/served-kind.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Addressed } from "../request/addressed.ts";
import type { ArmSurface } from "../request/surface-state.ts";

export interface WantedDocument {
  readonly wanted: Resource;
  /** What is stored, where anything is. */
  readonly old?: Resource | undefined;
  /** The action that wants it; otherwise it is a PUT or PATCH. */
  readonly action?: string;
}

/** The document as it can be stored. Fields are told once for each schema of the kind. */
export function storable(
  { onMistake }: Pick<ArmSurface, "onMistake">,
  { face, version, target }: Pick<Addressed, "face" | "version" | "target">,
  { wanted, old, action }: WantedDocument,
): Resource {
  const { type } = target.version;
  const { resource, unknown } = type.prune(wanted);
  if (unknown.length === 0 || onMistake === undefined) return resource;
  // What a former schema had is nothing that anybody wants now.
  const former = new Set(old === undefined ? [] : type.prune(old).unknown);
  const fields = unknown.filter((field) => field.startsWith("spec") && !former.has(field));
  const { apiVersion } = version;
  const untold = untoldOf(target.version, `${apiVersion} ${action ?? ""}`, fields);
  if (untold.length === 0) return resource;
  onMistake({
    what: "lost",
    type: `${face.provider}/${face.type}`,
    kind: face.kind,
    apiVersion,
    ...(action === undefined ? {} : { action }),
    fields: untold,
  });
  return resource;
}

/** There may be as many as clients have keys of maps. */
const maxTold = 100;
const told = new WeakMap<ServedVersion, Set<string>>();

function untoldOf(
  version: ServedVersion,
  by: string,
  fields: readonly string[],
): readonly string[] {
  const known = told.get(version) ?? new Set();
  told.set(version, known);
  return fields.flatMap((field) => {
    const path = field.replaceAll(/\[\d+\]/g, "[]");
    const key = `${by} ${path}`;
    if (known.has(key) || known.size >= maxTold) return [];
    known.add(key);
    return [path];
  });
}
