// Keeps metadata.managedFields: which manager owns which fields of a document.

import { recordUpdate, resetFieldsOf } from "../../kernel/apply/managers.ts";
import type { WriteContext } from "../../kernel/apply/managers.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Intents, Target, WriteOptions } from "../request.ts";

export function trackCreation(
  intents: Intents,
  target: Target,
  options: WriteOptions,
  next: Resource,
): Resource {
  const context = writeContext(intents, target, options.fieldManager);
  return recordUpdate({ ...context, live: undefined, next }) as Resource;
}

export function trackUpdate(
  intents: Intents,
  target: Target,
  options: WriteOptions,
  live: Resource,
  next: Resource,
): Resource {
  const context = writeContext(intents, target, options.fieldManager);
  return recordUpdate({ ...context, live, next }) as Resource;
}

export function writeContext(
  { clock }: Intents,
  { version, subresource }: Target,
  manager: string,
): WriteContext {
  return {
    manager,
    apiVersion: version.apiVersion,
    type: version.type.applyType,
    subresource,
    now: timeText(clock.nowMs()),
    resetFields: resetFieldsOf(subresource, version.definition.subresources.status),
  };
}
