// Keeps metadata.managedFields: which manager owns which fields of a document.

import { setOf } from "../../kernel/apply/field-set.ts";
import { recordUpdate, resetFieldsOf } from "../../kernel/apply/managers.ts";
import type { WriteContext } from "../../kernel/apply/managers.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Sliced } from "../../kernel/sliced.ts";
import type { Resource } from "../../kernel/resource.ts";
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
  { clock }: Intents,
  { served, version, subresource }: Target,
  { fieldManager: manager, ownsNoNotes = false }: WriteOptions,
): WriteContext {
  const { status: hasStatus } = version.definition.subresources;
  return {
    // Whoever is recorded under a version that is gone, or never was, is forgotten.
    convert: (from, apiVersion) => {
      for (const other of served.versions.values()) {
        if (other.apiVersion !== apiVersion) continue;
        return { ...from, apiVersion, type: other.type.applyType };
      }
      return undefined;
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

const notesAndStatus = setOf(
  ["f:status"],
  ["f:metadata", "f:annotations"],
  ["f:metadata", "f:labels"],
);
/** The status endpoint of kinds from definitions ignores metadata as well. */
const notOfStatus = setOf(["f:spec"], ["f:metadata"]);
