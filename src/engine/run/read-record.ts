// A stored document as reconcilers see it: in the storage version of its kind, whichever version
// it was written in. Where the write path has no say, as in small tests, it is what is stored.

import { decodeDocument } from "../../kernel/document.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { Resources } from "../ports.ts";

export function readRecord(
  resources: Pick<Resources, "read">,
  record: StoredRecord,
): Resource | Promise<Resource> {
  if (resources.read === undefined) return decodeDocument(record.body, record.revision);
  return resources.read(record);
}
