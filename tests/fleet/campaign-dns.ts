// The zone of the campaign in PowerDNS: what its API has, and what DNS answers.
import { Resolver } from "node:dns/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { powerDnsKey, powerDnsServer } from "../peers/powerdns.ts";
import type { Service } from "../peers/service.ts";

export const zone = "dinosaurs.example.";

export async function createZone(dns: Service): Promise<void> {
  const body = { name: zone, kind: "Native", nameservers: [`ns1.${zone}`] };
  await fetch(`${dns.url}${powerDnsServer}/zones`, {
    method: "POST",
    headers: { "x-api-key": powerDnsKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The routes for which DNS does not answer with their router. */
export async function unresolvedRoutes(
  dns: Service,
  routes: readonly JsonObject[],
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 10_000, tries: 3 });
  // PowerDNS answers DNS at the port of its API, on another loopback address.
  resolver.setServers([`127.0.0.2:${new URL(dns.url).port}`]);
  const findings: string[] = [];
  for (const route of routes) {
    const [domain, router] = [textAt(route, "domain"), textAt(route, "router")];
    const answer = await resolver.resolveCname(domain).catch(String);
    if (String(answer) !== router) findings.push(`${domain} is ${String(answer)}, not ${router}`);
  }
  return findings;
}

export async function recordsLeft(dns: Service): Promise<readonly string[]> {
  const answer = await fetch(`${dns.url}${powerDnsServer}/zones/${zone}`, {
    headers: { "x-api-key": powerDnsKey },
  });
  const sets = objectsAt((await answer.json()) as JsonObject, "rrsets");
  return sets
    .filter((set) => !["SOA", "NS"].includes(textAt(set, "type")))
    .map((set) => `the record ${textAt(set, "name")} is left`);
}
