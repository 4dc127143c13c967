/** SyncBundles in the namespace of a cluster. Requests are in Secrets, which agents cannot read. */
import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { packed, partsOf, unpacked } from "../agent/packing.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import { bundleLabel, bundlesKind, gitopsVersion } from "../names.ts";
import { createRecord, deleteRecord, listAll, putRecord } from "../sync/records.ts";
import type { Bundle, BundleExchange } from "./target.ts";

export interface ExchangeInput {
  readonly intents: Intents;
  readonly context: Context;
  readonly environment: string;
  /** Of the cluster. */
  readonly namespace: string;
}

export function bundleExchange(input: ExchangeInput): BundleExchange {
  const { context, namespace } = input;
  const bundleOf = async (name: string): Promise<Resource | undefined> =>
    await context.references.get({ kind: bundlesKind, namespace, name });
  return {
    send: async (bundle) => await send(input, bundle, await bundleOf(bundle.name)),
    report: async (name) => {
      const payload = textAt((await bundleOf(name))?.status, "payload");
      if (payload === "" || payload.length > gitopsLimits.maxBundleChars) return undefined;
      return unpacked(Buffer.from(payload, "base64"));
    },
  };
}

/** The Secrets are stored before the SyncBundle names them. */
async function send(
  input: ExchangeInput,
  bundle: Bundle,
  present: Resource | undefined,
): Promise<void> {
  const { name, deployment, operation, revision, action, payload } = bundle;
  const { environment, namespace } = input;
  const digest = digestOf(payload);
  if (textAt(present?.spec, "digest") === digest) return;
  const parts = partsOf(packed(payload));
  const prefix = `${name}-${digest.slice(0, 16)}`;
  for (const [part, data] of parts.entries()) {
    await createRecord(input, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${prefix}-${part}`, namespace, labels: { [bundleLabel]: name } },
      type: "Opaque",
      data: { payload: data.toString("base64") },
    });
  }
  const metadata = { name, namespace };
  const body = {
    apiVersion: gitopsVersion,
    kind: "SyncBundle",
    metadata,
    spec: {
      deployment: { ...deployment },
      environment,
      operation,
      revision,
      digest,
      action,
      part: 0,
      parts: parts.length,
      payloadSecret: prefix,
    },
  };
  await putRecord(input, body, present);
  await deleteSecrets(input, name, prefix);
}

/** Those of the bundle, without those of the request that is kept. */
async function deleteSecrets(
  input: ExchangeInput,
  bundle: string,
  keptPrefix: string | undefined,
): Promise<void> {
  const { intents, namespace } = input;
  const labels = [{ key: bundleLabel, operator: "in", values: [bundle] }] as const;
  for await (const { metadata } of listAll(intents.store, { kind: "secrets", namespace, labels })) {
    if (keptPrefix !== undefined && metadata.name.startsWith(`${keptPrefix}-`)) continue;
    await deleteRecord(input, { kind: "secrets", namespace, name: metadata.name });
  }
}

/**
 * Deletes the SyncBundles of a deployment in all namespaces but one, with their Secrets. Those that
 * remove objects stay: they belong to Inventories.
 */
export async function deleteBundles(
  { intents, context }: Pick<ExchangeInput, "intents" | "context">,
  deploymentUid: string,
  isKept: (bundle: Resource) => boolean,
): Promise<void> {
  const path = ".spec.deployment.uid";
  const fields = [{ path, operator: "in", values: [deploymentUid] }] as const;
  for await (const bundle of listAll(intents.store, { kind: bundlesKind, fields })) {
    if (isKept(bundle)) continue;
    const { name, namespace = "" } = bundle.metadata;
    const input = { intents, context, namespace, environment: "" };
    await deleteSecrets(input, name, undefined);
    await deleteRecord(input, { kind: bundlesKind, namespace, name }, bundle.metadata.uid);
  }
}

export function actionOf(bundle: Resource): string {
  return textAt(objectAt(bundle, "spec"), "action");
}
