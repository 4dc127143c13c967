// Where a webhook is: a URL or a service. Kubernetes reads URLs as Go does, which is laxer than
// the WHATWG's rules in some places and stricter in others, so they are split here by hand. The
// same rules hold for webhooks of admission and of conversion.

import { invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { subdomainProblems } from "../../kernel/names.ts";

const form = "; desired format: https://host[/path]";

export function webhookUrlErrors(url: string, field: string): readonly FieldError[] {
  const parsed = splitUrl(url);
  if (typeof parsed === "string") {
    const problem = `parse ${JSON.stringify(url)}: ${parsed}`;
    return [requiredField(field, `url must be a valid URL: ${problem}${form}`)];
  }
  const { scheme, host, user, fragment, query } = parsed;
  const errors: FieldError[] = [];
  if (scheme !== "https") {
    errors.push(invalidField(field, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (host === "") errors.push(invalidField(field, host, `host must be specified${form}`));
  if (user !== undefined) {
    errors.push(invalidField(field, user, "user information is not permitted in the URL"));
  }
  if (fragment !== "") {
    errors.push(invalidField(field, fragment, "fragments are not permitted in the URL"));
  }
  if (query !== "") {
    errors.push(invalidField(field, query, "query parameters are not permitted in the URL"));
  }
  return errors;
}

interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

const urlPattern = new RegExp(
  [
    "^(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?",
    "(?://(?<authority>[^/?#]*))?",
    "(?<path>[^?#]*)",
    "(?:[?](?<query>[^#]*))?",
    "(?:#(?<fragment>.*))?$",
  ].join(""),
  "s",
);

/** The parts of a URL, or what is wrong with it. */
function splitUrl(url: string): UrlParts | string {
  const isControl = (char: string): boolean => char < " " || char === "\u007f";
  if (Array.from(url).some(isControl)) return "net/url: invalid control character in URL";
  if (url.startsWith(":")) return "missing protocol scheme";
  const groups = urlPattern.exec(url)?.groups ?? {};
  const { scheme = "", authority = "", path = "", query = "", fragment = "" } = groups;
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(`${authority}${path}`)?.[0];
  if (badEscape !== undefined) return `invalid URL escape ${JSON.stringify(badEscape)}`;
  if (scheme === "" && groups["authority"] === undefined && /^[^/]*:/.test(path)) {
    return "first path segment in URL cannot contain colon";
  }
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  // A host may be written in UTF-8, but plain characters stand for themselves.
  const plainEscape = /%(?!25)[0-7][0-9A-Fa-f]/.exec(host)?.[0];
  if (plainEscape !== undefined) return `invalid URL escape ${JSON.stringify(plainEscape)}`;
  const badChar = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  if (badChar !== undefined) return `invalid character ${JSON.stringify(badChar)} in host name`;
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? "";
  if (!/^\d*$/.test(port)) return `invalid port ${JSON.stringify(`:${port}`)} after host`;
  const user = at < 0 ? undefined : authority.slice(0, at);
  return { scheme: scheme.toLowerCase(), user, host, query, fragment };
}

/** Kubernetes blames the name for a missing namespace and the other way round; so do we. */
export function webhookServiceErrors(service: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(service, "namespace") === "") errors.push(requiredField(`${path}.name`));
  if (textAt(service, "name") === "") errors.push(requiredField(`${path}.namespace`));
  const port = getOwn(service, "port") ?? 443;
  if (typeof port !== "number" || port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    errors.push(invalidField(`${path}.port`, port, detail));
  }
  const problems = servicePathProblems(textAt(service, "path"));
  const value = textAt(service, "path");
  return [...errors, ...problems.map((problem) => invalidField(`${path}.path`, value, problem))];
}

function servicePathProblems(path: string): readonly string[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return ["segment[0] may not be empty"];
  const problems = path.startsWith("/") ? [] : ["must start with a '/'"];
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") problems.push(`segment[${index}] may not be empty`);
    else {
      for (const problem of subdomainProblems(step)) problems.push(`segment[${index}]: ${problem}`);
    }
  }
  return problems;
}
