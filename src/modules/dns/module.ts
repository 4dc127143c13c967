/** DNS records as resources, in zones of PowerDNS servers. See docs/reference/dns.md. */
import type { BuiltInModule } from "../../contract/module.ts";
import { recordDefinition } from "./kinds/record-kind.ts";
import { dnsGroup } from "./kinds/group.ts";
import { zoneDefinition, zonesKind } from "./kinds/zone-kind.ts";
import { dnsLimits } from "./limits.ts";
import { dnsMetrics } from "./metrics.ts";

export const dns: BuiltInModule = {
  name: "dns",
  version: 2,
  kinds: [
    // Its serial changes with every record, which is of no interest to the records.
    { kind: zoneDefinition, isReconciled: true, isQuiet: true },
    { kind: recordDefinition, isReconciled: true },
  ],
  cachedKinds: [zonesKind],
  metrics: dnsMetrics,
  limits: dnsLimits,
  roles: [
    { role: "view", rules: [recordsRule("get", "list", "watch")] },
    {
      role: "edit",
      rules: [recordsRule("create", "update", "patch", "delete", "deletecollection")],
    },
  ],
  open: async (ports) => (await import("./open.ts")).openDns(ports),
};

/** Zones are for administrators: they contain URLs of servers and names of Secrets. */
function recordsRule(...verbs: readonly string[]): {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
} {
  return { apiGroups: [dnsGroup], resources: ["dnsrecords"], verbs };
}
