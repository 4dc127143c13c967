// Who owns what after a write: the algorithm of server-side apply on sets of fields. A writer owns
// what it changed, an applier what it applies; a changed field is lost by all others, which is a
// conflict for an applier that did not force it. What an applier no longer applies is removed
// unless somebody else owns it. Owners that think in another version are met in that version.

import { isJsonObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Sliced } from "../sliced.ts";
import type { Conflict } from "./conflicts.ts";
import {
  difference,
  intersection,
  isEmptySet,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  unionOf,
} from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { withFields } from "./managed-fields.ts";
import type { Manager, Managers } from "./managed-fields.ts";
import { compareObjects, withoutFields } from "./typed-compare.ts";
import type { Comparison } from "./typed-compare.ts";
import { appliedFields } from "./typed-fields.ts";
import { mergeValues } from "./typed-merge.ts";
import { removeItems, withAtomicContainers, withNamedFields } from "./typed-remove.ts";
import type { TypeNode } from "./type-schema.ts";

/** An object in one of its versions, with the type it has there. */
export interface Versioned {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly type: TypeNode;
}

/** Gives an object in another version, or undefined when that version no longer exists. */
export type Convert = (from: Versioned, apiVersion: string) => Versioned | undefined;

export interface Ownership {
  readonly convert: Convert;
  /** Fields that this endpoint ignores, per version; nobody comes to own them through it. */
  readonly resetFields: (apiVersion: string) => FieldSet;
}

export type Application =
  | { readonly kind: "settled"; readonly managers: Managers; readonly object: JsonObject }
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

export interface Writer {
  readonly id: string;
  readonly manager: Manager;
}

/** After an update: what came and what changed is lost by all owners, for the writer to own. */
export function recordWrite(ownership: Ownership, write: WriteStep): Managers {
  const managers = reconciled(ownership, write.live, write.managers);
  return transfer(ownership, { ...write, managers, writer: undefined }).managers;
}

export interface WriteStep {
  readonly live: Versioned;
  readonly next: Versioned;
  readonly managers: Managers;
  readonly changes: Comparison;
}

export interface ApplyStep {
  readonly live: Versioned;
  readonly config: Versioned;
  readonly managers: Managers;
  readonly writer: Writer;
  readonly force: boolean;
}

/** Merges, prunes and settles who owns what; a conflict leaves everything as it was. */
export function* applyConfig(ownership: Ownership, step: ApplyStep): Sliced<Application> {
  const { live, config, writer, force } = step;
  const managers = new Map(reconciled(ownership, live, step.managers));
  yield;
  const last = managers.get(writer.id);
  const reset = ownership.resetFields(live.apiVersion);
  const applied = union(appliedFields(config.object, config.type), metadataSet);
  managers.set(writer.id, withFields(writer.manager, recursiveDifference(applied, reset)));
  const merged = { ...live, object: objectOf(mergeValues(live.object, config.object, live.type)) };
  yield;
  const next = yield* pruned(ownership, merged, managers, last);
  yield;
  const changes = withoutFields(compareObjects(live.object, next.object, live.type), reset);
  yield;
  const settled = transfer(ownership, { live, next, managers, writer: writer.id, changes });
  if (!force && settled.lost.length > 0) {
    return { kind: "conflict", conflicts: conflictsOf(settled.lost) };
  }
  return { kind: "settled", managers: settled.managers, object: next.object };
}

function conflictsOf(losses: readonly Loss[]): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const { manager, fields } of losses) {
    for (const path of pathsOf(fields)) conflicts.push({ manager, path });
  }
  return conflicts;
}

/** Metadata is never pruned as a whole, whoever applied a part of it. */
const metadataSet = setOf(["f:metadata"]);

interface TransferInput {
  readonly live: Versioned;
  readonly next: Versioned;
  readonly managers: Managers;
  /** The manager that writes, if it is among those that could lose fields. */
  readonly writer: string | undefined;
  readonly changes: Comparison;
}

