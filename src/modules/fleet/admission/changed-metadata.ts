// Metadata of an instance that acts on its life cycle: owner references let the garbage collector
// delete it, finalizers hold it, and annotations and labels of this server pause it, detach it or
// control its removal. Only administrators set them. Other metadata is for those who may change the
// instance.

import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { checkMayChange } from "./changed-instance.ts";
import type { Writer } from "./writer.ts";

export function checkMetadata(
  { object, old }: Pick<AdmissionRequest, "object" | "old">,
  writer: Writer,
  organisation: Organisation | undefined,
): void {
  if (object === undefined || writer.isAdministrator) return;
  const changed = fields.find((each) => !equalJson(each.read(object), each.read(old)));
  if (changed !== undefined) {
    const field = pathOf(changed, object, old);
    const message = `${field}: only administrators of the service may change it`;
    throw new SetpointError("fleet.field", message, { details: { field } });
  }
  if (old === undefined || equalJson(notes(object), notes(old))) return;
  checkMayChange(writer, organisation, textAt(old.spec, "owner"));
}

/** With the key of the first annotation or label that changes. */
function pathOf(
  { name, read }: ControlField,
  object: Resource | undefined,
  old: Resource | undefined,
): string {
  const [now, then] = [read(object), read(old)];
  if (!isJsonObject(now) || !isJsonObject(then)) return `metadata.${name}`;
  const keys = [...Object.keys(now), ...Object.keys(then)];
  const key = keys.find((each) => now[each] !== then[each]) ?? "";
  return `metadata.${name}[${key}]`;
}

interface ControlField {
  readonly name: string;
  readonly read: (resource: Resource | undefined) => Json;
}

const fields: readonly ControlField[] = [
  { name: "ownerReferences", read: (one) => references(one) },
  { name: "finalizers", read: (one) => [...(one?.metadata.finalizers ?? [])] },
  { name: "annotations", read: (one) => controlling(one?.metadata.annotations) },
  { name: "labels", read: (one) => controlling(one?.metadata.labels) },
];

function references(resource: Resource | undefined): Json {
  const owners = resource?.metadata.ownerReferences ?? [];
  return owners.map(({ kind, name, uid }) => ({ kind, name, uid }));
}

/** Those of this module and of the engine, except the request of a run. */
function controlling(all: Readonly<Record<string, string>> = {}): Json {
  const own = Object.entries(all).filter(
    ([key]) =>
      ownDomain.test(key) && key !== annotations.request && key !== annotations.traceparent,
  );
  return Object.fromEntries(own);
}

/** Such as setpoint.dev/paused and fleet.setpoint.dev/force-delete. */
const ownDomain = /^(?:[^/]+\.)?setpoint\.dev\//;

function notes({ metadata }: Resource): Json {
  return { annotations: metadata.annotations ?? {}, labels: metadata.labels ?? {} };
}
