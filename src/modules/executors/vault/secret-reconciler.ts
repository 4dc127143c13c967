/**
 * Keeps a secret of Vault equal to a VaultSecret. One run reads, decides and writes at most once.
 */
import { ReconcileFailure, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { cancellation } from "../target/cancel.ts";
import { keyedDigests } from "../target/digests.ts";
import type { DigestOf } from "../target/digests.ts";
import { driftRequest, driftStatus } from "../target/drift.ts";
import { accountOf } from "../../../acting/identity.ts";
import type { OpenVault, VaultClient } from "./client.ts";
import { decideRemoval, decideSecret, ownerKey, ownerNameKey } from "./decide-secret.ts";
import type { SecretInput } from "./decide-secret.ts";
import { generatedValues } from "./generate.ts";
import type { VaultSessions } from "./sessions.ts";
import { allowedServer, placeOf, serverOf, vaultAccess } from "./vault-access.ts";
import { vaultSecretsKind } from "./vault-kinds.ts";

export interface VaultPorts {
  readonly openVault: OpenVault;
  readonly sessions: VaultSessions;
}

export function secretReconciler(ports: VaultPorts): Reconciler {
  return {
    kind: vaultSecretsKind,
    reconcile: (secret, context) => reconcile(secret, context, ports),
    remove: (secret, context) => remove(secret, context, ports),
    retry: { soonMostMs: 60_000 },
  };
}

interface Wanted {
  readonly values: Readonly<Record<string, string>>;
  readonly outputs: JsonObject;
  readonly digest: string;
  readonly hasGenerated: boolean;
}

async function reconcile(secret: Resource, context: Context, ports: VaultPorts): Promise<Outcome> {
  const server = await allowedServer(secret, context);
  const digestOf = await keyedDigests(context);
  const wanted = await wantedValues(secret, context, digestOf);
  const isApplied = textAt(secret, "status", "applied") === wanted.digest;
  const cancelled = isApplied ? undefined : cancellation(secret);
  if (cancelled !== undefined) return cancelled;
  const given = { server, context, ports, secrets: Object.values(wanted.values) };
  return await withClient(secret, given, async (vault) => {
    const mayTakeOver =
      isTrueAt(secret, "spec", "takeOver") && isTrueAt(server, "spec", "allow", "takeOver");
    const flags = { isApplied, isCorrected: driftRequest(secret).isCorrected, mayTakeOver };
    const input = { ...(await observe(secret, context, vault, digestOf)), ...flags };
    return await perform({ secret, context, vault, server, wanted }, input);
  });
}

interface Performing {
  readonly secret: Resource;
  readonly context: Context;
  readonly vault: VaultClient;
  readonly server: Resource;
  readonly wanted: Wanted;
}

async function perform(work: Performing, input: SecretInput): Promise<Outcome> {
  const { secret, context, vault, server, wanted } = work;
  const place = placeOf(secret);
  const step = decideSecret(input);
  const nowMs = context.clock.nowMs();
  const seconds = numberAt(server, "spec", "resyncSeconds") ?? executorLimits.resyncSeconds;
  const resyncMs = seconds * 1_000;
  switch (step.kind) {
    case "settled": {
      const secretOutputs = await storeOutputs(secret, context, wanted);
      return done({ status: { secretOutputs, ...driftStatus(secret, [], nowMs) }, resyncMs });
    }
    case "drifted": {
      const item = { ...step.item, path: `${place.mount}/${place.path}` };
      return done({ status: driftStatus(secret, [item], nowMs), resyncMs });
    }
    case "refuse": {
      const { reason, message } = step;
      const ready = { status: "False", reason, message } as const;
      return failed(reason, message, { retry: "slow", ready });
    }
    case "mark":
      return await finish(work, input, input.metadata?.currentVersion ?? 0, resyncMs);
    default: {
      // Stored first: after a crash, the next run recognises the version as its own.
      await context.status.patch({ pending: { version: step.cas + 1, digest: wanted.digest } });
      const result = await vault.write(place, { ...wanted.values }, step.cas);
      if (result.kind === "conflict") throw conflict();
      if (step.corrected !== undefined) {
        context.event("Warning", "DriftCorrected", `wrote the secret: ${step.corrected.message}`);
      }
      return await finish(work, input, result.version, resyncMs);
    }
  }
}

/** Marks the secret, and shows the version and the outputs. */
async function finish(
  { secret, context, vault, wanted }: Performing,
  { metadata, owner }: SecretInput,
  version: number,
  resyncMs: number,
): Promise<Outcome> {
  const custom = metadata?.custom ?? {};
  if (custom[ownerKey] !== owner.uid) {
    const mark = { [ownerKey]: owner.uid, [ownerNameKey]: owner.name };
    await vault.mark(placeOf(secret), { ...custom, ...mark });
  }
  const secretOutputs = await storeOutputs(secret, context, wanted);
  const drift = driftStatus(secret, [], context.clock.nowMs());
  const before = objectAt(secret, "status", "outputs");
  const outputs = makeMergePatch(before, { ...wanted.outputs, ...placeOf(secret), version });
  const status = {
    applied: wanted.digest,
    version,
    pending: null,
    outputs,
    secretOutputs,
    ...drift,
  };
  return done({ status, resyncMs });
}

async function remove(secret: Resource, context: Context, ports: VaultPorts): Promise<Outcome> {
  const deletion = textAt(secret, "spec", "deletion");
  if (deletion === "Keep") return done();
  const hint = "; create it again: the secret cannot be deleted in Vault without it";
  const server = await serverOf(secret, context, hint);
  const digestOf = await keyedDigests(context);
  return await withClient(secret, { server, context, ports, secrets: [] }, async (vault) => {
    const flags = { isApplied: true, isCorrected: false, mayTakeOver: false };
    const input = { ...(await observe(secret, context, vault, digestOf)), ...flags };
    const step = decideRemoval(input);
    if (step.kind === "foreign") {
      context.event("Normal", "SecretKept", "the secret does not belong to this VaultSecret");
    }
    if (step.kind !== "remove") return done();
    if (deletion === "Destroy") await vault.destroy(placeOf(secret), step.versions);
    else if (step.current > 0) await vault.softDelete(placeOf(secret), [step.current]);
    return done();
  });
}

interface ClientInput {
  readonly server: Resource;
  readonly context: Context;
  readonly ports: VaultPorts;
  readonly secrets: readonly string[];
}

/** Runs calls as the account of a VaultSecret or a VaultRead. */
export async function withClient<T>(
  secret: Resource,
  { server, context, ports, secrets }: ClientInput,
  run: (vault: VaultClient) => Promise<T>,
): Promise<T> {
  const door = ports.openVault(vaultAccess(server), context);
  const account = { namespace: secret.metadata.namespace ?? "", name: accountOf(secret) };
  return await ports.sessions.use({ server, door, context, account, secrets }, run);
}

type Observed = Pick<
  SecretInput,
  "metadata" | "owner" | "recordedVersion" | "isInterrupted" | "nowMs"
>;

async function observe(
  secret: Resource,
  context: Context,
  vault: VaultClient,
  digestOf: DigestOf,
): Promise<Observed> {
  const { uid, namespace = "", name } = secret.metadata;
  const metadata = await vault.metadata(placeOf(secret));
  const current = metadata?.currentVersion ?? 0;
  const pending = objectAt(secret, "status", "pending");
  // Values are read only to recognise the version of an interrupted run.
  const data =
    current > 0 && numberAt(pending, "version") === current
      ? await vault.read(placeOf(secret), current)
      : undefined;
  const isInterrupted =
    data !== undefined && digestOf(canonical(data)) === textAt(pending, "digest");
  return {
    metadata,
    owner: { uid, name: `${namespace}/${name}` },
    recordedVersion: numberAt(secret, "status", "version") ?? 0,
    isInterrupted,
    nowMs: context.clock.nowMs(),
  };
}

async function wantedValues(
  secret: Resource,
  context: Context,
  digestOf: DigestOf,
): Promise<Wanted> {
  const generated = await generatedValues(secret, context);
  const given = objectAt(secret, "spec", "data") as Readonly<Record<string, string>>;
  const values = { ...given, ...generated.values };
  return {
    values,
    outputs: generated.outputs,
    digest: digestOf(canonical(values)),
    hasGenerated: Object.keys(generated.values).length > 0,
  };
}

function canonical(values: JsonObject): string {
  const entries = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries);
}

/** Generated values are also an owned Secret, by which other resources read them. */
async function storeOutputs(
  { metadata }: Resource,
  { children }: Context,
  { values, hasGenerated }: Wanted,
): Promise<JsonObject | null> {
  if (!hasGenerated) return null;
  const name = `${metadata.name}-values`;
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  await children.apply({ apiVersion: "v1", kind: "Secret", metadata: { name }, data });
  return { name };
}

function conflict(): ReconcileFailure {
  const message = "another client changed the secret at the same time; nothing was written";
  return new ReconcileFailure(failed("Conflict", message, { afterMs: executorLimits.conflictMs }));
}
