// A real server, a real PowerDNS behind a proxy that can fail, and a resolver that asks PowerDNS by
// the DNS protocol. Every rig has one zone, which three namespaces may use.
import { Resolver } from "node:dns/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { powerDnsKey, powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import { Resources, applyToServer } from "../peers/resources.ts";
import type { Reconciled } from "../peers/resources.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

export const apiVersion = "dns.setpoint.dev/v1";
export const zoneName = "dinosaurs.example.";
export const zonePath = `${powerDnsServer}/zones/${zoneName}`;

export interface DnsRecord extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly host?: string;
    readonly ttl?: number;
    readonly values?: readonly string[];
  };
}

export interface DnsRig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly powerDns: Service;
  /** Between the two. */
  readonly proxy: FaultProxy;
  readonly zones: Resources;
  readonly records: Resources<DnsRecord>;
  /** Records of another namespace. */
  recordsIn(namespace: string): Resources<DnsRecord>;
  /** Stores the API key. */
  setKey(key: string): Promise<void>;
  /** The answer of PowerDNS to a DNS query, sorted; empty when there is no record. */
  resolve(name: string, type: "A" | "AAAA" | "CNAME" | "TXT"): Promise<readonly string[]>;
  /** Until PowerDNS answers so. */
  resolves(
    name: string,
    type: "A" | "AAAA" | "CNAME" | "TXT",
    to: readonly string[],
  ): Promise<void>;
  /** Changes a record set of the zone as a person does, past Setpoint. */
  byHand(change: JsonObject): Promise<void>;
}

export async function startDnsRig(options: SetpointOptions = {}): Promise<DnsRig> {
  await using stack = new AsyncDisposableStack();
  const powerDns = stack.use(await startPowerDns());
  await makeZone(powerDns);
  const proxy = stack.use(await startFaultProxy({ target: () => powerDns.url }));
  const server = stack.use(await startSetpoint(options));
  const setKey = async (key: string): Promise<void> => {
    const metadata = { name: "powerdns", namespace: "default" };
    const stringData = { "api-key": key };
    await applyToServer(server, { apiVersion: "v1", kind: "Secret", metadata, stringData });
  };
  await setKey(powerDnsKey);
  for (const [name, team] of Object.entries({ herbivores: "a", carnivores: "a", strangers: "b" })) {
    const metadata = { name, labels: { team } };
    await applyToServer(server, { apiVersion: "v1", kind: "Namespace", metadata });
  }
  const recordsIn = (namespace: string): Resources<DnsRecord> =>
    new Resources<DnsRecord>(() => server, { apiVersion, kind: "DnsRecord", namespace });
  const zones = new Resources(() => server, { apiVersion, kind: "DnsZone", namespace: "" });
  await zones.create("public", zoneSpec(proxy.url));
  await zones.ready("public");
  const resolve: DnsRig["resolve"] = (name, type) => lookUp(powerDns, name, type);
  const owned = stack.move();
  return {
    server,
    powerDns,
    proxy,
    zones,
    records: recordsIn("default"),
    recordsIn,
    setKey,
    resolve,
    resolves: async (name, type, to) => {
      let last: readonly string[] = [];
      const isSo = async (): Promise<boolean> => {
        last = await resolve(name, type);
        return last.join("|") === to.toSorted().join("|");
      };
      await waitUntil(`${name} ${type} to be ${to.join(", ")}`, isSo).catch((error: unknown) => {
        throw new Error(`${String(error)}: last ${last.join(", ")}`);
      });
    },
    byHand: async (change) => {
      const { status, text } = await powerDns.ask("PATCH", zonePath, { rrsets: [change] });
      if (status !== 204) throw new Error(`${status} ${text}`);
    },
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

export function zoneSpec(url: string, more: JsonObject = {}): JsonObject {
  const secretRef = { namespace: "default", name: "powerdns", key: "api-key" };
  const selector = { matchLabels: { team: "a" } };
  return {
    zone: zoneName,
    powerdns: { url, apiKey: { secretRef } },
    allow: { namespaces: { names: ["default"], selector } },
    ...more,
  };
}

async function makeZone(powerDns: Service): Promise<void> {
  const zone = { name: zoneName, kind: "Native", nameservers: [`ns.${zoneName}`] };
  const { status, text } = await powerDns.ask("POST", `${powerDnsServer}/zones`, zone);
  if (status !== 201) throw new Error(`${status} ${text}`);
}

const noRecord = new Set(["ENOTFOUND", "ENODATA"]);

async function lookUp(
  powerDns: Service,
  name: string,
  type: "A" | "AAAA" | "CNAME" | "TXT",
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 10_000, tries: 3 });
  // PowerDNS answers DNS at the port of its API, on another loopback address.
  resolver.setServers([`127.0.0.2:${new URL(powerDns.url).port}`]);
  try {
    const answers: readonly (string | string[])[] = await resolverOf(resolver, name, type);
    return answers.map((each) => (typeof each === "string" ? each : textOf(each))).toSorted();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (noRecord.has(code)) return [];
    throw error;
  }
}

function resolverOf(
  resolver: Resolver,
  name: string,
  type: "A" | "AAAA" | "CNAME" | "TXT",
): Promise<string[] | string[][]> {
  switch (type) {
    case "A":
      return resolver.resolve4(name);
    case "AAAA":
      return resolver.resolve6(name);
    case "CNAME":
      return resolver.resolveCname(name);
    default:
      return resolver.resolveTxt(name);
  }
}

/** Node.js shows each byte of a TXT record as one character. */
function textOf(strings: readonly string[]): string {
  return Buffer.from(strings.join(""), "latin1").toString("utf8");
}
