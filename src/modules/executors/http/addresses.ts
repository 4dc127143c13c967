// Which addresses an HttpCall may reach. Private, loopback, link-local and other special addresses
// are refused unless an ExecutorPolicy of the namespace allows them, because the server may reach
// services that a tenant must not. The address is judged after the name was resolved. Pure.

import { BlockList, isIP } from "node:net";
import type { JsonObject } from "../../../kernel/json.ts";
import { textsAt } from "../../../kernel/json-read.ts";
import { isSpecialAddress } from "../../../kernel/special-address.ts";

export interface AllowedPlaces {
  readonly cidrs: readonly string[];
  readonly hosts: readonly string[];
}

/** All that policies allow together. */
export function allowedPlaces(policies: readonly JsonObject[]): AllowedPlaces {
  return {
    cidrs: policies.flatMap((spec) => textsAt(spec, "http", "allowPrivate", "cidrs")),
    hosts: policies.flatMap((spec) => textsAt(spec, "http", "allowPrivate", "hosts")),
  };
}

/** Why an address must not be called; undefined to allow it. The text does not show the address. */
export function refusalOf(
  { cidrs, hosts }: AllowedPlaces,
  address: string,
  host: string,
): string | undefined {
  if (!isSpecialAddress(address) || hosts.includes(host.toLowerCase())) return undefined;
  const allowed = new BlockList();
  for (const cidr of cidrs) addCidr(allowed, cidr);
  const family = isIP(address);
  if (family !== 0 && allowed.check(address, family === 4 ? "ipv4" : "ipv6")) return undefined;
  return (
    `the host ${host} has a private or special address: an administrator can allow it with ` +
    "spec.http.allowPrivate of an ExecutorPolicy"
  );
}

/** What is wrong with a CIDR; undefined when it is valid. */
export function cidrProblem(cidr: string): string | undefined {
  return addCidr(new BlockList(), cidr) ? undefined : "is not a CIDR such as 10.1.0.0/16";
}

function addCidr(list: BlockList, cidr: string): boolean {
  const [, address = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return true;
}
