// What a member may change about an instance in the public API: its owner and its type.

import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { checkOwner } from "../admission/owner.ts";
import type { Offering } from "../offering.ts";
import type { Organisation } from "../organisations/organisation.ts";

/** The fields of the spec that change. Throws fleet.field or fleet.owner_invalid. */
export function givenChange(
  offering: Offering,
  organisation: Organisation | undefined,
  body: JsonObject | undefined,
): JsonObject {
  const [owner, type] = [given(body, "owner"), given(body, "instance_type")];
  if (owner === undefined && type === undefined) {
    throw missing("owner", "owner or instance_type: is required: the new owner, or the new type");
  }
  if (owner !== undefined && organisation !== undefined) checkOwner(offering, organisation, owner);
  return { ...(owner === undefined ? {} : { owner }), ...(type === undefined ? {} : { type }) };
}

/** Undefined when it is absent. */
function given(body: JsonObject | undefined, field: string): string | undefined {
  if (valueAt(body, field) === undefined) return undefined;
  const text = textAt(body, field);
  if (text === "") throw missing(field, `${field}: must not be empty`);
  return text;
}

function missing(field: string, message: string): SetpointError {
  return new SetpointError("fleet.field", message, { details: { field: `body.${field}` } });
}
