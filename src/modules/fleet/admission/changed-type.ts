// Whether an instance may change to another type, such as from an evaluation to a paid type. What
// it counts against moves with the type, in the same commit: see instance-guard.ts. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import type { InstanceType, Offering } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { quotaFor } from "./quota.ts";

export interface ChangedType {
  /** With the new type, and the new owner if that changes as well. */
  readonly spec: JsonObject;
  readonly oldType: string;
  readonly offering: Offering;
  /** Undefined while the Organisation is removed. */
  readonly organisation: Organisation | undefined;
  readonly isAdministrator: boolean;
}

/**
 * Throws fleet.type_unavailable, fleet.type_disabled, fleet.quota_insufficient or fleet.validation.
 */
export function checkType(change: ChangedType): void {
  const { spec, oldType, offering } = change;
  const type = offeredType(offering, spec);
  if (!type.isEnabled) {
    throw refused("fleet.type_disabled", `instances of the type ${type.name} are disabled`);
  }
  if (textAt(spec, "quotaBackend") !== "list" || isTrueAt(spec, "isInternal")) {
    const why = "only instances with a listed quota can change: the quota of this one is reserved";
    throw refused("fleet.validation", `${why} for its type. Create another instance`);
  }
  const units = unitsOf(offering, oldType);
  if (type.units !== units) {
    const sizes = `${type.name} (units: ${type.units}) is not as large as ${oldType} (${units})`;
    throw refused("fleet.validation", `${sizes}: create another instance`);
  }
  if (type.lifespanMs !== undefined) {
    const why = `instances of the type ${type.name} end a fixed time after their creation`;
    throw refused("fleet.validation", `${why}: set spec.expiresAt instead`);
  }
  if (!change.isAdministrator) checkOwnQuota(change, type);
}

/** Members do not choose: they get a type for which the owner has a quota. */
function checkOwnQuota({ spec, offering, organisation }: ChangedType, type: InstanceType): void {
  const owner = textAt(spec, "owner");
  const quota = organisation && quotaFor(organisation, offering.name, type.name, owner);
  if (type.quota === "required" && quota !== undefined) return;
  const message = `${owner} has no quota for instances of the type ${type.name}`;
  throw refused("fleet.quota_insufficient", message);
}

function offeredType(offering: Offering, spec: JsonObject): InstanceType {
  const [provider, region, name] = ["cloudProvider", "region", "type"].map((field) =>
    textAt(spec, field),
  );
  const offered =
    offering.providers
      .find(({ id }) => id === provider)
      ?.regions.find(({ id }) => id === region)
      ?.types.map((each) => each.name) ?? [];
  const type = offering.types.find((each) => each.name === name);
  if (type !== undefined && offered.includes(type.name)) return type;
  const message = `the region ${region} offers the types ${offered.join(", ")}, and not ${name}`;
  throw refused("fleet.type_unavailable", message);
}

function unitsOf({ types }: Offering, name: string): number {
  return types.find((type) => type.name === name)?.units ?? 1;
}

function refused(code: ErrorCode, message: string): SetpointError {
  return new SetpointError(code, `spec.type: ${message}`, { details: { field: "spec.type" } });
}
