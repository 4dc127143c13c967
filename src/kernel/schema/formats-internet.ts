// Names and addresses of the internet as Go reads them: request URIs, mail addresses, host names.

import { isIpv6 } from "./formats-network.ts";

const word = "a-zA-Z0-9\\p{S}\\p{L}";
const single = `[${word}](?:-?[${word}]{0,62})?`;
const dotted = `(?:[${word}](?:[-${word}]{0,61}[${word}])?\\.)+[a-zA-Z\\p{L}]{2,63}`;
const hostname = new RegExp(`^(?:${single}|${dotted})$`, "u");

export function isHostname(text: string): boolean {
  if (text.length > 255 || !hostname.test(text)) return false;
  if (Buffer.byteLength(text) > 255) return false;
  return text.split(".").every((part) => Buffer.byteLength(part) <= 63);
}

/** An absolute URI, or an absolute path; anything that could stand in a request line. */
export function isRequestUri(text: string): boolean {
  if (text === "" || hasControl(text)) return false;
  if (text === "*") return true;
  const scheme = /^[a-zA-Z][-+.a-zA-Z0-9]*:/.exec(text)?.[0] ?? "";
  if (scheme === "" && /^[^/?#]*:/.test(text)) return false;
  const rest = text.slice(scheme.length);
  const question = rest.indexOf("?");
  const beforeQuery = question < 0 ? rest : rest.slice(0, question);
  if (!beforeQuery.startsWith("/")) return scheme !== "";
  if (!beforeQuery.startsWith("//") || (scheme === "" && beforeQuery.startsWith("///"))) {
    return hasGoodEscapes(beforeQuery);
  }
  if (scheme === "") return hasGoodEscapes(beforeQuery);
  const slash = beforeQuery.indexOf("/", 2);
  const authority = beforeQuery.slice(2, slash < 0 ? undefined : slash);
  return isAuthority(authority) && hasGoodEscapes(slash < 0 ? "" : beforeQuery.slice(slash));
}

/** A bare address, or one with a name in front of it and in angle brackets. */
export function isEmail(text: string): boolean {
  const trimmed = withoutComment(text.trim());
  const bracket = /^(.*)<([^<>]*)>$/su.exec(trimmed);
  if (bracket === null) return isAddress(trimmed);
  return isPhrase(bracket[1] ?? "") && isAddress((bracket[2] ?? "").trim());
}

/** Without a comment in parentheses at the end. */
function withoutComment(text: string): string {
  if (!text.endsWith(")")) return text;
  const start = text.lastIndexOf("(");
  if (start < 0 || /[)\\]/u.test(text.slice(start, -1))) return text;
  return text.slice(0, start).trim();
}

const atom = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\u{10ffff}]+";
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`, "u");
const quoted = /^"(?:[^"\\\r\n]|\\[^\r\n])+"$/u;
const domainLiteral = /^\[[^[\]\\]*\]$/u;
const phraseWord = new RegExp(
  `^(?:${atom}(?:\\.${atom})*\\.?|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*")`,
  "u",
);

function isAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at <= 0) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const isLocal = dotAtom.test(local) || quoted.test(local);
  return isLocal && (dotAtom.test(domain) || domainLiteral.test(domain));
}

function isPhrase(text: string): boolean {
  let rest = text.trim();
  while (rest !== "") {
    const found = phraseWord.exec(rest);
    if (found === null) return false;
    rest = rest.slice(found[0].length).trimStart();
  }
  return true;
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [user, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!/^[-a-zA-Z0-9._:~!$&'()*+,;=%@]*$/.test(user) || !hasGoodEscapes(user)) return false;
  const literal = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  if (literal !== null) return isIpv6((literal[1] ?? "").replace(/%25.*$/, ""));
  if (/[[\]]/.test(host)) return false;
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && !/^\d*$/.test(host.slice(colon + 1))) return false;
  // Only what is not ASCII may be escaped in a host.
  return !/[\s#@\\^`{|}]|%(?![89a-fA-F][0-9a-fA-F])/.test(host);
}

function hasGoodEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
