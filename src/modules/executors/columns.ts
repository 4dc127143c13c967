// The last columns of `kubectl get`, the same for every kind that is reconciled.

import type { PrinterColumn } from "../../kernel/kind.ts";

export const readyColumns: readonly PrinterColumn[] = [
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];
