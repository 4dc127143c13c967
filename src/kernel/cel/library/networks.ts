// ip("10.0.0.1").isLoopback(), cidr("10.0.0.0/8").containsIP("10.1.2.3") and their like.

import { fixed, traversal, walk } from "../costs.ts";
import { add, exactly, scale, traversalFactor } from "../estimates.ts";
import { declare, global, member } from "../functions.ts";
import type { CallCost, FunctionDeclaration } from "../functions.ts";
import { goQuote } from "../../go-text.ts";
import { contains, formatAddress, isIpv4InIpv6, maskAddress, parseAddress } from "./addresses.ts";
import { parseNetwork, sameAddress } from "./addresses.ts";
import type { Address, Network } from "./addresses.ts";
import { sizeOf } from "../sizes.ts";
import { boolType, intType, opaqueType, stringType } from "../types.ts";
import type { CelError, CelOpaque, CelValue } from "../values.ts";
import { error, isError, noSuchOverload, opaqueValues, textOf } from "../values.ts";

export const ipType = opaqueType("net.IP");
export const cidrType = opaqueType("net.CIDR");

const ips = opaqueValues<Address>(ipType, sameAddress, ({ bytes }) => bytes.length);
const cidrs = opaqueValues<Network>(
  cidrType,
  (a, b) => a.bits === b.bits && sameAddress(a.address, b.address),
  ({ bits }) => Math.ceil(bits / 8),
);

const nominal = fixed(1);

function ipTest(
  name: string,
  id: string,
  test: (address: Address) => boolean,
): FunctionDeclaration {
  return declare(name, [member(id, [ipType], boolType, (ip) => test(ips.unwrap(ip)))], nominal);
}

export const ipFunctions: readonly FunctionDeclaration[] = [
  declare("ip", [global("string_to_ip", [stringType], ipType, toIp)], {
    estimate: (call) =>
      call.overload === "cidr_ip" ? nominal.estimate(call) : traversal().estimate(call),
    bill: (overload) => (overload === "cidr_ip" ? 1 : ([text = null]) => walk(sizeOf(text))),
  }),
  declare(
    "family",
    [member("ip_family", [ipType], intType, (ip) => (ips.unwrap(ip).bytes.length === 4 ? 4 : 6))],
    nominal,
  ),
  declare(
    "ip.isCanonical",
    [
      global("ip_is_canonical", [stringType], boolType, (text) => {
        const ip = toIp(text);
        return isError(ip) ? ip : formatAddress(ips.unwrap(ip)) === text;
      }),
    ],
    traversal(2),
  ),
  declare(
    "isIP",
    [global("is_ip", [stringType], boolType, (text) => !isError(toIp(text)))],
    traversal(),
  ),
  ipTest("isUnspecified", "ip_is_unspecified", isUnspecified),
  ipTest("isLoopback", "ip_is_loopback", isLoopback),
  ipTest("isLinkLocalMulticast", "ip_is_link_local_multicast", ({ bytes }) =>
    bytes.length === 4
      ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
      : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02,
  ),
  ipTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
  ipTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
  declare("string", [
    global("ip_to_string", [ipType], stringType, (ip) => formatAddress(ips.unwrap(ip))),
    global("cidr_to_string", [cidrType], stringType, (cidr) => {
      const { address, bits } = cidrs.unwrap(cidr);
      return `${formatAddress(address)}/${bits}`;
    }),
  ]),
];

/** Two addresses are compared; an address given as text has to be read first. */
function comparing(textOverload: string, masks: boolean): CallCost {
  const sizes = { min: 4, max: 16 };
  const compared = scale(add(sizes, sizes), traversalFactor);
  const base = masks ? add(add(compared, scale(sizes, traversalFactor)), exactly(1)) : compared;
  return {
    estimate: ({ overload, args, sizeOf: size }) => {
      const [other] = args;
      if (overload !== textOverload || other === undefined) return { cost: base };
      return { cost: add(base, scale(size(other), traversalFactor)) };
    },
    bill:
      (overload) =>
      ([cidr = null, other = null]) => {
        const own = sizeOf(cidr);
        const masking = masks ? walk(own) + 1 : 0;
        return walk(own + own) + masking + (overload === textOverload ? walk(sizeOf(other)) : 0);
      },
  };
}

