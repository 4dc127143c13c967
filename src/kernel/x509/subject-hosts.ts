// The names and addresses that a server's certificate is good for, in the form that a certificate
// needs: names in ASCII, addresses as bytes. Addresses that mean "all" are left out, since no
// client connects to them.

import { isIP, isIPv4 } from "node:net";
import { domainToASCII } from "node:url";
import { SetpointError } from "../errors.ts";

export type SubjectHost =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "address"; readonly bytes: Buffer };

const always = ["localhost", "127.0.0.1", "::1"];
const meaningAll = new Set(["", "0.0.0.0", "::"]);

/** Normal forms without duplicates, sorted: two lists that mean the same are the same. */
export function certificateHosts(hosts: readonly string[]): readonly string[] {
  const wanted = [...always, ...hosts].filter((host) => !meaningAll.has(host));
  return [...new Set(wanted.map(normalHost))].toSorted();
}

export function subjectHost(host: string): SubjectHost {
  const version = isIP(host);
  if (version === 0) return { kind: "name", name: normalHost(host) };
  if (version === 4) return { kind: "address", bytes: Buffer.from(host.split(".").map(Number)) };
  return { kind: "address", bytes: ipv6Bytes(normalHost(host)) };
}

function normalHost(host: string): string {
  if (isIPv4(host)) return host;
  // A URL brings an IPv6 address into its one shortest form.
  const isIpv6 = isIP(host) === 6 && !host.includes("%");
  if (isIpv6) return new URL(`http://[${host}]`).hostname.slice(1, -1);
  const star = host.startsWith("*.") ? "*." : "";
  const name = domainToASCII(host.slice(star.length)).toLowerCase();
  const isName = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/u.test(name);
  if (isName && name.length <= 253) return `${star}${name}`;
  throw new SetpointError("config.invalid", `${JSON.stringify(host)} is not a host`, {
    details: { host },
    suggestion: "write host names and addresses without scheme, port or zone",
  });
}

/** Of a normal form, which has hexadecimal groups only. */
function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  const all = tail === undefined ? first : [...first, ...zeros, ...last];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
