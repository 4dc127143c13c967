// A field that was secret or write-only must not become readable with the values that are stored in
// it. A definition that drops such a rule, or the field, is refused while a resource has a value
// there. Once none has, the earlier states of the kind are erased, because they still have theirs.

import { decodeDocument } from "../../kernel/document.ts";
import { forbiddenField } from "../../kernel/field-error.ts";
import type { CompiledFieldRule, FieldRule } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import { formatReference, keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import { kindOfDefinition } from "../kinds/definition.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import { invalid } from "../refusals.ts";
import type { Target } from "../request.ts";
import { hiddenPlaces, isHiding } from "../write/hidden-fields.ts";
import type { AdmissionPlugin } from "./admission.ts";

type GuardedStore = Pick<Store, "changes" | "erase" | "head" | "list">;

export function hiddenFieldGuard(store: GuardedStore): AdmissionPlugin {
  return {
    name: "HiddenFields",
    validate: ({ target, object, old, isDryRun }) => {
      const isUpdate = target.served.id === definitionsKind && target.subresource === "";
      if (!isUpdate || object === undefined || old === undefined) return undefined;
      const dropped = droppedRules(old, object);
      if (dropped.length === 0) return undefined;
      return uncover(store, { definition: target, dropped, isDryRun });
    },
  };
}

/** The hiding rules of a definition whose fields its next form does not hide. */
export function droppedRules(old: Resource, next: Resource): readonly CompiledFieldRule[] {
  const kept = new Set(hidingRules(next).map(({ path }) => path));
  return hidingRules(old)
    .filter(({ path }) => !isCovered(kept, path))
    .map(({ path, rule }) => ({ path, rule, segments: parsePointer(path) }));
}

/** Whether a rule is for the field, or for one that contains it. */
function isCovered(paths: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (paths.has(path.slice(0, end))) return true;
  }
  return false;
}

function hidingRules(definition: Resource): readonly FieldRule[] {
  return (kindOfDefinition(definition).fieldRules ?? []).filter(isHiding);
}

interface Uncovered {
  readonly definition: Target;
  readonly dropped: readonly CompiledFieldRule[];
  readonly isDryRun: boolean;
}

async function uncover(
  store: GuardedStore,
  { definition, dropped, isDryRun }: Uncovered,
): Promise<void> {
  const { name: kind, served } = definition;
  const holders: ResourceKey[] = [];
  for await (const { key, body, revision } of recordsOf(store, kind)) {
    const places = hiddenPlaces({ fieldRules: dropped }, decodeDocument(body, revision));
    if (places.length > 0) holders.push(key);
    if (holders.length > limits.maxNamedMisfits) break;
  }
  if (holders.length > 0) {
    const problem = forbiddenField("spec.versions", stillStored(dropped, holders));
    throw invalid(served.kind, kind, [problem]);
  }
  if (isDryRun) return;
  for (const key of await keysOf(store, kind)) await store.erase({ kind: "earlier", key });
}

async function* recordsOf(store: Pick<Store, "list">, kind: string) {
  const query = { kind, limit: limits.defaultPageItems };
  let page = await store.list(query);
  for (;;) {
    yield* page.records;
    if (page.next === undefined) return;
    page = await store.list({ ...query, from: page.next });
  }
}

/** Every key of the kind that has a past. */
async function keysOf(store: GuardedStore, kind: string): Promise<readonly ResourceKey[]> {
  const keys = new Map<string, ResourceKey>();
  const { compacted, revision } = await store.head();
  for (let after = compacted; after < revision;) {
    const page = await store.changes(after, limits.eventPageItems, { kinds: [kind] });
    for (const { key } of page.changes) keys.set(keyText(key), key);
    if (page.through <= after) break;
    after = page.through;
  }
  return [...keys.values()];
}

function stillStored(
  dropped: readonly CompiledFieldRule[],
  holders: readonly ResourceKey[],
): string {
  const fields = dropped.map(({ path }) => path).join(", ");
  const named = holders.slice(0, limits.maxNamedMisfits).map(formatReference).join(", ");
  const more = holders.length > limits.maxNamedMisfits ? " and others" : "";
  return (
    `must keep the rule that hides ${fields}, because ${named}${more} have values there: ` +
    "set the field to null in these resources first"
  );
}
