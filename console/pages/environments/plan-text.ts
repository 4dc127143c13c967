// A plan in words.

import type { PlannedField, PlanStatus } from "../../api/environments.ts";
import type { JsonValue } from "../../api/types.ts";

const mostChars = 120;

/** "2 to add, 1 to change, 1 to destroy" */
export function planSentence({ phase, add = 0, change = 0, remove = 0 }: PlanStatus): string {
  if (phase === "Pending") return "The plan is being made";
  if (phase === "Failed") return "The plan failed";
  const parts = [
    ...(add > 0 ? [`${add} to add`] : []),
    ...(change > 0 ? [`${change} to change`] : []),
    ...(remove > 0 ? [`${remove} to destroy`] : []),
  ];
  return parts.length === 0 ? "Nothing to change" : parts.join(", ");
}

/** "shop:1.4 becomes shop:2.0" */
export function fieldText({ before, after, deferred, hidden }: PlannedField): string {
  if (hidden === true) return "changes; its values are secret";
  if (deferred !== undefined) return deferred;
  if (before === undefined) return `is set to ${valueText(after)}`;
  if (after === undefined) return `is removed; it was ${valueText(before)}`;
  return `${valueText(before)} becomes ${valueText(after)}`;
}

function valueText(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.length > mostChars ? `${text.slice(0, mostChars)}…` : text;
}
