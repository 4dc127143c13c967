// How full something is. Units without a limit have no share.

import type { RegionUse } from "../../api/fleet.ts";
import { countText, plural } from "../../format/number.ts";
import type { Tone } from "../../states/states.ts";

export interface Use {
  readonly used: number;
  /** Undefined: no limit. */
  readonly total: number | undefined;
}

const nearlyFull = 0.85;

export function toneOfUse({ used, total }: Use): Tone {
  if (total === undefined) return "stored";
  if (used >= total) return "failed";
  return used / Math.max(total, 1) >= nearlyFull ? "waiting" : "stored";
}

/** "31 of 40", for a column whose title says what is counted. */
export function shortUseText({ used, total }: Use): string {
  return total === undefined ? countText(used) : `${countText(used)} of ${countText(total)}`;
}

export function useText({ used, total }: Use): string {
  return total === undefined
    ? `${plural(used, "unit")}, no limit`
    : `${countText(used)} of ${plural(total, "unit")}`;
}

/** The types of a region of an offering, with all types together where it has several. */
export function typesOf(regions: readonly RegionUse[]): readonly (Use & { type: string })[] {
  const own = regions.filter(({ type }) => type !== "*");
  const shown = own.length > 0 ? own : regions;
  return shown.map(({ type, used = 0, capacity }) => ({ type, used, total: limitOf(capacity) }));
}

/** -1 is no limit. */
export function limitOf(amount: number | undefined): number | undefined {
  return amount === undefined || amount < 0 ? undefined : amount;
}
