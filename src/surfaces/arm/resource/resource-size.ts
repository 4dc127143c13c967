// How large a resource may become. A request has a megabyte at most, but changes add up, and what
// is stored has to fit into an answer, and into a page of a list.

import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { armRefusal } from "../protocol/arm-error.ts";

/** Of the spec; an answer of the Resource Manager has room for twice as much. */
const maxSpecBytes = 4_000_000;
/** What was smaller before cannot become too large by one request, and is not looked at. */
const lookedAtBytes = 2_000_000;

/** Throws 413 where a change makes it larger than that; to become smaller is always allowed. */
export function checkSize(
  record: Pick<StoredRecord, "body">,
  old: Pick<Resource, "spec">,
  wanted: Pick<Resource, "spec">,
): void {
  if (record.body.length < lookedAtBytes) return;
  const bytes = specBytes(wanted);
  if (bytes <= maxSpecBytes || bytes <= specBytes(old)) return;
  const message =
    `The properties would be ${bytes} bytes with this change; ` +
    `the limit for a resource is ${maxSpecBytes}.`;
  throw armRefusal(413, { code: "RequestContentTooLarge", message, target: "properties" });
}

function specBytes({ spec = null }: Pick<Resource, "spec">): number {
  return Buffer.byteLength(JSON.stringify(spec));
}
