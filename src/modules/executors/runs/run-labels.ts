// Labels of records: the owner, and the labels of the environment that the owner has.

import { createHash } from "node:crypto";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { ownerKindLabel, ownerNameLabel } from "./run-kinds.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

const copied = ["environment", "resource", "action"].map(
  (name) => `environments.setpoint.dev/${name}`,
);

export function runLabels({ kind, metadata }: Resource): { readonly [key: string]: string } {
  const labels: Record<string, string> = {
    [ownerKindLabel]: kind,
    [ownerNameLabel]: labelValue(metadata.name),
  };
  for (const label of copied) {
    const value = metadata.labels?.[label];
    if (value !== undefined) labels[label] = value;
  }
  return labels;
}

/** A name that is longer than a label value may be ends with its digest instead. */
export function labelValue(name: string): string {
  return name.length <= limits.maxLabelValueLength ? name : shortened(name, 63);
}

/** With room for a suffix, as a name and as a label value. */
export function shortName(name: string): string {
  return name.length <= 50 ? name : shortened(name, 50);
}

function shortened(name: string, length: number): string {
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 10);
  return `${withoutTrailing(name.slice(0, length - 11), ".-")}-${digest}`;
}
