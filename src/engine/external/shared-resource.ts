// A cluster-wide resource that resources of several namespaces use, such as a zone or an issuer. It
// states in `spec.allow.namespaces` which namespaces may (kernel/allowed-namespaces.ts), and it is
// kept until the last resource that uses it is deleted, because the deletion needs it.

import { isNamespaceAllowed } from "../../kernel/allowed-namespaces.ts";
import { objectAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import { ReconcileFailure, again, done, failed, waiting } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { RunEnded } from "../run/run-ended.ts";

export interface SharedKind {
  /** The kind id. */
  readonly kind: string;
  /** For people, such as "DnsZone". */
  readonly word: string;
}

type ReferringContext = Pick<Context, "references">;

/** A run without the resource waits for it. `hint` is added to the reason. */
export async function sharedResource(
  { references }: ReferringContext,
  { kind, word, name }: SharedKind & { readonly name: string },
  hint = "",
): Promise<Resource> {
  const found = await references.get({ kind, name });
  if (found !== undefined) return found;
  const message = `the ${word} ${name} does not exist${hint}`;
  throw new RunEnded(waiting({ kind, name }, { message }));
}

/** Admission has checked the same for the creation; the shared resource may have changed since. */
export async function checkAllowed(
  { references }: ReferringContext,
  user: Resource,
  shared: Resource,
  { kind, word }: SharedKind,
): Promise<void> {
  const { namespace = "" } = user.metadata;
  const { name, deletionTimestamp } = shared.metadata;
  if (deletionTimestamp !== undefined) {
    const message = `the ${word} ${name} is being deleted`;
    throw new RunEnded(waiting({ kind, name, isThere: true }, { message }));
  }
  const found = await references.get({ kind: "namespaces", name: namespace });
  const allowed = objectAt(shared, "spec", "allow", "namespaces");
  if (found !== undefined && isNamespaceAllowed(allowed, found)) return;
  const message = `the ${word} ${name} does not allow the namespace ${namespace}`;
  throw new ReconcileFailure(failed("NamespaceForbidden", message, { retry: "never" }));
}

/** How often a shared resource that is deleted looks for its last user. */
const lookAgainMs = 2_000;

export interface UsersOf {
  /** The kind id of the resources that use the shared one. */
  readonly kind: string;
  /** For people, such as "DnsRecords". */
  readonly words: string;
  /** The index term with the name of the shared resource. */
  readonly field: string;
}

/** For `remove` of a shared resource. */
export async function releaseWhenUnused(
  store: Pick<Store, "list">,
  { metadata: { name } }: Resource,
  { kind, words, field }: UsersOf,
): Promise<Outcome> {
  const fields = [{ path: field, operator: "in", values: [name] }] as const;
  const { records } = await store.list({ kind, fields, limit: 1 });
  if (records.length === 0) return done();
  // Names no user, so that the text is the same after each deletion.
  const message = `${words} use it; it is deleted after the last of them`;
  return again(lookAgainMs, { reason: "InUse", message });
}
