/** Keeps a client at a provider equal to its OidcClient, and its credentials in a Secret. */
import { createHmac } from "node:crypto";
import { checkAllowed, sharedResource } from "../../engine/external/shared-resource.ts";
import { done, failed } from "../../engine/outcome.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Meter } from "../../engine/ports.ts";
import type { Context, Reconciler } from "../../engine/reconciler.ts";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { numberAt, textAt, valueAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { openBook } from "./client-book.ts";
import { initialTokenOf, issuerAccess, registrationEndpoint } from "./issuer-access.ts";
import { clientsKind } from "./kinds/client-kind.ts";
import { sharedIssuer } from "./kinds/issuer-kind.ts";
import { oidcLimits } from "./limits.ts";
import { driftMetric, writesMetric } from "./metrics.ts";
import { differingFields, metadataOf } from "./provider/client-metadata.ts";
import { serviceOf } from "./provider/provider-call.ts";
import type { OpenProvider } from "./provider/provider.ts";
import { expiryIn } from "./provider/registration.ts";
import type { Registration } from "./provider/registration.ts";
import { deleteClients, ensureClient, recoverPending } from "./registering.ts";
import type { ClientRun } from "./registering.ts";

export interface ClientReconcilerInput {
  readonly openProvider: OpenProvider;
  readonly meter: Meter;
}

export function clientReconciler(input: ClientReconcilerInput): Reconciler {
  return {
    kind: clientsKind,
    reconcile: (client, context) => reconcile(client, context, input),
    remove: (client, context) => remove(client, context, input),
  };
}

async function reconcile(
  client: Resource,
  context: Context,
  input: ClientReconcilerInput,
): Promise<Outcome> {
  const issuer = await issuerOf(client, context);
  await checkAllowed(context, client, issuer, sharedIssuer);
  const run = await openRun(client, issuer, { context, ...input });
  const { registration, answer } = await ensureClient(run);
  const secretName = await writeSecret(client, issuer, registration, context);
  // The Secret has the new credentials, so earlier clients are not used any more.
  const others = run.book.all().filter(({ clientId }) => clientId !== registration.clientId);
  await deleteClients(run, others);
  const status = { secretName, secretExpiresAt: expiryIn(answer) ?? null };
  const differing = differingFields(run.metadata, answer);
  if (differing.length > 0) {
    const service = serviceOf(issuer.metadata.name);
    const message = `${service} has other values than requested for ${differing.join(", ")}`;
    const ready = { status: "False", reason: "MetadataNotAccepted", message } as const;
    return failed("MetadataNotAccepted", message, { retry: "slow", ready, status });
  }
  const seconds = numberAt(issuer, "spec", "resyncSeconds") ?? oidcLimits.resyncSeconds;
  return done({ status, resyncMs: seconds * 1_000 });
}

async function remove(
  client: Resource,
  context: Context,
  input: ClientReconcilerInput,
): Promise<Outcome> {
  const book = openBook(client, context);
  // A client that was never requested needs no issuer to be removed.
  if (book.all().length === 0 && book.pending === undefined) return done();
  const hint = "; create it again: the client cannot be deleted at the provider without it";
  const issuer = await issuerOf(client, context, hint);
  const run = await openRun(client, issuer, { context, ...input });
  await recoverPending(run);
  await deleteClients(run, run.book.all());
  return done();
}

async function issuerOf(client: Resource, context: Context, hint?: string): Promise<Resource> {
  const name = textAt(client, "spec", "issuer");
  return await sharedResource(context, { ...sharedIssuer, name }, hint);
}

async function openRun(
  client: Resource,
  issuer: Resource,
  { context, openProvider, meter }: ClientReconcilerInput & { readonly context: Context },
): Promise<ClientRun> {
  const { generation } = client.metadata;
  const isSame = numberAt(client, "status", "observedGeneration") === generation;
  const drifted = (how: "changed" | "deleted"): void => {
    // A client that differs because the spec has changed has not drifted.
    if (how === "changed" && !isSame) return;
    meter.count(driftMetric);
    context.event("Warning", "DriftCorrected", `the client was ${how} at the provider`);
  };
  return {
    context,
    book: openBook(client, context),
    provider: openProvider(issuerAccess(issuer), context),
    endpoint: registrationEndpoint(issuer),
    initialAccessToken: () => initialTokenOf(issuer, context),
    isIdentified: textAt(issuer, "spec", "registration", "softwareId") === "Identifies",
    softwareId: await softwareIdOf(client, context),
    metadata: metadataOf(client),
    count: (action) => meter.count(writesMetric, { action }),
    drifted,
  };
}

/** The same for the same rotation, and known to no other client of the provider. */
async function softwareIdOf(client: Resource, { remember, random }: Context): Promise<string> {
  const key = await remember("software-id-key", () =>
    Buffer.from(random.bytes(32)).toString("hex"),
  );
  const rotation = canonicalJson(valueAt(client, "spec", "rotation") ?? null);
  const digest = createHmac("sha256", key).update(rotation).digest("hex");
  const sizes = [8, 4, 4, 4, 12];
  let at = 0;
  return sizes.map((size) => digest.slice(at, (at += size))).join("-");
}

/** Returns its name. A Secret that exists and belongs to another owner is not replaced. */
async function writeSecret(
  client: Resource,
  issuer: Resource,
  { clientId, clientSecret }: Registration,
  { children }: Context,
): Promise<string> {
  const name = textAt(client, "spec", "secretName");
  const texts = {
    client_id: clientId,
    client_secret: clientSecret,
    issuer: textAt(issuer, "spec", "issuer"),
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  await children.apply({ apiVersion: "v1", kind: "Secret", metadata: { name }, data });
  if (textAt(client, "status", "secretName") === name) return name;
  for (const { metadata } of await children.list("secrets")) {
    if (metadata.name !== name) await children.delete({ kind: "secrets", name: metadata.name });
  }
  return name;
}
