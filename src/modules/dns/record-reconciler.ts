/** Keeps a record set equal to its DnsRecord. One run reads, decides and writes at most once. */
import { checkAllowed, sharedResource } from "../../engine/external/shared-resource.ts";
import { ReconcileFailure, done, failed } from "../../engine/outcome.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Meter } from "../../engine/ports.ts";
import type { Context, Reconciler } from "../../engine/reconciler.ts";
import { equalJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { decideRemoval, decideStep } from "./decide.ts";
import { recordsKind } from "./kinds/record-kind.ts";
import { sharedZone } from "./kinds/zone-kind.ts";
import { dnsLimits } from "./limits.ts";
import { driftMetric, writesMetric } from "./metrics.ts";
import { commentsWith, markOf } from "./owner-mark.ts";
import { serviceOf } from "./server/powerdns.ts";
import type { OpenZone } from "./server/powerdns.ts";
import type { WantedRecords } from "./server/record-set.ts";
import { recordSetKey, wantedRecords } from "./wanted-records.ts";
import { accessTo } from "./zone-access.ts";

export interface RecordReconcilerInput {
  readonly openZone: OpenZone;
  readonly meter: Meter;
}

export function recordReconciler(input: RecordReconcilerInput): Reconciler {
  return {
    kind: recordsKind,
    reconcile: (record, context) => reconcile(record, context, input),
    remove: (record, context) => remove(record, context, input),
  };
}

async function reconcile(
  record: Resource,
  context: Context,
  { openZone, meter }: RecordReconcilerInput,
): Promise<Outcome> {
  const zone = await zoneOf(record, context);
  await checkAllowed(context, record, zone, sharedZone);
  const server = openZone(await accessTo(zone, context), context);
  const wanted = wantedRecords(record, zone);
  const observed = await server.read(wanted);
  if (observed === "no zone") throw noZone(zone);
  const mark = markOf(record);
  const mayTakeOver =
    isTrueAt(record, "spec", "takeOver") && isTrueAt(zone, "spec", "allow", "takeOver");
  const step = decideStep({ wanted, observed, mark, mayTakeOver });
  const host = hostOf(wanted);
  const status = { host, ttl: wanted.ttl, values: wanted.values };
  if (step.kind === "refuse") {
    const message = `the record set ${host} ${wanted.type} ${step.message}`;
    const ready = { status: "False", reason: "RecordNotOwned", message } as const;
    return failed("RecordNotOwned", message, { retry: "slow", ready });
  }
  if (step.kind === "write") {
    const nowSeconds = Math.floor(context.clock.nowMs() / 1_000);
    await server.replace(wanted, commentsWith(mark, observed, nowSeconds));
    meter.count(writesMetric, { action: "replace" });
    report(record, status, step.why, { context, meter });
  }
  const seconds = numberAt(zone, "spec", "resyncSeconds") ?? dnsLimits.resyncSeconds;
  return done({ status, resyncMs: seconds * 1_000 });
}

async function remove(
  record: Resource,
  context: Context,
  { openZone, meter }: RecordReconcilerInput,
): Promise<Outcome> {
  const hint = "; create it again: the record cannot be deleted at the server without it";
  const zone = await zoneOf(record, context, hint);
  const server = openZone(await accessTo(zone, context), context);
  const key = recordSetKey(record, zone);
  const observed = await server.read(key);
  if (observed === "no zone") {
    // The URL or the name may be wrong: the record may exist at the right server.
    if (isTrueAt(zone, "spec", "isRemoved")) return done();
    throw noZone(zone, `; ${removedHint}`);
  }
  switch (decideRemoval(observed, markOf(record))) {
    case "absent":
      return done();
    case "foreign":
      context.event("Normal", "RecordKept", "the record set does not belong to this DnsRecord");
      return done();
    default:
      await server.remove(key);
      meter.count(writesMetric, { action: "delete" });
      return done();
  }
}

async function zoneOf(record: Resource, context: Context, hint?: string): Promise<Resource> {
  const name = textAt(record, "spec", "zone");
  return await sharedResource(context, { ...sharedZone, name }, hint);
}

/** Without its last dot. */
function hostOf({ name }: WantedRecords): string {
  return name.replace(/\.$/, "");
}

/** A set that was as wanted after an earlier run was changed by another client of the server. */
function report(
  record: Resource,
  status: JsonObject,
  why: string,
  { context, meter }: { readonly context: Pick<Context, "event">; readonly meter: Meter },
): void {
  if (why === "takenOver") {
    context.event(
      "Normal",
      "RecordTakenOver",
      "replaced a record set that Setpoint did not create",
    );
    return;
  }
  const { host, ttl, values } = objectAt(record, "status");
  const wasSynced = equalJson({ host, ttl, values } as JsonObject, status);
  if (!wasSynced) return;
  meter.count(driftMetric);
  const how = why === "absent" ? "deleted" : "changed";
  context.event("Warning", "DriftCorrected", `the record set was ${how} at the server`);
}

const removedHint =
  "correct the DnsZone, or set its spec.isRemoved if the zone and its records were removed";

function noZone({ metadata }: Resource, hint = ""): ReconcileFailure {
  const message = `${serviceOf(metadata.name)} does not have the zone${hint}`;
  return new ReconcileFailure(failed("ZoneNotFound", message, { retry: "slow" }));
}
