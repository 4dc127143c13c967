// Which numbers of the spec the status reports as well: `spec.replicas` and `status.replicas`, or
// `status.readyReplicas`. Progress of a run (`status.reconcile.progress`) is such a pair, too.

import type { JsonRecord, Resource } from "../../api/types.ts";
import { countText } from "../../format/number.ts";

export interface Pair {
  readonly label: string;
  readonly wanted: number;
  readonly seen: number;
  readonly most?: number;
  readonly text: string;
}

export function wantedAndSeen({
  spec = {},
  status = {},
}: Pick<Resource, "spec" | "status">): readonly Pair[] {
  const pairs = Object.entries(spec).flatMap(([name, wanted]): Pair[] => {
    if (typeof wanted !== "number") return [];
    const seen = seenOf(status, name);
    return seen === undefined ? [] : [pairOf(labelOf(name), wanted, seen)];
  });
  const progress = record(record(status["reconcile"])?.["progress"]);
  const [done, of] = [progress?.["done"], progress?.["of"]];
  if (typeof done === "number" && typeof of === "number" && of > 0) {
    pairs.push({ label: "Steps", wanted: of, seen: done, most: of, text: `${done} of ${of} done` });
  }
  return pairs;
}

function seenOf(status: JsonRecord, name: string): number | undefined {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  const places = [
    name,
    `ready${capital}`,
    `current${capital}`,
    `observed${capital}`,
    `actual${capital}`,
  ];
  for (const place of places) {
    const value = status[place];
    if (typeof value === "number") return value;
  }
  return undefined;
}

function pairOf(label: string, wanted: number, seen: number): Pair {
  const text =
    wanted === seen
      ? `${countText(seen)}, as wanted`
      : `${countText(seen)} seen, ${countText(wanted)} wanted`;
  return { label, wanted, seen, text };
}

/** "storageGiB" as "Storage GiB" */
function labelOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z][a-z]*[A-Z]$|[A-Z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function record(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined;
}
