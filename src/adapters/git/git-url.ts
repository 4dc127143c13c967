// The URL of a repository: https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, or local://PATH
// for a repository below the folder `localRepositories`. Pure.

import { isIP } from "node:net";
import type { GitProblem } from "./port.ts";

export interface GitUrl {
  readonly kind: "url";
  readonly scheme: "https" | "ssh" | "local";
  /** In lower case; an IPv6 address has no brackets. Empty for a local one. */
  readonly host: string;
  readonly port: number;
  /** As git gets it. A local one is a path below the folder until it is resolved. */
  readonly text: string;
}

const localScheme = "local://";
const hostName = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/;
const scpForm = /^([\w.+-]+)@([^/:@\s]+):([^/\s-][^\s]*)$/;

export function parseGitUrl(text: string): GitUrl | GitProblem {
  if (/[\s\p{Cc}]/u.test(text)) return invalid("it must not have spaces or control characters");
  const scp = scpForm.exec(text);
  if (scp !== null) {
    const [, user = "", host = ""] = scp;
    if (user.startsWith("-")) return invalid("the user must not begin with -");
    return checked({ scheme: "ssh", host: host.toLowerCase(), port: 22, text });
  }
  const local = localPath(text);
  if (local !== undefined) return local;
  if (!URL.canParse(text)) return invalid("it is not a URL");
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "https" && scheme !== "ssh") {
    return invalid("it must begin with https:// or ssh://, or have the form user@host:path");
  }
  if (url.password !== "" || (scheme === "https" && url.username !== "")) {
    return invalid("it must not contain credentials: use a Secret");
  }
  if (!/^[\w.+-]*$/.test(url.username) || url.username.startsWith("-")) {
    return invalid("the user has a character that is not allowed");
  }
  if (url.search !== "" || url.hash !== "") return invalid("it must not have a query or fragment");
  if (url.pathname === "" || url.pathname === "/") return invalid("it has no path");
  const host = url.hostname.replaceAll(/^\[|\]$/g, "").toLowerCase();
  const port = url.port === "" ? { https: 443, ssh: 22 }[scheme] : Number(url.port);
  return checked({ scheme, host, port, text });
}

/** Names that begin with a letter or a digit: neither .. nor .git, and no option of git. */
function localPath(text: string): GitUrl | GitProblem | undefined {
  if (!text.startsWith(localScheme)) return undefined;
  const path = text.slice(localScheme.length);
  if (path.split("/").every((name) => /^[A-Za-z0-9][\w.-]*$/.test(name))) {
    return { kind: "url", scheme: "local", host: "", port: 0, text: path };
  }
  return invalid(
    "after local:// it must have names of letters, digits, ., _ and -, separated by /, that begin " +
      "with a letter or a digit",
  );
}

function checked(url: Omit<GitUrl, "kind">): GitUrl | GitProblem {
  const isValid = isIP(url.host) !== 0 || hostName.test(url.host);
  return isValid ? { kind: "url", ...url } : invalid("the name of the host is not valid");
}

function invalid(why: string): GitProblem {
  return { kind: "problem", reason: "InvalidUrl", message: `the URL of the repository: ${why}` };
}

/** Whether git and the host can mean a ref by it: the rules of git check-ref-format. */
export function isRefName(ref: string): boolean {
  return (
    ref.length <= 1_024 &&
    !/[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|\/\.|\.$|\/$/u.test(ref) &&
    !/^[-./]/.test(ref) &&
    ref !== "@"
  );
}

export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
