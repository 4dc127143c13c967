// Addresses that a server must not call on behalf of a tenant: private, loopback, link-local and
// other special ones reach services of the host or of its network. Pure.

import { BlockList, isIP } from "node:net";

const special = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  special.addSubnet(address, bits, "ipv4");
}
for (const [address, bits] of [
  // Unspecified, loopback, and an old form of IPv4 addresses.
  ["::", 96],
  // Translations to IPv4.
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["100::", 64],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  special.addSubnet(address, bits, "ipv6");
}

/** A text that is not an address is special. IPv4 addresses inside of IPv6 are recognised. */
export function isSpecialAddress(address: string): boolean {
  const family = isIP(address);
  return family === 0 || special.check(address, family === 4 ? "ipv4" : "ipv6");
}
