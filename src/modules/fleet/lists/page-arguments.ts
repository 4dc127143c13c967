// Which page of a list is wanted, by its number and size. The rules are those of fleet managers:
// page 0 is page 1, and a size that is negative or too large is the largest size.

import { SetpointError } from "../../../kernel/errors.ts";
import { fleetLimits } from "../limits.ts";

export interface PageArguments {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** Throws fleet.body_invalid, whose number in the catalogue is 17. */
export function parsePage(page: string | undefined, size: string | undefined): PageArguments {
  return { page: pageNumber(page), size: pageSize(size) };
}

function pageNumber(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  if (!/^-?\d{1,15}$/.test(text)) return 1;
  const number = Number(text);
  if (number < 0) throw pageError("page", "must not be negative", "count pages from 1");
  return Math.max(number, 1);
}

function pageSize(text: string | undefined): number {
  if (text === undefined || text === "") return fleetLimits.defaultPageSize;
  const number = /^-?\d{1,15}$/.test(text) ? Number(text) : 0;
  if (number === 0) {
    const fix = `use a number from 1 to ${fleetLimits.maxPageSize}`;
    throw pageError("size", "must be a whole number other than 0", fix);
  }
  return number < 0 ? fleetLimits.maxPageSize : Math.min(number, fleetLimits.maxPageSize);
}

function pageError(field: string, problem: string, suggestion: string): SetpointError {
  return new SetpointError("fleet.body_invalid", `${field}: ${problem}`, {
    details: { field: `query.${field}` },
    suggestion,
  });
}
