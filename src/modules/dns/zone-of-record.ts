// What a run of a DnsRecord needs of its zone: the DnsZone, the permission of the namespace and the
// API key. A run without one of them ends, and a change of what is missing wakes the resource.

import { secretKey } from "../../engine/external/secret-key.ts";
import { ReconcileFailure, failed, waiting } from "../../engine/outcome.ts";
import type { Context } from "../../engine/reconciler.ts";
import { isNamespaceAllowed } from "../../intents/auth/allowed-namespaces.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { RunEnded } from "../../engine/run/run-ended.ts";
import { zonesKind } from "./kinds/zone-kind.ts";
import { canonicalName } from "./names/domain-name.ts";
import type { ZoneAccess } from "./server/powerdns.ts";

type ReferringContext = Pick<Context, "references">;

/** The DnsZone of a record. `hint` is added when it does not exist. */
export async function zoneOf(
  record: Resource,
  { references }: ReferringContext,
  hint = "",
): Promise<Resource> {
  const blocker = { kind: zonesKind, name: textAt(record, "spec", "zone") };
  const zone = await references.get(blocker);
  if (zone !== undefined) return zone;
  const message = `the DnsZone ${blocker.name} does not exist${hint}`;
  throw new RunEnded(waiting(blocker, { message }));
}

/** Admission has checked the same for the creation; the DnsZone may have changed since. */
export async function checkPermission(
  { metadata }: Resource,
  zone: Resource,
  { references }: ReferringContext,
): Promise<void> {
  const { namespace = "" } = metadata;
  const { name } = zone.metadata;
  if (zone.metadata.deletionTimestamp !== undefined) {
    const message = `the DnsZone ${name} is being deleted`;
    throw new RunEnded(waiting({ kind: zonesKind, name, isThere: true }, { message }));
  }
  const found = await references.get({ kind: "namespaces", name: namespace });
  const allowed = objectAt(zone, "spec", "allow", "namespaces");
  if (found !== undefined && isNamespaceAllowed(allowed, found)) return;
  const message = `the DnsZone ${name} does not allow the namespace ${namespace}`;
  throw new ReconcileFailure(failed("NamespaceForbidden", message, { retry: "never" }));
}

export async function accessTo(zone: Resource, context: ReferringContext): Promise<ZoneAccess> {
  const powerdns = objectAt(zone, "spec", "powerdns");
  const secretRef = objectAt(powerdns, "apiKey", "secretRef");
  const apiKey = await secretKey(context, {
    namespace: textAt(secretRef, "namespace"),
    name: textAt(secretRef, "name"),
    key: textAt(secretRef, "key"),
  });
  const ca = textAt(powerdns, "ca");
  return {
    resourceName: zone.metadata.name,
    zone: zoneName(zone),
    url: textAt(powerdns, "url"),
    server: textAt(powerdns, "server") || "localhost",
    apiKey,
    ca: ca === "" ? undefined : ca,
  };
}

/** Admission has checked it. */
export function zoneName(zone: Resource): string {
  const text = textAt(zone, "spec", "zone");
  return canonicalName(text) ?? text;
}
