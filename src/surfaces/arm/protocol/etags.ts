// If-Match and If-None-Match against what is stored. The ETag is the revision, so that whoever
// changed the resource by whatever means is noticed. A PATCH or DELETE of what is not there is
// answered as such before any condition is looked at. If-Match is no condition of a GET: clients
// that wait for a change repeat its headers when they read the result, which has another ETag.

import type { IncomingHttpHeaders } from "node:http";
import { armRefusal } from "./arm-error.ts";

export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/**
 * Throws 412, or 400 for a star among others; `revision` is undefined when there is no such
 * resource.
 */
export function checkConditions(headers: IncomingHttpHeaders, revision: number | undefined): void {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match !== undefined && !isMatch(match, revision)) {
    throw unmet("If-Match", match, revision);
  }
  if (noneMatch !== undefined && isMatch(noneMatch, revision, "weak")) {
    throw unmet("If-None-Match", noneMatch, revision);
  }
}

/**
 * Whether a client that already has it need not get it again. A star names no revision that a
 * client could have: clients that wait for a creation repeat its headers when they read the result.
 */
export function isUnchanged(headers: IncomingHttpHeaders, revision: number): boolean {
  const { "if-none-match": noneMatch } = headers;
  if (noneMatch === undefined) return false;
  return tagsOf(noneMatch).some((tag) => isTag(tag, revision, "weak"));
}

function isMatch(list: string, revision: number | undefined, strength?: "weak"): boolean {
  const tags = tagsOf(list);
  const hasStar = tags.includes("*");
  // Which of the two was meant cannot be known, and one of them may be what guards a change.
  if (hasStar && tags.length > 1) throw mixed();
  if (revision === undefined) return false;
  return hasStar || tags.some((tag) => isTag(tag, revision, strength));
}

/** Headers that come several times are joined by commas; our tags have none inside. */
function tagsOf(list: string): readonly string[] {
  return list.split(",").map((item) => item.trim());
}

/** Weak tags are good enough to save a download, and never to guard a change (RFC 9110, 13.1). */
function isTag(given: string, revision: number, strength?: "weak"): boolean {
  const tag = strength === "weak" ? given.replace(/^W\//, "") : given;
  const wanted = etagOf(revision);
  return tag === wanted || `"${tag}"` === wanted;
}

function mixed(): Error {
  const message = "In If-Match and If-None-Match, * cannot be combined with entity tags.";
  return armRefusal(400, { code: "InvalidHeaderValue", message });
}

function unmet(header: string, value: string, revision: number | undefined): Error {
  const present =
    revision === undefined
      ? "the resource does not exist"
      : `the current ETag is ${etagOf(revision)}`;
  const message = `The condition '${header}: ${value}' is not met: ${present}.`;
  return armRefusal(412, { code: "PreconditionFailed", message });
}
