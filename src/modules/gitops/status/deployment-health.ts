/**
 * The health of a GitOpsDeployment that is an object of another one: that of its own objects, so
 * that the first deployment of a tree shows the health of all. Pure.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Health, HealthStatus } from "./health.ts";

export function deploymentHealth(live: JsonObject): Health {
  const conditions = objectsAt(live, "status", "conditions");
  const error = conditions.find((each) => textAt(each, "type") === "ErrorOccurred");
  if (textAt(error, "status") === "True") {
    const isHeld = textAt(live, "status", "prune", "hash") !== "";
    return health(isHeld ? "Suspended" : "Degraded", textAt(error, "message"));
  }
  const sync = textAt(live, "status", "sync", "status");
  if (sync === "") return health("Progressing", "the deployment has not been compared yet");
  const phase = textAt(live, "status", "operationState", "phase");
  if (phase === "Running" || phase === "Terminating") {
    return health("Progressing", "a sync is running");
  }
  const own = textAt(live, "status", "health", "status") as HealthStatus | "";
  if (own !== "" && own !== "Healthy") {
    return health(own, textAt(live, "status", "health", "message"));
  }
  // A manual deployment stays behind git until a SyncRun, which is not a fault.
  const isAutomated = textAt(live, "spec", "type") === "automated";
  return isAutomated && sync !== "Synced"
    ? health("Progressing", `the deployment is ${sync}`)
    : health("Healthy", "");
}

function health(status: HealthStatus, message: string): Health {
  return { status, message };
}
