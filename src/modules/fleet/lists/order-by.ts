// The sort order of a list: "region, created_at desc". The direction is asc when it is left out.

import { SetpointError } from "../../../kernel/errors.ts";
import { fleetLimits } from "../limits.ts";

export interface OrderTerm {
  readonly field: string;
  readonly isDescending: boolean;
}

/** An empty text sorts by name. Throws fleet.body_invalid. */
export function parseOrderBy(
  text: string,
  fields: Pick<ReadonlySet<string>, "has" | "keys">,
): readonly OrderTerm[] {
  if (text.trim() === "") return [{ field: "name", isDescending: false }];
  const parts = text.split(",");
  if (parts.length > fleetLimits.maxOrderFields) {
    throw orderError(`has more than ${fleetLimits.maxOrderFields} fields`);
  }
  return parts.map((part) => {
    const [field = "", direction = "asc", ...rest] = part.trim().toLowerCase().split(/\s+/);
    if (!fields.has(field)) {
      const known = [...fields.keys()].join(", ");
      throw orderError(`${JSON.stringify(field.slice(0, 60))} is not a field: use one of ${known}`);
    }
    if ((direction !== "asc" && direction !== "desc") || rest.length > 0) {
      const shown = JSON.stringify(part.trim().slice(0, 60));
      throw orderError(`${shown} is not a field with an optional asc or desc`);
    }
    return { field, isDescending: direction === "desc" };
  });
}

function orderError(problem: string): SetpointError {
  return new SetpointError("fleet.body_invalid", `orderBy: ${problem}`, {
    details: { field: "query.orderBy" },
    suggestion: "write fields with an optional direction, such as region, created_at desc",
  });
}
