// The text that the editor shows: the document without what the server keeps in it for itself.

import { parseDocument } from "yaml";

/** A status is left out only where a write cannot change it. */
export function editedText(yaml: string, { hasStatus }: { readonly hasStatus: boolean }): string {
  const document = parseDocument(yaml);
  document.deleteIn(["metadata", "managedFields"]);
  if (hasStatus) document.delete("status");
  return document.toString({ lineWidth: 0 });
}

export function revisionOf(yaml: string): string | undefined {
  const revision: unknown = parseDocument(yaml).getIn(["metadata", "resourceVersion"]);
  return typeof revision === "string" ? revision : undefined;
}
