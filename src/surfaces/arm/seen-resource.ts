// A resource as a change that this process has seen left it.

import { addedStatus, decodeDocument } from "../../kernel/document.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { SeenChange } from "./awaited-changes.ts";
import type { AcceptedDocument } from "./followed-operations.ts";

/** Most ends do no more to what was accepted than to give it a status. */
export function resourceAfter(
  { revision, body }: Pick<SeenChange, "revision" | "body">,
  before: AcceptedDocument | undefined,
): Resource {
  const status = before && addedStatus(before.body, body);
  if (before === undefined || status === undefined) return decodeDocument(body, revision);
  return { ...before.resource, status };
}
