// Conflicts between an applied configuration and the owners of the fields that it would change, as
// data and as messages of the Kubernetes API. One conflict is one sentence; several conflicts are
// grouped by owner. Each conflict is also a cause that names its field.

import { pathLabel } from "./field-set.ts";
import type { FieldPath } from "./field-set.ts";
import { managerOrder } from "./managed-fields.ts";
import type { ManagerIdentity } from "./managed-fields.ts";

export interface Conflict {
  readonly manager: ManagerIdentity;
  readonly path: FieldPath;
}

export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

export function conflictCauses(conflicts: readonly Conflict[]): readonly ConflictCause[] {
  return inOrder(conflicts).map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${managerLabel(manager)}`,
    field: pathLabel(path),
  }));
}

export function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    const { manager, path } = first;
    const owner = managerLabel(manager);
    return `Apply failed with 1 conflict: conflict with ${owner}: ${pathLabel(path)}`;
  }
  const lines: string[] = [];
  let owner = "";
  for (const { manager, path } of inOrder(conflicts)) {
    const label = managerLabel(manager);
    if (label !== owner) lines.push(`conflicts with ${label}:`);
    owner = label;
    lines.push(`- ${pathLabel(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

/** `"kubectl" with subresource "status" using v1`; the version of an applier is omitted. */
function managerLabel(manager: ManagerIdentity): string {
  const { name, operation, apiVersion, subresource } = manager;
  const through = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === "Update" ? ` using ${apiVersion}` : "";
  return JSON.stringify(name) + through + version;
}

/** By owner; the fields of one owner stay in the order of its set. */
function inOrder(conflicts: readonly Conflict[]): readonly Conflict[] {
  const byOwner = new Map<ManagerIdentity, Conflict[]>();
  for (const conflict of conflicts) {
    const known = byOwner.get(conflict.manager);
    if (known === undefined) byOwner.set(conflict.manager, [conflict]);
    else known.push(conflict);
  }
  return [...byOwner]
    .map(([manager, own]) => ({ order: managerOrder(manager), own }))
    .sort((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)))
    .flatMap(({ own }) => own);
}
