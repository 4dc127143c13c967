// What the writes of the admin API have in common. Each is an edit of the newest document: it is
// judged again when another writer was faster, and an edit that changes nothing writes nothing.

import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import type { Caller, Written } from "../../../intents/request.ts";
import type { DocumentAnswer } from "../../../contract/route.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { adminThrough } from "../names.ts";
import { presentForAdmin } from "./admin-view.ts";
import type { CustomerPorts, FleetRequest } from "./fleet-route.ts";
import { findInstance, instanceKind, instanceNotFound, instanceTarget } from "./instance-lookup.ts";
import type { FoundInstance } from "./instance-lookup.ts";
import { documentAnswer } from "./page-document.ts";
import { resourceVersionHeader, writeOptions } from "./writes.ts";

/**
 * The administrator, as admission sees one: the role was checked before, and the caller may set
 * what customers may not.
 */
export function adminCaller(caller: Caller): Caller {
  return { ...caller, through: adminThrough };
}

/** An instance of any organisation. Throws fleet.not_found. */
export async function anyInstance(
  ports: Pick<CustomerPorts, "kinds" | "store">,
  { offering, path }: FleetRequest,
): Promise<FoundInstance> {
  const id = path["id"] ?? "";
  const found = await findInstance(ports, offering, id);
  if (found === undefined) throw instanceNotFound(offering, id);
  return found;
}

/** The edit throws what the caller is answered with. */
export type EditInstance = (old: Resource) => Resource;

export async function editInstance(
  ports: CustomerPorts,
  request: FleetRequest,
  edit: EditInstance,
): Promise<DocumentAnswer> {
  const { offering, caller } = request;
  const { key, record } = await anyInstance(ports, request);
  const notFound = (): SetpointError => instanceNotFound(offering, request.path["id"] ?? "");
  const written = await updateResource(ports.intents, {
    caller: adminCaller(caller),
    target: instanceTarget(instanceKind(ports, offering), key),
    options: writeOptions,
    optionsKind: "PatchOptions",
    change: (old) => {
      // Another instance may have the name since.
      if (old.metadata.uid !== record.uid) throw notFound();
      if (old.metadata.deletionTimestamp !== undefined) {
        throw new SetpointError("fleet.validation", "the instance is being deleted");
      }
      return { wanted: withoutRevision(edit(old)) };
    },
    allowsBlind: true,
  });
  return shownAnswer(ports, request, written);
}

export function shownAnswer(
  { fleet }: Pick<CustomerPorts, "fleet">,
  { offering }: FleetRequest,
  written: Written,
  status = 200,
): DocumentAnswer {
  const resource = decodeDocument(written.body, written.revision);
  const document = presentForAdmin(offering, fleet.organisations, resource);
  return { ...documentAnswer(document, status), headers: resourceVersionHeader(written) };
}

/** With fields of the spec set; a field that is undefined is removed. */
export function withSpec(old: Resource, fields: Readonly<Record<string, unknown>>): Resource {
  const spec = Object.fromEntries(
    Object.entries({ ...objectAt(old, "spec"), ...fields }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return { ...old, spec: spec as JsonObject };
}

/** Throws fleet.field: administrators state why they do what customers notice. */
export function requiredReason(body: JsonObject | undefined, field = "body.reason"): string {
  const reason = textAt(body, "reason").trim();
  if (reason !== "") return reason;
  throw new SetpointError("fleet.field", "reason: is required: why this is done", {
    details: { field },
  });
}
