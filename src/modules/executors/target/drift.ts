// Drift: a difference between an external system and the last applied spec that this server did not
// cause. A check reports it in `status.drift`. It is corrected when the spec says so, or when the
// annotation `reconcile-drift` has a new value. Pure.

import { timeText } from "../../../kernel/clock.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { choice, described, list, object } from "../../../kernel/schema-parts.ts";
import { executorLimits } from "../limits.ts";
import { checkDriftAnnotation, reconcileDriftAnnotation } from "./annotations.ts";

export interface DriftItem {
  /** The key, the field or the object. */
  readonly path: string;
  readonly kind: "changed" | "missing" | "unexpected";
  readonly message: string;
}

export const driftPolicySchema = described(
  { ...choice("Report", "Correct"), default: "Report" },
  "Whether a change that another client made is reported only, or also corrected.",
);

const text = { type: "string", maxLength: 2_048 };

/** Fields of the status of every target. */
export const targetStatus: { readonly [key: string]: JsonObject } = {
  outputs: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  secretOutputs: object({ name: text }),
  drift: object({
    state: choice("None", "Drifted", "Unknown"),
    checkedAt: { type: "string", format: "date-time" },
    items: list(
      object({ path: text, kind: choice("changed", "missing", "unexpected"), message: text }),
      executorLimits.maxDriftItems,
    ),
  }),
  handled: object({ checkDrift: text, reconcileDrift: text }),
  cancelled: object({ operation: text, generation: { type: "integer" } }),
};

function itemJson({ path, kind, message }: DriftItem): JsonObject {
  return { path, kind, message };
}

export interface DriftRequest {
  /** The drift is corrected in this run. */
  readonly isCorrected: boolean;
  /** A check was requested since the last one. */
  readonly isCheckAsked: boolean;
  /** A check or a correction was requested: the requester waits for a newer `checkedAt`. */
  readonly isAsked: boolean;
}

export function driftRequest(resource: Resource): DriftRequest {
  const annotations = objectAt(resource, "metadata", "annotations");
  const handled = objectAt(resource, "status", "handled");
  const asked = textAt(annotations, reconcileDriftAnnotation);
  const check = textAt(annotations, checkDriftAnnotation);
  const isRepairAsked = asked !== "" && asked.slice(0, 256) !== textAt(handled, "reconcileDrift");
  const isCheckAsked = check !== "" && check.slice(0, 256) !== textAt(handled, "checkDrift");
  return {
    isCorrected: isRepairAsked || textAt(resource, "spec", "driftPolicy") === "Correct",
    isCheckAsked,
    isAsked: isRepairAsked || isCheckAsked,
  };
}

/** The fields of the status after a check. Unchanged findings keep their time. */
export function driftStatus(
  resource: Resource,
  items: readonly DriftItem[],
  nowMs: number,
): JsonObject {
  const shown = items.slice(0, executorLimits.maxDriftItems).map(itemJson);
  const state = shown.length === 0 ? "None" : "Drifted";
  const before = objectAt(resource, "status", "drift");
  const isSame = before["state"] === state && equalJson(before["items"] ?? [], shown);
  const isKept = isSame && !driftRequest(resource).isAsked;
  const checkedAt = isKept ? textAt(before, "checkedAt") : timeText(nowMs);
  return {
    drift: { state, checkedAt, items: shown },
    handled: handledRequests(resource),
  };
}

/** For targets whose state cannot be compared. */
export function unknownDrift(resource: Resource, nowMs: number): JsonObject {
  const before = textAt(resource, "status", "drift", "checkedAt");
  const checkedAt = driftRequest(resource).isAsked ? timeText(nowMs) : before;
  const drift = { state: "Unknown", ...(checkedAt === "" ? {} : { checkedAt }) };
  return { drift, handled: handledRequests(resource) };
}

function handledRequests(resource: Resource): JsonObject {
  const annotations = objectAt(resource, "metadata", "annotations");
  return {
    checkDrift: textAt(annotations, checkDriftAnnotation).slice(0, 256),
    reconcileDrift: textAt(annotations, reconcileDriftAnnotation).slice(0, 256),
  };
}
