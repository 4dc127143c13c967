// What an update of an instance may change, and who may delete it. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import type { Offering } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { checkOwner } from "./owner.ts";
import { checkType } from "./changed-type.ts";
import { lacksListedQuota } from "./quota.ts";
import type { Writer } from "./writer.ts";

export interface ChangedInstance {
  readonly spec: JsonObject;
  readonly old: JsonObject;
  readonly offering: Offering;
  /** Undefined while the Organisation is removed. */
  readonly organisation: Organisation | undefined;
  readonly writer: Writer;
}

/** Set by the service at the creation: a replacement that leaves them out keeps them. */
const serviceFields = [
  "id",
  "owner",
  "account",
  "cloudProvider",
  "region",
  "multiAz",
  "type",
  "quotaBackend",
  "subscription",
] as const;

export function withServiceFields(spec: JsonObject, old: JsonObject): JsonObject {
  const missing = serviceFields.filter((field) => spec[field] === undefined);
  const kept: MutableJsonObject = {};
  for (const field of missing) {
    const value = old[field];
    if (value !== undefined) kept[field] = value;
  }
  return Object.keys(kept).length === 0 ? spec : { ...spec, ...kept };
}

/** Fields that the owner and administrators of the organisation may change. */
const memberFields: ReadonlySet<string> = new Set(["owner", "parameters", "type"]);

/** Throws fleet.not_owner, fleet.field, fleet.owner_invalid, and what changed-type.ts throws. */
export function checkChange({ spec, old, offering, organisation, writer }: ChangedInstance): void {
  const fields = new Set([...Object.keys(spec), ...Object.keys(old)]);
  const changed = [...fields].filter((field) => !equalJson(spec[field], old[field]));
  if (changed.length === 0) return;
  if (!writer.isAdministrator) {
    checkMayChange(writer, organisation, textAt(old, "owner"));
    const field = changed.find((each) => !memberFields.has(each));
    if (field !== undefined) {
      const message = `spec.${field}: only administrators may change it`;
      throw new SetpointError("fleet.field", message, { details: { field: `spec.${field}` } });
    }
  }
  if (changed.includes("type")) {
    const { isAdministrator } = writer;
    checkType({ spec, oldType: textAt(old, "type"), offering, organisation, isAdministrator });
  }
  if (!changed.includes("owner") || organisation === undefined) return;
  const owner = textAt(spec, "owner");
  checkOwner(offering, organisation, owner);
  if (!writer.isAdministrator) checkOwnerQuota(offering, organisation, spec);
}

/** Otherwise a member with a quota could create any number of instances for the others. */
function checkOwnerQuota(offering: Offering, organisation: Organisation, spec: JsonObject): void {
  const [owner, type] = [textAt(spec, "owner"), textAt(spec, "type")];
  const quotaBackend = textAt(spec, "quotaBackend");
  const isInternal = isTrueAt(spec, "isInternal");
  const counted = { owner, type, quotaBackend, isInternal };
  if (!lacksListedQuota(offering, organisation, counted)) return;
  const message = `spec.owner: ${owner} has no quota for instances of the type ${type}`;
  throw new SetpointError("fleet.owner_invalid", message, { details: { field: "spec.owner" } });
}

/** The owner, administrators of the organisation, and administrators. Throws fleet.not_owner. */
export function checkMayChange(
  writer: Writer,
  organisation: Organisation | undefined,
  owner: string,
): void {
  if (writer.isAdministrator) return;
  const isMember = organisation !== undefined && writer.organisation === organisation.id;
  if (isMember && (writer.user === owner || writer.isOrganisationAdmin)) return;
  const message = "only the owner and administrators of the organisation may change the instance";
  throw new SetpointError("fleet.not_owner", message);
}
