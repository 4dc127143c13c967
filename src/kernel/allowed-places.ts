// Private and other special addresses that administrators allow for tenants, as CIDRs or by the
// name of the host. All other special addresses are refused: see special-address.ts. Pure.

import { BlockList, isIP } from "node:net";
import { isSpecialAddress } from "./special-address.ts";

export interface AllowedPlaces {
  readonly cidrs: readonly string[];
  /** In lower case. */
  readonly hosts: readonly string[];
}

/** `address` is what the name of the host was resolved to. */
export function isAddressAllowed(
  { cidrs, hosts }: AllowedPlaces,
  address: string,
  host: string,
): boolean {
  if (!isSpecialAddress(address) || hosts.includes(host.toLowerCase())) return true;
  const allowed = new BlockList();
  for (const cidr of cidrs) addCidr(allowed, cidr);
  const family = isIP(address);
  return family !== 0 && allowed.check(address, family === 4 ? "ipv4" : "ipv6");
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
