// The list as a kubectl command.

import type { KindInfo } from "../../api/kinds.ts";

export function listCommand(
  { id, isNamespaced }: Pick<KindInfo, "id" | "isNamespaced">,
  namespace: string,
  labels: string | undefined,
): string {
  const place = namespace === "" ? " --all-namespaces" : ` -n ${namespace}`;
  const selector = labels === undefined ? "" : ` -l ${shellWord(labels)}`;
  return `kubectl get ${id}${isNamespaced ? place : ""}${selector}`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