export const cidrFunctions: readonly FunctionDeclaration[] = [
  declare("cidr", [global("string_to_cidr", [stringType], cidrType, toCidr)], traversal()),
  declare(
    "isCIDR",
    [global("is_cidr", [stringType], boolType, (text) => !isError(toCidr(text)))],
    traversal(),
  ),
  declare(
    "containsIP",
    [
      member("cidr_contains_ip_string", [cidrType, stringType], boolType, (cidr, text) => {
        const ip = toIp(text);
        return isError(ip) ? noSuchOverload : containsIp(cidr, ip);
      }),
      member("cidr_contains_ip_ip", [cidrType, ipType], boolType, containsIp),
    ],
    comparing("cidr_contains_ip_string", false),
  ),
  declare(
    "containsCIDR",
    [
      member("cidr_contains_cidr_string", [cidrType, stringType], boolType, (cidr, text) => {
        const other = toCidr(text);
        return isError(other) ? other : containsCidr(cidr, other);
      }),
      member("cidr_contains_cidr", [cidrType, cidrType], boolType, containsCidr),
    ],
    comparing("cidr_contains_cidr_string", true),
  ),
  declare("ip", [
    member("cidr_ip", [cidrType], ipType, (cidr) => ips.wrap(cidrs.unwrap(cidr).address)),
  ]),
  declare(
    "prefixLength",
    [member("cidr_prefix_length", [cidrType], intType, (cidr) => cidrs.unwrap(cidr).bits)],
    nominal,
  ),
  declare(
    "masked",
    [
      member("cidr_masked", [cidrType], cidrType, (cidr) => {
        const { address, bits } = cidrs.unwrap(cidr);
        return cidrs.wrap({ address: maskAddress(address, bits), bits });
      }),
    ],
    nominal,
  ),
];

function toIp(text: CelValue): CelOpaque | CelError {
  const raw = textOf(text);
  const address = parseAddress(raw);
  const prefix = `IP Address ${goQuote(raw)} parse error during conversion from string:`;
  if ("problem" in address) return error(`${prefix} ${address.problem}`);
  if (address.zone !== "") {
    return error(`IP address ${goQuote(raw)} with zone value is not allowed`);
  }
  if (isIpv4InIpv6(address)) {
    return error(`IPv4-mapped IPv6 address ${goQuote(raw)} is not allowed`);
  }
  return ips.wrap(address);
}

function toCidr(text: CelValue): CelOpaque | CelError {
  const raw = textOf(text);
  const network = parseNetwork(raw);
  const prefix = "network address parse error during conversion from string:";
  if ("problem" in network) return error(`${prefix} ${prefix} ${network.problem}`);
  if (isIpv4InIpv6(network.address)) {
    return error(`${prefix} IPv4-mapped IPv6 address ${goQuote(raw)} is not allowed`);
  }
  return cidrs.wrap(network);
}

function containsIp(cidr: CelValue, ip: CelValue): CelValue {
  return contains(cidrs.unwrap(cidr), ips.unwrap(ip));
}

function containsCidr(cidr: CelValue, other: CelValue): CelValue {
  const [outer, inner] = [cidrs.unwrap(cidr), cidrs.unwrap(other)];
  return outer.bits <= inner.bits && contains(outer, inner.address);
}

function isUnspecified({ bytes }: Address): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback({ bytes }: Address): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.at(-1) === 1 && bytes.slice(0, -1).every((byte) => byte === 0);
}

function isLinkLocalUnicast({ bytes }: Address): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(address: Address): boolean {
  const [first = 0] = address.bytes;
  const isMulticast = address.bytes.length === 4 ? (first & 0xf0) === 0xe0 : first === 0xff;
  const isBroadcast = address.bytes.length === 4 && address.bytes.every((byte) => byte === 255);
  const isSpecial = isUnspecified(address) || isLoopback(address) || isLinkLocalUnicast(address);
  return !isMulticast && !isBroadcast && !isSpecial;
}
