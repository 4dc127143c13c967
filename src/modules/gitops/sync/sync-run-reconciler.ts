/**
 * Reconciles SyncRuns. A SyncRun is a request: this reconciler accepts it and wakes the deployment,
 * whose run performs it and notes it in `operationState`, from which the SyncRun takes its result.
 */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import { timeText } from "../../../kernel/clock.ts";
import { setCondition } from "../../../kernel/conditions.ts";
import { conditionsOf } from "../../../engine/run/status.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentKey, deploymentsKind, syncRunsKind } from "../names.ts";
import { hasEnded } from "./decide.ts";
import { operationIn } from "./operation-document.ts";
import { hasSyncRunEnded } from "./sync-runs.ts";
import type { SyncPorts } from "./run.ts";

export function syncRunReconciler(ports: SyncPorts): Reconciler {
  return {
    kind: syncRunsKind,
    resyncMs: 0,
    reconcile: async (resource, context) => await new SyncRunPass(ports, resource, context).run(),
    remove: async (resource, context) => await new SyncRunPass(ports, resource, context).remove(),
  };
}

class SyncRunPass {
  readonly #ports: SyncPorts;
  readonly #resource: Resource;
  readonly #context: Context;

  constructor(ports: SyncPorts, resource: Resource, context: Context) {
    this.#ports = ports;
    this.#resource = resource;
    this.#context = context;
  }

  async run(): Promise<Outcome> {
    const { spec, status } = this.#resource;
    const accepted = presentObjectAt(status, "accepted");
    const edited = accepted === undefined ? undefined : editOf(objectAt(spec), accepted);
    if (hasSyncRunEnded(this.#resource)) {
      const isFailed = textAt(status, "phase") !== "Succeeded";
      const problem = edited ?? (isFailed ? textAt(status, "message") : "");
      return done({ status: this.#problem(problem), ready: "keep" });
    }
    const name = textAt(accepted ?? spec, "gitopsDeploymentName");
    const deployment =
      name === "" ? undefined : await this.#context.references.get({ kind: deploymentsKind, name });
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
      if (accepted !== undefined) return await this.#end("Failed", "the deployment was deleted");
      const message = `the GitOpsDeployment ${JSON.stringify(name)} does not exist`;
      const fields = { phase: "Waiting", message, ...this.#problem("") };
      return done({ status: fields, ready: { status: "False", reason: "Waiting", message } });
    }
    if (accepted === undefined) return await this.#accept(deployment);
    if (textAt(accepted, "deploymentUID") !== deployment.metadata.uid) {
      return await this.#end("Failed", "the deployment was deleted and created again");
    }
    return await this.#follow(deployment, edited);
  }

  /** A sync that runs is terminated by the deployment, which does not see this SyncRun any more. */
  async remove(): Promise<Outcome> {
    const name = textAt(this.#resource.status, "accepted", "gitopsDeploymentName");
    if (name === "") return done();
    const deployment = await this.#context.references.get({ kind: deploymentsKind, name });
    const operation = operationIn(objectAt(deployment ?? null, "status"));
    const isOurs = operation?.syncRun === this.#resource.metadata.name && !hasEnded(operation);
    if (deployment === undefined || !isOurs) return done();
    await this.#wake(deployment);
    return again(1_000, { reason: "Terminating", message: "the sync is being terminated" });
  }

  async #accept(deployment: Resource): Promise<Outcome> {
    if (textAt(deployment.spec, "type") !== "manual") {
      const name = deployment.metadata.name;
      const message = `the GitOpsDeployment ${name} is automated: a SyncRun syncs manual ones only`;
      return await this.#end("Failed", message);
    }
    const { spec } = this.#resource;
    const accepted = {
      gitopsDeploymentName: deployment.metadata.name,
      revisionID: textAt(spec, "revisionID"),
      deploymentUID: deployment.metadata.uid,
    };
    const message = "waits for its turn";
    await this.#context.status.patch({ accepted, phase: "Waiting", message });
    await this.#wake(deployment);
    return again(waitMs, {
      status: this.#problem(""),
      reason: "Waiting",
      message,
    });
  }

  async #follow(deployment: Resource, edited: string | undefined): Promise<Outcome> {
    const operation = operationIn(objectAt(deployment, "status"));
    if (operation?.syncRun !== this.#resource.metadata.name) {
      if (textAt(deployment.spec, "type") !== "manual") {
        return await this.#end("Failed", "the deployment is automated now");
      }
      await this.#wake(deployment);
      const message = errorOf(deployment) || "waits for its turn";
      return again(waitMs, {
        status: { phase: "Waiting", message, ...this.#problem(edited ?? errorOf(deployment)) },
        reason: "Waiting",
        message,
      });
    }
    const { id, revision, message, startedAtMs } = operation;
    const fields = { operation: id, revision, startedAt: timeText(startedAtMs) };
    if (!hasEnded(operation)) {
      return again(waitMs, {
        status: { ...fields, phase: "Running", message, ...this.#problem(edited ?? "") },
        reason: "Running",
        message,
      });
    }
    const phase = operation.phase === "Succeeded" ? "Succeeded" : "Failed";
    return await this.#end(phase, message, fields, deployment);
  }

  /** Stored before the deployment is woken, so that it sees that the next SyncRun may begin. */
  async #end(
    phase: "Succeeded" | "Failed",
    message: string,
    fields: JsonObject = {},
    deployment?: Resource,
  ): Promise<Outcome> {
    const status = {
      ...fields,
      phase,
      message,
      finishedAt: timeText(this.#context.clock.nowMs()),
      ...this.#problem(phase === "Failed" ? message : ""),
    };
    await this.#context.status.patch(status);
    if (deployment !== undefined) await this.#wake(deployment);
    const isTrue = phase === "Succeeded";
    const ready = { status: isTrue ? "True" : "False", reason: phase, message } as const;
    return done({ status, ready });
  }

  #problem(message: string): { readonly conditions: JsonObject["conditions"] & {} } {
    const input = {
      type: "ErrorOccurred",
      status: message === "" ? ("False" as const) : ("True" as const),
      reason: message === "" ? "" : "ErrorOccurred",
      message,
    };
    const before = conditionsOf(objectAt(this.#resource, "status"));
    return { conditions: setCondition(before, input, this.#context.clock.nowMs()) };
  }

  async #wake({ metadata: { namespace = "", name, uid } }: Resource): Promise<void> {
    const writes = [wake(deploymentKey(namespace, name), uid)];
    await commitWakes(this.#ports.intents.store, writes, this.#context.signal);
  }
}

/** The status of the deployment wakes it; this bounds what a lost wake could cost. */
const waitMs = 10_000;

function editOf(spec: JsonObject, accepted: JsonObject): string | undefined {
  for (const field of ["gitopsDeploymentName", "revisionID"]) {
    const before = textAt(accepted, field);
    if (textAt(spec, field) === before) continue;
    return (
      `spec.${field} cannot be changed after the SyncRun was accepted: it stays ` +
      `${JSON.stringify(before)}. Create another GitOpsDeploymentSyncRun`
    );
  }
  return undefined;
}

function errorOf({ status }: Resource): string {
  const found = conditionsOf(objectAt(status)).find(({ type }) => type === "ErrorOccurred");
  return found?.status === "True" ? found.message : "";
}
