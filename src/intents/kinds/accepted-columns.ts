// The columns by which `kubectl get` shows whether a resource of the server's own is in force, for
// kinds whose resources say so in the condition `Accepted`.

import type { PrinterColumn } from "../../kernel/kind.ts";

const condition = '.status.conditions[?(@.type=="Accepted")]';

export const acceptedColumns: readonly PrinterColumn[] = [
  { name: "Accepted", type: "string", jsonPath: `${condition}.status` },
  { name: "Reason", type: "string", jsonPath: `${condition}.reason` },
];
