// The use of an Offering in a period: one line for each instance, or for each organisation and
// type. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Offering } from "../offering.ts";
import { usedMs } from "./instance-use.ts";
import type { InstanceUse, UseSpan } from "./instance-use.ts";

export type UsageBy = "organisation" | "instance";

/** A line has the same fields in JSON and in CSV. */
export type UsageLine = { readonly [field: string]: string | number };

export const usageFields: Readonly<Record<UsageBy, readonly string[]>> = {
  organisation: ["organisation_id", "instance_type", "instances", "seconds", "unit_seconds"],
  instance: [
    "organisation_id",
    "id",
    "name",
    "owner",
    "instance_type",
    "cloud_provider",
    "region",
    "created_at",
    "seconds",
    "unit_seconds",
  ],
};

export interface UsageInput {
  readonly offering: Pick<Offering, "types">;
  readonly period: UseSpan;
  readonly by: UsageBy;
}

/** An instance without use in the period has no line. */
export function usageLines(
  uses: Iterable<InstanceUse>,
  { offering, period, by }: UsageInput,
): readonly UsageLine[] {
  const units = new Map(offering.types.map(({ name, units: each }) => [name, each]));
  const lines: UsageLine[] = [];
  const totals = new Map<string, UsageTotal>();
  for (const use of uses) {
    const seconds = Math.round(usedMs(use, period) / 1_000);
    if (seconds === 0) continue;
    const unitSeconds = seconds * (units.get(use.type) ?? 1);
    if (by === "instance") {
      lines.push(instanceLine(use, seconds, unitSeconds));
      continue;
    }
    const key = JSON.stringify([use.organisation, use.type]);
    const { organisation, type } = use;
    const total = totals.get(key) ?? { organisation, type, instances: 0, seconds: 0, units: 0 };
    total.instances += 1;
    total.seconds += seconds;
    total.units += unitSeconds;
    totals.set(key, total);
  }
  for (const { organisation, type, instances, seconds, units: unitSeconds } of totals.values()) {
    lines.push({
      organisation_id: organisation,
      instance_type: type,
      instances,
      seconds,
      unit_seconds: unitSeconds,
    });
  }
  return lines.toSorted(byText);
}

interface UsageTotal {
  readonly organisation: string;
  readonly type: string;
  instances: number;
  seconds: number;
  /** Seconds times units. */
  units: number;
}

function instanceLine(use: InstanceUse, seconds: number, unitSeconds: number): UsageLine {
  return {
    organisation_id: use.organisation,
    id: use.id,
    name: use.name,
    owner: use.owner,
    instance_type: use.type,
    cloud_provider: use.provider,
    region: use.region,
    created_at: use.createdAt,
    seconds,
    unit_seconds: unitSeconds,
  };
}

function byText(one: UsageLine, other: UsageLine): number {
  const [left, right] = [one, other].map((line) =>
    [line["organisation_id"], line["instance_type"], line["id"]].join("\n"),
  );
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** RFC 4180. A text that a spreadsheet would read as a formula begins with an apostrophe. */
export function usageCsv(by: UsageBy, lines: readonly JsonObject[]): string {
  const fields = usageFields[by];
  const rows = lines.map((line) => fields.map((field) => cell(line[field])).join(","));
  return [fields.join(","), ...rows].map((row) => `${row}\r\n`).join("");
}

function cell(value: unknown): string {
  if (typeof value === "number") return `${value}`;
  const text = typeof value === "string" ? value : "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
