/** Keeps an owned Secret equal to the newest version of a secret that exists in Vault. */
import { ReconcileFailure, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { driftStatus } from "../target/drift.ts";
import type { VaultClient } from "./client.ts";
import { isDeleted } from "./decide-secret.ts";
import { withClient } from "./secret-reconciler.ts";
import type { VaultPorts } from "./secret-reconciler.ts";
import { allowedServer, placeOf } from "./vault-access.ts";
import { readProblem } from "./vault-guard.ts";
import { vaultReadsKind } from "./vault-kinds.ts";

export function readReconciler(ports: VaultPorts): Reconciler {
  return {
    kind: vaultReadsKind,
    reconcile: (read, context) => reconcile(read, context, ports),
    retry: { soonMostMs: 60_000 },
  };
}

async function reconcile(read: Resource, context: Context, ports: VaultPorts): Promise<Outcome> {
  const server = await allowedServer(read, context);
  // The VaultServer may have changed since the VaultRead was admitted.
  const problem = readProblem(server, read);
  if (problem !== undefined) return failed("PathForbidden", problem, { retry: "slow" });
  const given = { server, context, ports, secrets: [] };
  const { data, version } = await withClient(read, given, async (vault) => {
    return await newest(vault, read, context.clock.nowMs());
  });
  const name = `${read.metadata.name}-values`;
  const encoded = Object.entries(data).map(([key, value]): [string, string] => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [key, Buffer.from(text).toString("base64")];
  });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name } };
  await context.children.apply({ ...secret, data: Object.fromEntries(encoded) });
  const seconds = numberAt(server, "spec", "resyncSeconds") ?? executorLimits.resyncSeconds;
  const status = {
    version,
    outputs: { ...placeOf(read), version },
    secretOutputs: { name },
    ...driftStatus(read, [], context.clock.nowMs()),
  };
  return done({ status, resyncMs: seconds * 1_000 });
}

async function newest(
  vault: VaultClient,
  read: Resource,
  nowMs: number,
): Promise<{ readonly data: JsonObject; readonly version: number }> {
  const place = placeOf(read);
  const metadata = await vault.metadata(place);
  const version = metadata?.currentVersion ?? 0;
  const latest = metadata?.versions.find((each) => each.version === version);
  const data = isDeleted(latest, nowMs) ? undefined : await vault.read(place, version);
  if (data !== undefined) return { data, version };
  const where = `${place.mount}/${place.path}`;
  const message = `${where} does not exist in Vault, or its newest version is deleted`;
  const ready = { status: "False", reason: "SecretNotFound", message } as const;
  throw new ReconcileFailure(failed("SecretNotFound", message, { ready }));
}
