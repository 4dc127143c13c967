// Makes sure that the provider has the client of one run. Registration is not idempotent, so a
// request is noted before it is sent. What follows when its answer is lost depends on the provider:
//
//   Identifies   The provider derives the client_id from the software_id. The same registration
//                is sent again: it replaces the secret and the token of the same client.
//   Ignored      The provider registers another client for each request and has no list of them.
//                The lost one stays there, with a secret that no process knows. It is counted in
//                `status.unconfirmed`, and an event names its software_id.

import { isCertainlyUndone } from "../../engine/external/call-service.ts";
import type { Context } from "../../engine/reconciler.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ClientBook } from "./client-book.ts";
import { differingFields, metadataJson } from "./provider/client-metadata.ts";
import type { ClientMetadata } from "./provider/client-metadata.ts";
import type { ProviderClient } from "./provider/provider.ts";
import { registrationIn, renewedBy } from "./provider/registration.ts";
import type { Registration } from "./provider/registration.ts";

export interface ClientRun {
  readonly context: Pick<Context, "clock" | "event">;
  readonly book: ClientBook;
  readonly provider: ProviderClient;
  readonly endpoint: string;
  /** Read when it is first needed. */
  readonly initialAccessToken: () => Promise<string | undefined>;
  /** Whether the provider derives the client_id from the software_id. */
  readonly isIdentified: boolean;
  readonly softwareId: string;
  readonly metadata: ClientMetadata;
  readonly count: (what: "register" | "update" | "delete") => void;
  /** The client was changed or deleted at the provider. */
  readonly drifted: (how: "changed" | "deleted") => void;
}

export interface EnsuredClient {
  readonly registration: Registration;
  /** The last answer of the provider about the client. */
  readonly answer: JsonObject;
}

export async function ensureClient(run: ClientRun): Promise<EnsuredClient> {
  const { book, softwareId } = run;
  await settlePending(run);
  const known = book.current(softwareId);
  if (known === undefined) return await register(run, softwareId);
  const kept = await keepClient(run, known);
  if (kept !== "lost") return kept;
  if (book.pending === undefined) run.drifted("deleted");
  else if (!run.isIdentified) await giveUp(run, softwareId);
  return await register(run, softwareId);
}

/** Deletes clients at the provider, and forgets them. */
export async function deleteClients(
  { book, provider, count }: Pick<ClientRun, "book" | "provider" | "count">,
  registrations: readonly Registration[],
): Promise<void> {
  for (const registration of registrations) {
    await provider.remove(registration);
    count("delete");
    await book.forget(registration.clientId);
  }
}

/** Before a removal: whatever an earlier run may have registered is known afterwards. */
export async function recoverPending(run: ClientRun): Promise<void> {
  const { book, isIdentified } = run;
  const { pending } = book;
  if (pending === undefined) return;
  if (isIdentified) await register(run, pending);
  else await giveUp(run, pending);
}

/** A request of an earlier run, for another secret or for one that is not known yet. */
async function settlePending(run: ClientRun): Promise<void> {
  const { book, isIdentified, softwareId } = run;
  const { pending } = book;
  if (pending === undefined) return;
  if (isIdentified) {
    // The same registration is repeated below. An earlier one is needed to delete its client.
    if (pending !== softwareId) await register(run, pending);
    return;
  }
  // An update of the current client: whether its token is still accepted is found out below.
  if (pending === softwareId && book.current(pending) !== undefined) return;
  await giveUp(run, pending);
}

async function giveUp({ book, context }: ClientRun, softwareId: string): Promise<void> {
  await book.giveUp();
  const message =
    "the answer to a registration was lost; the provider may have a client that is not used, " +
    `with the software_id ${softwareId}`;
  context.event("Warning", "RegistrationUnconfirmed", message);
}

async function register(run: ClientRun, softwareId: string): Promise<EnsuredClient> {
  const { book, provider, endpoint, context, count } = run;
  const initialAccessToken = await run.initialAccessToken();
  const metadata = metadataJson(run.metadata, softwareId);
  const answer = await noted(book, softwareId, async () => {
    return await provider.register({ endpoint, initialAccessToken, metadata });
  });
  count("register");
  const registration = registrationIn(answer, { softwareId, nowMs: context.clock.nowMs() });
  await book.keep(registration, softwareId === run.softwareId);
  return { registration, answer };
}

async function keepClient(run: ClientRun, known: Registration): Promise<EnsuredClient | "lost"> {
  const { book, provider, metadata, softwareId } = run;
  const read = await provider.read(known);
  if (read === "lost") return "lost";
  let registration = renewedBy(known, read);
  if (isRenewed(known, registration)) await book.keep(registration, true);
  if (differingFields(metadata, read).length === 0) {
    await book.settle();
    return { registration, answer: read };
  }
  const answer = await noted(book, softwareId, async () => {
    return await provider.update(registration, metadataJson(metadata, softwareId));
  });
  if (answer === "lost") return "lost";
  run.count("update");
  run.drifted("changed");
  registration = renewedBy(registration, answer);
  await book.keep(registration, true);
  return { registration, answer };
}

/** A request that is noted before it is sent. The note stays when its effect is not known. */
async function noted<T>(book: ClientBook, softwareId: string, send: () => Promise<T>): Promise<T> {
  await book.begin(softwareId);
  try {
    return await send();
  } catch (error) {
    if (isCertainlyUndone(error)) await book.settle();
    throw error;
  }
}

function isRenewed(known: Registration, now: Registration): boolean {
  return now.clientSecret !== known.clientSecret || now.accessToken !== known.accessToken;
}
