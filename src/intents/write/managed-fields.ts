// Keeps metadata.managedFields: which manager owns which fields of a document.

import { setOf } from "../../kernel/apply/field-set.ts";
import { recordUpdate, resetFieldsOf } from "../../kernel/apply/managers.ts";
import type { WriteContext } from "../../kernel/apply/managers.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Sliced } from "../../kernel/sliced.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { KindRegistry } from "../kinds/registry.ts";
import type { ServedKind, ServedVersion } from "../kinds/served-kind.ts";
import type { Intents, Target, WriteOptions } from "../request.ts";

export function trackCreation(
  intents: Intents,
  target: Target,
  options: WriteOptions,
  next: Resource,
): Sliced<Resource> {
  const context = writeContext(intents, target, options);
  return recordUpdate({ ...context, live: undefined, next }) as Sliced<Resource>;
}

export function trackUpdate(
  intents: Intents,
  target: Target,
  options: WriteOptions,
  live: Resource,
  next: Resource,
): Sliced<Resource> {
  const context = writeContext(intents, target, options);
  return recordUpdate({ ...context, live, next }) as Sliced<Resource>;
}

export function writeContext(
  { clock, kinds }: Pick<Intents, "clock" | "kinds">,
  { served, version, subresource }: Target,
  { fieldManager: manager, ownsNoNotes = false }: WriteOptions,
): WriteContext {
  const { status: hasStatus } = version.definition.subresources;
  return {
    // Whoever is recorded under a version that is gone, or never was, is forgotten.
    convert: (from, apiVersion) => {
      const other = versionOf(served, apiVersion) ?? versionOfForm(kinds, served, apiVersion);
      return other && { ...from, apiVersion, type: other.type.applyType };
    },
    ...(version.type.skeleton === undefined ? {} : { skeleton: version.type.skeleton }),
    manager,
    apiVersion: version.apiVersion,
    type: version.type.applyType,
    subresource,
    now: timeText(clock.nowMs()),
    resetFields:
      subresource === "status" && served.kind.origin === "definition"
        ? notOfStatus
        : ownsNoNotes
          ? notesAndStatus
          : resetFieldsOf(subresource, hasStatus),
  };
}

function versionOf(served: ServedKind, apiVersion: string): ServedVersion | undefined {
  return served.versions.values().find((version) => version.apiVersion === apiVersion);
}

/** Managers of another form of the kind, or of the kind itself, are as those of another version. */
function versionOfForm(
  kinds: KindRegistry,
  { id, form }: ServedKind,
  apiVersion: string,
): ServedVersion | undefined {
  for (const other of kinds.all()) {
    if (other.id !== id || (form ?? other.form) === undefined) continue;
    const version = versionOf(other, apiVersion);
    if (version !== undefined) return version;
  }
  return undefined;
}

const notesAndStatus = setOf(
  ["f:status"],
  ["f:metadata", "f:annotations"],
  ["f:metadata", "f:labels"],
);
/** The status endpoint of kinds from definitions ignores metadata as well. */
const notOfStatus = setOf(["f:spec"], ["f:metadata"]);
