// If-Match and If-None-Match against what is stored. The ETag is the revision, so that whoever
// changed the resource by whatever means is noticed. A PATCH or DELETE of what is not there is
// answered as such before any condition is looked at.

import type { IncomingHttpHeaders } from "node:http";
import { armRefusal } from "./arm-error.ts";

export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/** Throws 412; `revision` is undefined when there is no such resource. */
export function checkConditions(headers: IncomingHttpHeaders, revision: number | undefined): void {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match !== undefined && !includes(match, revision)) throw unmet("If-Match", match, revision);
  if (noneMatch !== undefined && includes(noneMatch, revision)) {
    throw unmet("If-None-Match", noneMatch, revision);
  }
}

/**
 * Whether a client that already has it need not get it again. A star names no revision that a
 * client could have: clients that wait for a creation repeat its headers when they read the result.
 */
export function isUnchanged(headers: IncomingHttpHeaders, revision: number): boolean {
  const { "if-none-match": noneMatch } = headers;
  return noneMatch !== undefined && noneMatch.trim() !== "*" && includes(noneMatch, revision);
}

function includes(list: string, revision: number | undefined): boolean {
  if (revision === undefined) return false;
  const wanted = etagOf(revision);
  return list.split(",").some((item) => {
    const tag = item.trim().replace(/^W\//, "");
    return tag === "*" || tag === wanted || `"${tag}"` === wanted;
  });
}

function unmet(header: string, value: string, revision: number | undefined): Error {
  const present =
    revision === undefined
      ? "there is no such resource"
      : `the present ETag is ${etagOf(revision)}`;
  const message = `The condition '${header}: ${value}' is not met: ${present}.`;
  return armRefusal(412, { code: "PreconditionFailed", message });
}
