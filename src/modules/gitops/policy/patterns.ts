// Patterns of a GitOpsPolicy, in which * stands for any characters. A URL is compared by its host
// without user and its decoded path, so that another spelling of the same URL changes nothing.
// In a host, * does not go beyond the host. Pure; the time grows with pattern times text.

/** Replaces {namespace} in a pattern. */
export function forNamespace(patterns: readonly string[], namespace: string): readonly string[] {
  return patterns.map((pattern) => pattern.replaceAll("{namespace}", namespace));
}

export function matchesText(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

export interface UrlPlace {
  readonly protocol: string;
  /** In lower case, with the port unless it is that of the protocol. */
  readonly host: string;
  /** Without a slash or .git at its end. */
  readonly path: string;
}

const ports: Readonly<Record<string, string>> = { "https:": ":443", "ssh:": ":22" };

/** Undefined for an invalid URL, and for one that programs could read in another way. */
export function urlPlace(url: string): UrlPlace | undefined {
  const text = longForm(url);
  // oxlint-disable-next-line no-control-regex -- no URL has them
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, host, pathname, search, hash } = new URL(text);
  const path = decoded(pathname);
  if (host === "" || search !== "" || hash !== "" || path === undefined) return undefined;
  return { protocol, host: withoutPort(host, protocol), path };
}

/** `any` for a comparison that forbids: the path is compared in any case. */
export function matchesUrl(pattern: string, place: UrlPlace, compared: "exact" | "any"): boolean {
  if (pattern === "*") return true;
  const [, scheme = "", rest = ""] = /^([^:/]+:)\/\/(.*)$/.exec(longForm(pattern)) ?? [];
  if (!matchesText(scheme.toLowerCase(), place.protocol)) return false;
  const slash = rest.indexOf("/");
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  if (!matchesText(withoutPort(host, place.protocol), place.host)) return false;
  // Without a path, a pattern is about all of the host.
  const path = slash < 0 ? "*" : trimmed(rest.slice(slash));
  return compared === "exact"
    ? matchesText(path, place.path)
    : matchesText(path.toLowerCase(), place.path.toLowerCase());
}

/** user@host:path as ssh://user@host/path. */
function longForm(url: string): string {
  const [, authority, path = ""] = /^((?:[^@/:]+@)?[^@/:]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  return authority === undefined ? url : `ssh://${authority}/${path.replace(/^\/+/, "")}`;
}

function withoutPort(host: string, protocol: string): string {
  const port = ports[protocol];
  const lower = host.toLowerCase().replace(/\.(?=:\d+$|$)/, "");
  return port !== undefined && lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}

function decoded(pathname: string): string | undefined {
  try {
    const path = decodeURIComponent(pathname);
    return path.split("/").some((part) => part === ".." || part === ".")
      ? undefined
      : trimmed(path);
  } catch {
    return undefined;
  }
}

function trimmed(path: string): string {
  const single = path
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "")
    .replace(/\.git$/i, "");
  return single === "" ? "/" : single;
}