interface Loss {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

interface Transfer {
  readonly managers: Managers;
  /** What others owned and the write has changed. */
  readonly lost: readonly Loss[];
}

function transfer(ownership: Ownership, input: TransferInput): Transfer {
  const { live, managers, writer, changes } = input;
  const effects = new Map<string, Effect | undefined>([[live.apiVersion, effectOf(changes)]]);
  const settled = new Map<string, Manager>();
  const losses: Loss[] = [];
  for (const [id, manager] of managers) {
    if (id === writer) {
      settled.set(id, manager);
      continue;
    }
    const { apiVersion } = manager;
    if (!effects.has(apiVersion)) effects.set(apiVersion, effectIn(ownership, input, apiVersion));
    const effect = effects.get(apiVersion);
    if (effect === undefined) continue;
    const lost = intersection(manager.fields, effect.taken);
    if (!isEmptySet(lost)) losses.push({ manager, fields: lost });
    settled.set(id, without(without(manager, lost), effect.removed));
  }
  for (const [id, { fields }] of settled) if (isEmptySet(fields)) settled.delete(id);
  return { managers: settled, lost: losses };
}

function without(manager: Manager, fields: FieldSet): Manager {
  if (isEmptySet(fields) || isEmptySet(intersection(manager.fields, fields))) return manager;
  return withFields(manager, difference(manager.fields, fields));
}

/** What a write does to all who do not write: these fields are taken, those are gone. */
interface Effect {
  readonly taken: FieldSet;
  readonly removed: FieldSet;
}

function effectOf({ added, modified, removed }: Comparison): Effect {
  return { taken: union(modified, added), removed };
}

/** The effect as seen in another version; undefined when there is no such version any more. */
function effectIn(
  ownership: Ownership,
  { live, next }: TransferInput,
  apiVersion: string,
): Effect | undefined {
  const before = ownership.convert(live, apiVersion);
  const after = ownership.convert(next, apiVersion);
  if (before === undefined || after === undefined) return undefined;
  const changes = compareObjects(before.object, after.object, before.type);
  return effectOf(withoutFields(changes, ownership.resetFields(apiVersion)));
}

/** Removes what the applier applied last time, not this time, and nobody else owns. */
function* pruned(
  ownership: Ownership,
  merged: Versioned,
  managers: Managers,
  last: Manager | undefined,
): Sliced<Versioned> {
  if (last === undefined || isEmptySet(last.fields)) return merged;
  const converted = ownership.convert(merged, last.apiVersion);
  if (converted === undefined) return merged;
  const lastFields = withNamedFields(last.fields, converted.type);
  yield;
  const removed = withRemoved(converted, lastFields);
  yield;
  const owned = yield* withOwnedItems(ownership, converted, removed, managers);
  yield;
  const dangling = yield* withDanglingItems(ownership, converted, owned, last);
  return ownership.convert(dangling, merged.apiVersion) ?? merged;
}

/** Puts back what anybody, the new configuration included, owns. */
function* withOwnedItems(
  ownership: Ownership,
  merged: Versioned,
  removed: Versioned,
  managers: Managers,
): Sliced<Versioned> {
  const owned = Map.groupBy(managers.values(), ({ apiVersion }) => apiVersion);
  const versions = [...owned.keys()].filter((version) => version !== removed.apiVersion);
  if (owned.has(removed.apiVersion)) versions.unshift(removed.apiVersion);
  let whole = merged;
  let kept = removed;
  for (const version of versions) {
    const wholeThere = ownership.convert(whole, version);
    const keptThere = ownership.convert(kept, version);
    if (wholeThere === undefined || keptThere === undefined) continue;
    const { type } = wholeThere;
    const sets = (owned.get(version) ?? []).map(({ fields }) => fields);
    const fields = withNamedFields(unionOf(sets), type);
    yield;
    const keptFields = union(namedFields(keptThere), fields);
    yield;
    const all = namedFields(wholeThere);
    yield;
    const excess = difference(all, keptFields);
    whole = wholeThere;
    kept = withRemoved(wholeThere, excess);
  }
  return kept;
}

/** Puts back what the applier did not own: nobody may remove what was never theirs. */
function* withDanglingItems(
  ownership: Ownership,
  merged: Versioned,
  kept: Versioned,
  last: Manager,
): Sliced<Versioned> {
  const converted = ownership.convert(kept, last.apiVersion);
  if (converted === undefined) return merged;
  const all = namedFields(merged);
  yield;
  const missing = difference(all, namedFields(converted));
  yield;
  return withRemoved(merged, intersection(missing, withNamedFields(last.fields, merged.type)));
}

function namedFields({ object, type }: Versioned): FieldSet {
  return withNamedFields(appliedFields(object, type), type);
}

function withRemoved(from: Versioned, fields: FieldSet): Versioned {
  if (isEmptySet(fields)) return from;
  return { ...from, object: objectOf(removeItems(from.object, from.type, fields)) };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Managers of versions that are gone are dropped; the others follow the schema of today. */
function reconciled(ownership: Ownership, live: Versioned, managers: Managers): Managers {
  const types = new Map<string, TypeNode | undefined>([[live.apiVersion, live.type]]);
  let out: Map<string, Manager> | undefined;
  for (const [id, manager] of managers) {
    const { apiVersion } = manager;
    if (!types.has(apiVersion)) types.set(apiVersion, ownership.convert(live, apiVersion)?.type);
    const type = types.get(apiVersion);
    const fields = type === undefined ? undefined : withAtomicContainers(manager.fields, type);
    if (fields === manager.fields) continue;
    out ??= new Map(managers);
    if (fields === undefined) out.delete(id);
    else out.set(id, withFields(manager, fields));
  }
  return out ?? managers;
}
