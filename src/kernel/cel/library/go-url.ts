// URLs as Go's net/url reads them for requests: absolute, or a path from the root. JavaScript's
// URL repairs what it is given; here a URL is either as it was written or refused, with the words
// that Kubernetes shows for it.

import { goQuote } from "../../go-text.ts";

export interface GoUrl {
  readonly scheme: string;
  /** With the port, and with the brackets of an IPv6 address. */
  readonly host: string;
  readonly escapedPath: string;
  /** Without the question mark. */
  readonly query: string;
  /** As it was written, with the scheme in lower case. */
  readonly text: string;
}

export type UrlResult =
  | { readonly kind: "url"; readonly url: GoUrl }
  | { readonly kind: "problem"; readonly message: string };

export function parseRequestUrl(text: string): UrlResult {
  try {
    parse(text, text, true);
    const hash = text.indexOf("#");
    return { kind: "url", url: parse(text, hash < 0 ? text : text.slice(0, hash), false) };
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return { kind: "problem", message: `parse ${goQuote(text)}: ${error.message}` };
  }
}

export function hostname({ host }: GoUrl): string {
  const bracket = /^\[([^\]]*)\]/.exec(host);
  return bracket?.[1] ?? host.replace(/:[^:]*$/, "");
}

export function port({ host }: GoUrl): string {
  return /:(\d*)$/.exec(host)?.[1] ?? "";
}

/** Pairs that cannot be read are left out. */
export function queryValues({ query }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}

class UrlProblem extends Error {}

function parse(text: string, whole: string, isForRequest: boolean): GoUrl {
  if (/[\p{Cc}]/u.test(whole.replaceAll(/[\u0080-\u009f]/g, ""))) {
    throw new UrlProblem("net/url: invalid control character in URL");
  }
  if (whole === "" && isForRequest) throw new UrlProblem("empty url");
  const { scheme, rest } = splitScheme(whole);
  const question = rest.indexOf("?");
  const path = question < 0 ? rest : rest.slice(0, question);
  const query = question < 0 ? "" : rest.slice(question + 1);
  const parsed = { scheme, query, text: scheme + text.slice(scheme.length) };
  if (!path.startsWith("/")) {
    if (scheme !== "") return { ...parsed, host: "", escapedPath: "" };
    if (isForRequest) throw new UrlProblem("invalid URI for request");
  }
  const hasHost = scheme !== "" || (!isForRequest && !path.startsWith("///"));
  if (!hasHost || !path.startsWith("//")) {
    return { ...parsed, host: "", escapedPath: escapePath(path) };
  }
  const slash = path.indexOf("/", 2);
  const authority = slash < 0 ? path.slice(2) : path.slice(2, slash);
  const host = parseAuthority(authority);
  return { ...parsed, host, escapedPath: slash < 0 ? "" : escapePath(path.slice(slash)) };
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(":")) throw new UrlProblem("missing protocol scheme");
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (found === null) return { scheme: "", rest: text };
  return { scheme: (found[1] ?? "").toLowerCase(), rest: text.slice(found[0].length) };
}

function parseAuthority(authority: string): string {
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    throw new UrlProblem("net/url: invalid userinfo");
  }
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]");
    if (close < 0) throw new UrlProblem("missing ']' in host");
    checkPort(host.slice(close + 1));
  } else if (host.includes(":")) checkPort(host.slice(host.lastIndexOf(":")));
  for (const [escape, hex] of host.matchAll(/%(..)?/gs)) {
    const isHex = /^[0-9a-fA-F]{2}$/.test(hex ?? "");
    const isAllowed = isHex && (Number.parseInt(hex ?? "", 16) >= 0x80 || hex === "25");
    if (!isAllowed) throw new UrlProblem(`invalid URL escape ${goQuote(escape)}`);
  }
  const bad = /[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host);
  if (bad !== null) throw new UrlProblem(`invalid character ${goQuote(bad[0])} in host name`);
  return decode(host, false) ?? host;
}

function checkPort(given: string): void {
  if (!/^(?::\d*)?$/.test(given)) throw new UrlProblem(`invalid port ${goQuote(given)} after host`);
}

/** A path that could have been sent stays as it is; any other is escaped anew. */
function escapePath(path: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(path);
  if (bad !== null) throw new UrlProblem(`invalid URL escape ${goQuote(bad[0])}`);
  if (/^[\w\-.~!$&'()*+,;=:@[\]/%]*$/.test(path)) return path;
  const plain = decode(path, false) ?? path;
  return encodeURI(plain).replaceAll(
    /[?#!'()*[\]]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string, isQuery = true): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const spaced = isQuery ? text.replaceAll("+", " ") : text;
  const bytes = spaced.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"),
  );
  return bytes;
}
