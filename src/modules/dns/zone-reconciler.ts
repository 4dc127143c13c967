/** Shows whether the server has the zone, and holds the DnsZone while records need it. */
import { releaseWhenUnused } from "../../engine/external/shared-resource.ts";
import { done, failed } from "../../engine/outcome.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Context, Reconciler } from "../../engine/reconciler.ts";
import { numberAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import { recordsKind, zoneField } from "./kinds/record-kind.ts";
import { zonesKind } from "./kinds/zone-kind.ts";
import { dnsLimits } from "./limits.ts";
import { serviceOf } from "./server/powerdns.ts";
import type { OpenZone } from "./server/powerdns.ts";
import { accessTo } from "./zone-access.ts";

const records = { kind: recordsKind, words: "DnsRecords", field: zoneField } as const;

/** Zones that the server copies from another server. Records written to them are lost. */
const copiedKinds: ReadonlySet<string> = new Set(["Slave", "Secondary", "Consumer"]);

export interface ZoneReconcilerInput {
  readonly openZone: OpenZone;
  readonly store: Pick<Store, "list">;
}

export function zoneReconciler({ openZone, store }: ZoneReconcilerInput): Reconciler {
  return {
    kind: zonesKind,
    reconcile: (zone, context) => reconcile(zone, context, openZone),
    remove: (zone) => releaseWhenUnused(store, zone, records),
  };
}

async function reconcile(zone: Resource, context: Context, openZone: OpenZone): Promise<Outcome> {
  const facts = await openZone(await accessTo(zone, context), context).zone();
  const service = serviceOf(zone.metadata.name);
  if (facts === undefined) {
    const message = `${service} does not have the zone: create it there`;
    return notReady("ZoneNotFound", message);
  }
  if (copiedKinds.has(facts.kind)) {
    const message = `${service} copies the zone from another server (${facts.kind})`;
    return notReady("ZoneNotWritable", message);
  }
  const seconds = numberAt(zone, "spec", "resyncSeconds") ?? dnsLimits.resyncSeconds;
  const { serial, kind } = facts;
  return done({ status: { serial, kind }, resyncMs: seconds * 1_000 });
}

function notReady(reason: string, message: string): Outcome {
  const ready = { status: "False", reason, message } as const;
  return failed(reason, message, { retry: "slow", ready });
}
