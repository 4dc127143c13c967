// What a run needs to call the server of a zone: its address and the API key.

import { secretKey } from "../../engine/external/secret-key.ts";
import type { Context } from "../../engine/reconciler.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { canonicalName } from "./names/domain-name.ts";
import type { ZoneAccess } from "./server/powerdns.ts";

export async function accessTo(
  zone: Resource,
  context: Pick<Context, "references">,
): Promise<ZoneAccess> {
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
