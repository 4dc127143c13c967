// The usage report of an Offering, in the admin API.

import { timeText } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "../api/fleet-route.ts";
import { documentAnswer } from "../api/page-document.ts";
import { described, objectSchema } from "../api/schemas.ts";
import { fleetLimits } from "../limits.ts";
import { usagePeriod } from "./period.ts";
import { readUses } from "./read-uses.ts";
import { usageCsv, usageLines } from "./usage-report.ts";
import type { UsageBy } from "./usage-report.ts";

const text: JsonObject = { type: "string" };
const time: JsonObject = { type: "string", format: "date-time" };
const number: JsonObject = { type: "integer" };

const lineSchema = objectSchema(
  {
    organisation_id: text,
    instance_type: text,
    instances: described(number, "Instances that were used in the period; by organisation."),
    id: described(text, "By instance, as are the name, the owner, the place and the creation."),
    name: text,
    owner: text,
    cloud_provider: text,
    region: text,
    created_at: time,
    seconds: described(number, "Seconds of use in the period."),
    unit_seconds: described(number, "The same, times the units of the type."),
  },
  ["organisation_id", "instance_type", "seconds", "unit_seconds"],
);

const answerSchema = objectSchema(
  {
    kind: text,
    from: time,
    to: time,
    is_complete: described({ type: "boolean" }, "False: older records are not kept any more."),
    complete_from: described(time, "Records of deleted instances are kept since this time."),
    items: { type: "array", items: lineSchema },
  },
  ["kind", "from", "to", "is_complete", "complete_from", "items"],
);

export function usageRoute(ports: CustomerPorts): FleetRoute {
  return {
    method: "GET",
    path: "/usage",
    summary: "Report the use of instances in a period.",
    description:
      "An instance is used from the first time that it is ready until its deletion is requested. " +
      "Instances of Probes are left out.",
    tag: "Usage",
    access: { kind: "admin" },
    isList: true,
    query: objectSchema({
      from: described(text, "Begin of the period: a date or a time. Required."),
      to: described(text, "End of the period, exclusive. Default: the present time."),
      by: described({ type: "string", enum: ["organisation", "instance"] }, "What a line is."),
      format: described({ type: "string", enum: ["json", "csv"] }, "Default: json."),
    }),
    answers: { 200: { description: "The report.", schema: answerSchema } },
    errors: [400, 404],
    handle: async (request) => await report(ports, request),
  };
}

async function report(
  { store, clock }: CustomerPorts,
  { offering, query, pages, signal }: FleetRequest,
): ReturnType<FleetRoute["handle"]> {
  const nowMs = clock.nowMs();
  const period = usagePeriod(query.get("from"), query.get("to"), nowMs);
  const by = choice("by", query.get("by"), ["organisation", "instance"] as const);
  const format = choice("format", query.get("format"), ["json", "csv"] as const);
  const uses = await readUses({ store, offering, pages, signal });
  const items = usageLines(uses, { offering, period, by });
  checkLines(by, items.length);
  const completeMs = nowMs - offering.retentionMs;
  const head = {
    kind: "UsageReport",
    from: timeText(period.fromMs),
    to: timeText(period.toMs),
    is_complete: period.fromMs >= completeMs,
    complete_from: timeText(completeMs),
  };
  if (format === "json") return documentAnswer({ ...head, items });
  const headers = { "x-complete": `${head.is_complete}` };
  const contentType = "text/csv; charset=utf-8";
  return { kind: "text", status: 200, contentType, text: usageCsv(by, items), headers };
}

function choice<T extends string>(
  parameter: string,
  given: string | undefined,
  values: readonly [T, ...T[]],
): T {
  if (given === undefined) return values[0];
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  const message = `${parameter}: ${JSON.stringify(given)} is not one of ${values.join(", ")}`;
  const details = { field: `query.${parameter}` };
  throw new SetpointError("fleet.body_invalid", message, { details });
}

function checkLines(by: UsageBy, lines: number): void {
  if (lines <= fleetLimits.maxUsageLines) return;
  const message =
    `by: the report has ${lines} lines, and at most ${fleetLimits.maxUsageLines} are sent: ` +
    (by === "instance" ? "use by=organisation, or a shorter period" : "use a shorter period");
  throw new SetpointError("fleet.body_invalid", message, { details: { field: "query.by" } });
}
