// The life cycle of an instance as steps. The server knows the table of phases; this orders the
// phases that an instance passes through on the way to where it is.

import type { Look } from "../../states/states.ts";
import { instanceLook } from "./looks.ts";

export interface LifeStep {
  readonly phase: string;
  readonly look: Look;
  readonly kind: "passed" | "current" | "ahead";
}

const toReady = ["accepted", "preparing", "provisioning", "ready"] as const;
const toSuspended = ["ready", "suspending", "suspended"] as const;
const toEnd = ["deprovision", "deleting"] as const;

export function lifeSteps(phase: string, wasReady: boolean): readonly LifeStep[] {
  const path = pathOf(phase, wasReady);
  const at = path.indexOf(phase);
  return path.map((each, index) => ({
    phase: each,
    look: instanceLook(each),
    kind: index < at ? "passed" : index === at ? "current" : "ahead",
  }));
}

function pathOf(phase: string, wasReady: boolean): readonly string[] {
  switch (phase) {
    case "failed":
      return wasReady ? [...toReady, "failed"] : ["accepted", "preparing", "provisioning", phase];
    case "suspending":
    case "suspended":
      return toSuspended;
    case "resuming":
      return ["suspended", "resuming", "ready"];
    case "deprovision":
    case "deleting":
      return [...(wasReady ? ["ready"] : []), ...toEnd];
    default:
      return toReady;
  }
}
