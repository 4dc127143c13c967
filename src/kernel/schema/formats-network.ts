// Addresses as Go reads them: IPv4 with leading zeros, as old clients write it, and IPv6 with an
// embedded IPv4 address, but without zones.

export function isIpv4(text: string): boolean {
  return text.includes(".") && isIp(text);
}

export function isIpv6(text: string): boolean {
  return text.includes(":") && parseIpv6(text, false);
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!/^\d+$/.test(bits)) return false;
  const isSix = address.includes(":");
  return isIp(address) && Number(bits) <= (isSix ? 128 : 32);
}

/** Six, eight or twenty bytes, with colons, dashes or (in pairs) dots. */
export function isMac(text: string): boolean {
  const bytes = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/;
  const pairs = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/;
  if (bytes.test(text)) return [6, 8, 20].includes((text.length + 1) / 3);
  return pairs.test(text) && [6, 8, 20].includes(((text.length + 1) / 5) * 2);
}

function isIp(text: string): boolean {
  return text.includes(":") ? parseIpv6(text, true) : parseIpv4(text, true);
}

function parseIpv4(text: string, isSloppy: boolean): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => isOctet(part, isSloppy));
}

function isOctet(part: string, isSloppy: boolean): boolean {
  if (!/^\d+$/.test(part)) return false;
  return (isSloppy || part.length === 1 || !part.startsWith("0")) && Number(part) <= 255;
}

function parseIpv6(text: string, isSloppy: boolean): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [half, content] of halves.entries()) {
    if (content === "") {
      if (halves.length === 1) return false;
      continue;
    }
    const parts = content.split(":");
    for (const [i, part] of parts.entries()) {
      const isLast = half === halves.length - 1 && i === parts.length - 1;
      if (part.includes(".")) {
        if (!isLast || !parseIpv4(part, isSloppy)) return false;
        groups += 2;
      } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups += 1;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}
