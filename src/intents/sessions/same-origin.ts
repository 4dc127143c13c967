// Whether a request with a cookie comes from a page of this server. Browsers send cookies with
// requests that pages of other sites cause; SameSite=Strict prevents most of them, and these checks
// the rest: other ports of the same host, and names that were made to point to this server.

import type { RequestFacts, RequestHeaders } from "../auth/request-facts.ts";

export interface Host {
  /** In lower case, without brackets. */
  readonly name: string;
  /** Empty for the default port. */
  readonly port: string;
}

/** The host in the URL of the browser; undefined when it is absent, malformed or ambiguous. */
export function hostOf({ headers }: Pick<RequestFacts, "headers">): Host | undefined {
  const given = [headers[":authority"], headers["host"]].filter((value) => value !== undefined);
  const [text, ...others] = given;
  if (typeof text !== "string" || others.some((other) => other !== text)) return undefined;
  const match = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase().replace(/\.$/, ""), port: match?.[3] ?? "" };
}

/** "https://host:port", as browsers write the origin of their pages. */
export function originOf(facts: Pick<RequestFacts, "headers" | "isSecure">): string | undefined {
  const { headers, isSecure = true } = facts;
  if (hostOf(facts) === undefined) return undefined;
  const authority = headers[":authority"] ?? headers["host"];
  const url = `${isSecure ? "https" : "http"}://${String(authority)}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/**
 * No DNS name can be made to point to this server when the URL has an address instead of a name,
 * so every address is accepted.
 */
export function isOwnHost({ name }: Host, names: ReadonlySet<string>): boolean {
  return names.has(name) || isAddress(name);
}

export function isAddress(name: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) || name.includes(":");
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Why a request with a cookie is refused; undefined when it may continue. */
export function originProblem(
  facts: Pick<RequestFacts, "headers" | "isSecure" | "method">,
): string | undefined {
  const { headers, method = "GET" } = facts;
  const site = textOf(headers, "sec-fetch-site");
  const origin = textOf(headers, "origin");
  const isSafe = safeMethods.has(method);
  if (origin !== undefined && origin !== originOf(facts)) {
    return "the request comes from a page of another origin";
  }
  if (site === undefined) {
    return isSafe || origin !== undefined
      ? undefined
      : "a request that changes something needs the header Origin or Sec-Fetch-Site";
  }
  if (site === "same-origin") return undefined;
  // A user who opens a URL sends no origin; a link of another site may lead to a page.
  const isOpened = textOf(headers, "sec-fetch-mode") === "navigate" || site === "none";
  return isSafe && isOpened ? undefined : "the request comes from a page of another origin";
}

function textOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
