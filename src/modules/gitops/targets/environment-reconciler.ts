/** Shows in a condition whether a managed environment can be used. */
import { createHmac } from "node:crypto";
import { KubeError } from "../../../adapters/kubernetes/port.ts";
import { done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { connectionCondition, managedEnvironmentsKind } from "../names.ts";
import { clusterOf, findCluster, reconcileCluster } from "./cluster-environment.ts";
import type { ClusterPorts } from "./cluster-environment.ts";
import { namespacesProblem } from "./environment-access.ts";
import type { ConnectionProblem } from "./environment-access.ts";
import { ensureAccount, hasOwnAccount, removeAccount } from "./environment-account.ts";
import { connectionProblem, findAccess, openClient, probe } from "./environment-connection.ts";
import type { ConnectionPorts } from "./environment-connection.ts";

export interface EnvironmentPorts extends ConnectionPorts, ClusterPorts {}

export function environmentReconciler(ports: EnvironmentPorts): Reconciler {
  const resyncMs = gitopsLimits.environmentCheckSeconds * 1_000;
  return {
    kind: managedEnvironmentsKind,
    resyncMs,
    retry: { soonMostMs: lookAgainMs },
    reconcile: async (environment, context) => {
      const namespace = environment.metadata.namespace ?? "";
      const policy = ports.policies.policyOf(namespace);
      if (clusterOf(environment) !== "") {
        const wrong = namespacesProblem(environment);
        const place = wrong ?? (await findCluster(environment, policy, context));
        if (place.kind === "problem") return unconnected(environment, place, context);
        return await reconcileCluster(ports, place, context, (reason, message) => ({
          conditions: conditionsWith(environment, context, reason, message),
        }));
      }
      const found = await findAccess(environment, policy, context);
      if (found.kind === "problem") return unconnected(environment, found, context);
      using client = openClient(ports, found, namespace);
      const account = hasOwnAccount(environment)
        ? await ensureAccount(environment, client, context)
        : undefined;
      if (account?.kind === "problem") return unconnected(environment, account, context);
      const token = account?.token ?? found.token;
      using probing = openClient(ports, { ...found, token }, namespace);
      const facts = await probe(environment, probing, context);
      if (facts.kind === "problem") return unconnected(environment, facts, context);
      const key = await context.remember("digest-key", () =>
        Buffer.from(context.random.bytes(32)).toString("hex"),
      );
      const credential = createHmac("sha256", key).update(token).digest("hex");
      const status = {
        conditions: conditionsWith(environment, context, "Succeeded", ""),
        server: textAt(environment, "spec", "apiURL"),
        version: facts.version,
        serverUID: facts.serverUid,
        credentialDigest: credential.slice(0, 32),
        ...(account === undefined ? {} : { serviceAccount: account.account }),
      };
      return done({ status });
    },
    remove: async (environment, context) => {
      if (textAt(environment, "status", "serviceAccount", "name") === "") return done();
      const namespace = environment.metadata.namespace ?? "";
      const policy = ports.policies.policyOf(namespace);
      const found = await findAccess(environment, policy, context);
      if (found.kind === "problem") {
        // Without a credential there is no way to the target, now or later.
        context.event("Warning", "ServiceAccountLeft", found.message);
        return done();
      }
      using client = openClient(ports, found, namespace);
      try {
        await removeAccount(environment, client, context);
        return done();
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const { reason, message } = connectionProblem(error);
        return failed(reason, `the ServiceAccount cannot be deleted: ${message}`);
      }
    },
  };
}

/** Where a call failed, the next ones are further apart each time. */
const passing = new Set(["Unreachable", "UnknownError"]);

/** A policy or a right in the target that was changed is seen after this time. */
const lookAgainMs = 60_000;

function unconnected(
  environment: Resource,
  { reason, message }: ConnectionProblem,
  context: Context,
): Outcome {
  const status = { conditions: conditionsWith(environment, context, reason, message) };
  const ready = { status: "False", reason, message } as const;
  return passing.has(reason)
    ? failed(reason, message, { status, ready })
    : done({ status, ready, resyncMs: lookAgainMs });
}

function conditionsWith(
  environment: Resource,
  { clock }: Pick<Context, "clock">,
  reason: string,
  message: string,
): JsonObject[] {
  const before = objectsAt(environment, "status", "conditions") as readonly Condition[];
  const status = reason === "Succeeded" ? "True" : "False";
  const type = connectionCondition;
  return [...setCondition(before, { type, status, reason, message }, clock.nowMs())];
}
