// The one entry to field ownership. Every create, update and patch goes through `recordUpdate`,
// which notes who wrote what in metadata.managedFields; server-side apply goes through
// `applyConfiguration`, which merges, prunes and finds conflicts. Both are pure: the time is handed
// in, nothing given is changed, and an object that did not change keeps its entries as they are.
// Both yield between their steps, since each step may take long for a large document.

import type { FieldError } from "../field-error.ts";
import { equalJson, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { textAt } from "../json-read.ts";
import type { Sliced } from "../sliced.ts";
import { conflictCauses, conflictMessage } from "./conflicts.ts";
import type { ConflictCause } from "./conflicts.ts";
import {
  difference,
  emptySet,
  hasPath,
  isEmptySet,
  recursiveDifference,
  setOf,
  union,
} from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import {
  decodeManagedFields,
  encodeManagers,
  isReset,
  managerId,
  withFields,
} from "./managed-fields.ts";
import type { Manager, Managers, Operation } from "./managed-fields.ts";
import {
  managedFieldsOf,
  withManagedFields,
  withoutManagedFields,
  withoutNulls,
} from "./managed-object.ts";
import { cappedManagers } from "./manager-cap.ts";
import { checkManagers, checkOwnedFields } from "./owned-fields.ts";
import { applyConfig, recordWrite } from "./ownership.ts";
import type { Application, Convert, Ownership, Versioned, Writer } from "./ownership.ts";
import {
  compareObjects,
  unchanged,
  untrackedKeys,
  untrackedMetadata,
  withoutFields,
} from "./typed-compare.ts";
import type { Comparison } from "./typed-compare.ts";
import { presentKeys } from "./typed-fields.ts";
import { misfits } from "./typed-validate.ts";
import { objectMetaType } from "./type-schema.ts";
import type { TypeNode } from "./type-schema.ts";

export interface WriteContext {
  /** Who writes; an empty name is recorded as "unknown". */
  readonly manager: string;
  /** The version in which the objects are given. */
  readonly apiVersion: string;
  readonly type: TypeNode;
  /** The subresource written through; empty or absent for the object itself. */
  readonly subresource?: string;
  /** RFC 3339 in seconds, as in "2026-01-31T12:00:00Z". */
  readonly now: string;
  /** What this endpoint ignores in a version; see `resetFieldsOf`. */
  readonly resetFields?: FieldSet | ((apiVersion: string) => FieldSet);
  /**
   * What an object of the kind has before anything is set, as in `{ spec: {} }`: nobody comes to
   * own these containers by creating it. Kubernetes has them in its built-in kinds only.
   */
  readonly skeleton?: JsonObject;
  /** Other versions of the object; without it all versions are taken to be alike. */
  readonly convert?: Convert;
}

export interface UpdateInput extends WriteContext {
  /** Absent when the object is created. */
  readonly live: JsonObject | undefined;
  readonly next: JsonObject;
}

export interface ApplyInput extends WriteContext {
  /** Absent when the object is created. */
  readonly live: JsonObject | undefined;
  readonly config: JsonObject;
  readonly force: boolean;
  /** The kind the configuration must be of; by default that of the live object. */
  readonly kind?: string;
}

export type ApplyOutcome =
  | {
      readonly kind: "applied";
      readonly object: JsonObject;
      readonly managedFields: readonly JsonObject[];
    }
  | {
      readonly kind: "conflict";
      readonly message: string;
      readonly causes: readonly ConflictCause[];
    }
  /** The request is wrong (400). */
  | { readonly kind: "bad-request"; readonly message: string }
  /** The stored owners cannot be read; the Kubernetes API answers 500 without a reason. */
  | { readonly kind: "invalid"; readonly message: string }
  /** The configuration does not fit its type, for which the Kubernetes API answers 500 as well. */
  | {
      readonly kind: "misfit";
      readonly message: string;
      readonly errors: readonly FieldError[];
    };

/** The fields an endpoint resets: the object itself ignores status, /status ignores spec. */
export function resetFieldsOf(subresource: string, hasStatus: boolean): FieldSet {
  if (subresource === "status") return specSet;
  return hasStatus ? statusSet : emptySet;
}

/** The next object with managedFields as they are after this write. */
export function* recordUpdate(input: UpdateInput): Sliced<JsonObject> {
  const { live, next } = input;
  const metadata = next["metadata"];
  if (!isJsonObject(metadata)) return next;
  checkOwnedFields(next, live, input.type);
  checkManagers(metadata["managedFields"], managedFieldsOf(live));
  if (live === undefined) return yield* recordCreate(input, metadata);
  yield;
  const changes = compareObjects(live, next, input.type);
  const stored = managedFieldsOf(live);
  const sent = isSubresource(input) ? stored : metadata["managedFields"];
  if (changes === unchanged && isJsonArray(stored) && stored.length > 0) {
    const isKept = sent === undefined || sent === null || equalJson(sent, stored);
    if (isKept) return withManagedFields(next, metadata, stored);
  }
  if (isReset(sent) && !isSubresource(input)) return withManagedFields(next, metadata, undefined);
  yield;
  const managers = decodedOr(sent, decodedOr(stored, noManagers));
  if (managers.size === 0) return withManagedFields(next, metadata, undefined);
  yield;
  const written = writtenManagers(input, { live, next, managers, changes });
  yield;
  const entries = encodeManagers(cappedManagers(written));
  checkManagers(entries, stored);
  return withManagedFields(next, metadata, entries);
}

/** Merges a configuration into the live object on behalf of its manager. */
export function* applyConfiguration(input: ApplyInput): Sliced<ApplyOutcome> {
  const { config, type, manager, apiVersion } = input;
  checkOwnedFields(config, undefined, type);
  const problem = requestProblem(input);
  if (problem !== undefined) return { kind: "bad-request", message: problem };
  const decoded = decodeManagedFields(managedFieldsOf(input.live));
  if (decoded.kind === "malformed") {
    const message = `failed to decode managed fields: ${decoded.problem}`;
    return { kind: "invalid", message };
  }
  const errors = misfits(config, type);
  if (errors.length > 0) {
    const message = `failed to create typed patch object (${objectLabel(config)})`;
    return { kind: "misfit", message, errors };
  }
  yield;
  const object = withoutManagedFields(input.live ?? emptyObject(config));
  const live: Versioned = { object, apiVersion, type };
  const managers = decoded.managers.size > 0 ? decoded.managers : firstManagers(input, live);
  const outcome = yield* attempted(input, live, managers);
  yield;
  if (outcome.kind === "conflict") {
    const { conflicts } = outcome;
    return {
      kind: "conflict",
      message: conflictMessage(conflicts),
      causes: conflictCauses(conflicts),
    };
  }
  const settled = settledManagers(input, outcome, live);
  yield;
  const merged = manager === "kubectl" ? withLastApplied(outcome.object, config) : outcome.object;
  checkOwnedFields(merged, input.live, type);
  yield;
  const managedFields = encodeManagers(settled) ?? [];
  checkManagers(managedFields, managedFieldsOf(input.live));
  const metadata = isJsonObject(merged["metadata"]) ? merged["metadata"] : {};
  const clean = withoutNulls(metadata);
  const applied = withManagedFields(merged, clean, managedFields);
  return { kind: "applied", object: applied, managedFields };
}

const specSet = setOf(["f:spec"]);
const statusSet = setOf(["f:status"]);
const untrackedSet = setOf(
  ...[...untrackedKeys].map((key) => [`f:${key}`]),
  ...[...untrackedMetadata].map((key) => ["f:metadata", `f:${key}`]),
);
const noManagers: Managers = new Map();

function isSubresource({ subresource }: WriteContext): boolean {
  return subresource !== undefined && subresource !== "";
}

function* recordCreate(input: UpdateInput, metadata: JsonObject): Sliced<JsonObject> {
  const { next } = input;
  const sent = isSubresource(input) || isReset(metadata["managedFields"]) ? undefined : metadata;
  const managers = decodedOr(sent?.["managedFields"], noManagers);
  yield;
  const gained = recursiveDifference(createdFields(input, metadata), resetOf(input, undefined));
  if (managers.size === 0) {
    if (isEmptySet(gained)) return withManagedFields(next, metadata, undefined);
    const writer = writerOf(input, "Update", gained);
    return withManagedFields(
      next,
      metadata,
      encodeManagers(new Map([[writer.id, writer.manager]])),
    );
  }
  yield;
  const live = emptyObject(next);
  const changes = { ...unchanged, added: gained };
  const written = writtenManagers(input, { live, next, managers, changes });
  yield;
  return withManagedFields(next, metadata, encodeManagers(cappedManagers(written)));
}

/** Everything in a new object; without a skeleton there is nothing to compare it with. */
function createdFields(input: UpdateInput, metadata: JsonObject): FieldSet {
  const { next, type, skeleton } = input;
  if (skeleton !== undefined) {
    const { added, modified } = compareObjects(skeleton, next, type);
    return union(added, modified);
  }
  const top = type.map === undefined ? emptySet : presentKeys(next, type.map, untrackedKeys);
  const map = objectMetaType.map;
  const below = map === undefined ? emptySet : presentKeys(metadata, map, untrackedMetadata);
  return isEmptySet(below) ? top : { "f:metadata": below, ...top };
}

interface Write {
  readonly live: JsonObject;
  readonly next: JsonObject;
  readonly managers: Managers;
  readonly changes: Comparison;
}

function writtenManagers(input: WriteContext, write: Write): Managers {
  const { apiVersion, type } = input;
  const changes = withoutFields(write.changes, resetOf(input, undefined));
  const managers = recordWrite(ownershipOf(input), {
    live: { object: write.live, apiVersion, type },
    next: { object: write.next, apiVersion, type },
    managers: write.managers,
    changes,
  });
  const gained = difference(union(changes.modified, changes.added), untrackedSet);
  if (isEmptySet(gained)) return managers;
  const writer = writerOf(input, "Update", gained);
  const previous = managers.get(writer.id);
  const fields = previous === undefined ? gained : union(gained, previous.fields);
  return new Map(managers).set(writer.id, { ...writer.manager, fields });
}

/** What an object had before anybody applied to it belongs to a manager of that name. */
function firstManagers(input: ApplyInput, live: Versioned): Managers {
  if (input.live === undefined) return noManagers;
  const before = { ...input, manager: "before-first-apply" };
  const empty = { ...input.skeleton, ...emptyObject(live.object) };
  const changes = compareObjects(empty, live.object, live.type);
  return writtenManagers(before, {
    live: empty,
    next: live.object,
    managers: noManagers,
    changes,
  });
}

/** Applies; kubectl may take what its own client-side apply had set, without force. */
function* attempted(input: ApplyInput, live: Versioned, managers: Managers): Sliced<Application> {
  const { apiVersion, type, config, manager, force } = input;
  const writer = writerOf(input, "Apply", emptySet);
  const step = { live, config: { object: config, apiVersion, type }, managers, writer };
  const ownership = ownershipOf(input);
  const outcome = yield* applyConfig(ownership, { ...step, force });
  if (outcome.kind !== "conflict" || manager !== "kubectl") return outcome;
  const allowed = lastAppliedFields(live);
  if (allowed === undefined) return outcome;
  const conflicts = outcome.conflicts.filter(({ path }) => !hasPath(allowed, path));
  if (conflicts.length > 0) return { kind: "conflict", conflicts };
  return yield* applyConfig(ownership, { ...step, force: true });
}

/** Strips what nobody owns from the applier, and dates it if the object has changed. */
function settledManagers(
  input: ApplyInput,
  outcome: Application & { readonly kind: "settled" },
  live: Versioned,
): Managers {
  const { id } = writerOf(input, "Apply", emptySet);
  const managers = new Map(outcome.managers);
  const applier = managers.get(id);
  if (applier === undefined) return managers;
  const fields = difference(applier.fields, untrackedSet);
  const isChanged = !equalJson(live.object, outcome.object);
  const previous = decodedOr(managedFieldsOf(input.live), noManagers).get(id);
  const time = isChanged ? input.now : previous?.time;
  if (isEmptySet(fields)) managers.delete(id);
  else if (previous !== undefined && !isChanged && isSameManager(previous, applier, fields)) {
    managers.set(id, previous);
  } else managers.set(id, { ...withFields(applier, fields), time });
  return managers;
}

function isSameManager(previous: Manager, applier: Manager, fields: FieldSet): boolean {
  return previous.apiVersion === applier.apiVersion && equalJson(previous.fields, fields);
}

function writerOf(input: WriteContext, operation: Operation, fields: FieldSet): Writer {
  const { manager, apiVersion, subresource = "", now } = input;
  const name = manager === "" ? "unknown" : manager;
  const identity = { name, operation, apiVersion, subresource };
  return { id: managerId(identity), manager: { ...identity, time: now, fields, entry: undefined } };
}

function ownershipOf(input: WriteContext): Ownership {
  return {
    convert: (from, apiVersion) => {
      if (from.apiVersion === apiVersion) return from;
      return input.convert === undefined
        ? { ...from, apiVersion }
        : input.convert(from, apiVersion);
    },
    resetFields: (apiVersion) => resetOf(input, apiVersion),
  };
}

function resetOf(input: WriteContext, apiVersion: string | undefined): FieldSet {
  const { resetFields = emptySet } = input;
  return typeof resetFields === "function"
    ? resetFields(apiVersion ?? input.apiVersion)
    : resetFields;
}

function requestProblem(input: ApplyInput): string | undefined {
  const { live, config, apiVersion } = input;
  const kind = input.kind ?? live?.["kind"] ?? config["kind"];
  if (config["apiVersion"] !== apiVersion || config["kind"] !== kind) {
    return `invalid object type: ${kindLabel(config)}`;
  }
  const managedFields = managedFieldsOf(config);
  if (managedFields === undefined || managedFields === null) return undefined;
  return "metadata.managedFields must be nil";
}

/** `default/web; apps/v1, Kind=Deployment`, as the Kubernetes API names objects in errors. */
function objectLabel(object: JsonObject): string {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return `${textAt(metadata, "namespace")}/${textAt(metadata, "name")}; ${kindLabel(object)}`;
}

function kindLabel(object: JsonObject): string {
  const apiVersion = textAt(object, "apiVersion");
  const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `${groupVersion}, Kind=${textAt(object, "kind")}`;
}

function decodedOr(list: Json | undefined, otherwise: Managers): Managers {
  const decoded = decodeManagedFields(list);
  return decoded.kind === "managers" && decoded.managers.size > 0 ? decoded.managers : otherwise;
}

function emptyObject({ apiVersion = "", kind = "" }: JsonObject): JsonObject {
  return { apiVersion, kind };
}
