// What is told about a run before it is done.

import type { Outcome } from "../../../engine/outcome.ts";
import type { JsonObject } from "../../../kernel/json.ts";

export interface Preview {
  readonly action: "nothing" | "create" | "update" | "replace" | "delete" | "wait" | "refuse";
  readonly message: string;
  readonly request?: JsonObject;
  readonly changes?: readonly JsonObject[];
  /** What differs and is left as it is. */
  readonly drift?: readonly JsonObject[];
  /** The object as a spec would say it, where there is one. */
  readonly object?: JsonObject;
  /** What would be done once that is over for which it waits. */
  readonly afterwards?: Preview;
}

/** A run that would end so before it has sent anything: by itself later, or by a person. */
export function previewOfOutcome(outcome: Outcome): Preview {
  const message = "message" in outcome ? outcome.message : "";
  return { action: outcome.kind === "failed" ? "refuse" : "wait", message };
}
