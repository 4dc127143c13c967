// Extensions of user modules for Offerings that do not exist: a misspelled name would never be
// noticed, because its hooks are never called. Pure.

import type { ExtensionEntry } from "../../../contract/user-module.ts";
import { nearestName } from "../../../kernel/nearest-name.ts";
import { hooksIn, routesIn } from "./fleet-extension.ts";

export interface MissingOffering {
  readonly module: string;
  readonly offering: string;
  /** Of an Offering that exists. */
  readonly nearest: string | undefined;
}

export function missingOfferings(
  extensions: readonly ExtensionEntry[],
  existing: readonly string[],
): readonly MissingOffering[] {
  const missing = new Map<string, MissingOffering>();
  for (const { module, offering } of [...hooksIn(extensions), ...routesIn(extensions)]) {
    if (existing.includes(offering)) continue;
    const nearest = nearestName(offering, existing);
    missing.set(`${module}/${offering}`, { module, offering, nearest });
  }
  return [...missing.values()];
}
