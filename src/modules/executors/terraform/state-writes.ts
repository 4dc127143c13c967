// What the routes of the http backend do with a state, on behalf of a caller. Every write is a
// change of the head under its revision, and checks lock, lineage and serial inside of it.

import type { Caller, Intents, Target } from "../../../intents/request.ts";
import { systemOptions } from "../../../intents/bootstrap.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { requirement } from "../../../kernel/selector.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { targetAt } from "../../../acting/claimed-writes.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { stateFacts } from "./state-file.ts";
import type { StateFacts } from "./state-file.ts";
import { stateLabel, statesKind, versionsKind } from "./state-kinds.ts";
import { headOf, headWith, readResource, refusalOf, versionDocument } from "./state-store.ts";
import type { StateReader } from "./state-store.ts";
import { stateThrough } from "./terraform-guard.ts";

export interface StateAddress {
  readonly namespace: string;
  readonly name: string;
}

export interface StateWriter {
  readonly intents: Intents;
  readonly caller: Caller;
  readonly nowMs: number;
}

/** The lock of another holder; its text is what the holder sent. */
export class StateLocked extends Error {
  readonly info: string;

  constructor(info: string) {
    super("the state is locked");
    this.name = "StateLocked";
    this.info = info;
  }
}

export async function readHead(
  intents: StateReader,
  at: StateAddress,
): Promise<Resource | undefined> {
  return await readResource(intents, { kind: statesKind, ...at });
}

/** The same id may lock again: clients repeat a request whose answer they did not receive. */
export async function lockState(
  writer: StateWriter,
  at: StateAddress,
  { id, info }: { readonly id: string; readonly info: string },
): Promise<void> {
  const { caller, nowMs } = writer;
  const lock = { id, info, user: caller.user.name, since: new Date(nowMs).toISOString() };
  await changeHead(writer, at, (old) => {
    const held = lockOf(old);
    if (held !== undefined && held.id !== id) throw new StateLocked(held.info);
    return held === undefined ? { ...objectAt(old, "spec"), lock } : objectAt(old, "spec");
  });
}

/** `id` undefined: the lock of any holder. An id of another holder is refused. */
export async function unlockState(
  writer: StateWriter,
  at: StateAddress,
  id: string | undefined,
): Promise<void> {
  await changeHead(writer, at, (old) => {
    const held = lockOf(old);
    if (held !== undefined && id !== undefined && held.id !== id) throw new StateLocked(held.info);
    return withoutKey(objectAt(old, "spec"), "lock");
  });
}

/** Stores a state of the holder of the lock. */
export async function storeState(
  writer: StateWriter,
  at: StateAddress,
  { text, lockId }: { readonly text: string; readonly lockId: string },
): Promise<void> {
  const facts = stateFacts(text);
  if (facts === undefined) {
    const message = "the body is not a state of Terraform with a serial and a lineage";
    throw new SetpointError("request.invalid", message, { details: { field: "body" } });
  }
  const origin = { user: writer.caller.user.name };
  await storeVersion(writer, at, { text, facts, origin, check: (old) => checkHolder(old, lockId) });
}

interface NewVersion {
  readonly text: string;
  readonly facts: StateFacts;
  readonly origin: JsonObject;
  readonly check: (old: Resource) => void;
}

/** The version first, then the head: see state-store.ts. */
export async function storeVersion(
  writer: StateWriter,
  at: StateAddress,
  { text, facts, origin, check }: NewVersion,
): Promise<void> {
  const { intents } = writer;
  const accept = (old: Resource): void => {
    check(old);
    const refusal = refusalOf(headOf(old), facts);
    if (refusal !== undefined) throw conflict(refusal);
  };
  const head = (await readHead(intents, at)) ?? (await createHead(writer, at));
  accept(head);
  if (headOf(head).digest === facts.digest) return;
  const document = await versionDocument(headOf(head), text, facts, origin);
  await create(writer, versionsKind, at.namespace, document);
  const { name } = document.metadata;
  await changeHead(writer, at, (old) => {
    accept(old);
    return objectAt(headWith(old, facts, name), "spec");
  });
  await prune(writer, at, headOf(head).uid, name);
}

function checkHolder(head: Resource, lockId: string): void {
  const held = lockOf(head);
  if (held === undefined && lockId === "") return;
  if (held === undefined) throw conflict(`the state is not locked by ${lockId}`);
  if (held.id !== lockId) throw new StateLocked(held.info);
}

export function lockOf(
  head: Resource | undefined,
): { readonly id: string; readonly info: string } | undefined {
  const lock = presentObjectAt(head, "spec", "lock");
  return lock === undefined ? undefined : { id: textAt(lock, "id"), info: textAt(lock, "info") };
}

export function conflict(message: string): SetpointError {
  return new SetpointError("executors.state_conflict", message);
}

function checkManaged(head: Resource): void {
  const stack = textAt(head, "spec", "stack");
  if (stack === "") return;
  const message = `the state belongs to the TerraformStack ${stack}, which alone writes it`;
  throw new SetpointError("executors.state_managed", message);
}

async function changeHead(
  writer: StateWriter,
  at: StateAddress,
  edit: (old: Resource) => JsonObject,
): Promise<void> {
  const { intents } = writer;
  if ((await readHead(intents, at)) === undefined) await createHead(writer, at);
  await updateResource(intents, {
    caller: through(writer),
    target: targetAt(intents, { kind: statesKind, ...at }),
    options: systemOptions,
    optionsKind: "PatchOptions",
    change: (old) => {
      checkManaged(old);
      return { wanted: { ...old, spec: edit(old) } };
    },
    allowsBlind: true,
  });
}

async function createHead(writer: StateWriter, at: StateAddress): Promise<Resource> {
  const body = {
    apiVersion: `${executorsGroup}/v1`,
    kind: "TerraformState",
    metadata: { ...at },
    spec: {},
  };
  await create(writer, statesKind, at.namespace, body);
  const head = await readHead(writer.intents, at);
  if (head === undefined) throw conflict(`the state ${at.name} was deleted`);
  return head;
}

async function create(
  writer: StateWriter,
  kind: string,
  namespace: string,
  body: JsonObject,
): Promise<void> {
  const { intents } = writer;
  const target: Target = targetAt(intents, { kind, namespace, name: "" });
  const caller = through(writer);
  try {
    const write = { caller, target, body, options: systemOptions, decodeProblems: [] };
    await createResource(intents, write);
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
}

function through({ caller }: StateWriter): Caller {
  return { ...caller, through: stateThrough };
}

async function prune(
  writer: StateWriter,
  { namespace }: StateAddress,
  uid: string,
  newest: string,
): Promise<void> {
  const { intents } = writer;
  const versions = await listVersions(intents, namespace, uid);
  for (const { metadata } of versions.slice(executorLimits.keptStateVersions)) {
    if (metadata.name === newest) continue;
    await deleteResource(intents, {
      caller: through(writer),
      target: targetAt(intents, { kind: versionsKind, namespace, name: metadata.name }),
      options: { isDryRun: false, propagation: undefined, preconditions: {}, raw: {} },
    });
  }
}

/** The newest first. */
export async function listVersions(
  intents: StateReader,
  namespace: string,
  uid: string,
): Promise<readonly Resource[]> {
  const labels = [requirement(stateLabel, "in", [uid])];
  const { records } = await intents.store.list({ kind: versionsKind, namespace, labels });
  const found = await Promise.all(records.map(async ({ key }) => await readResource(intents, key)));
  const serialOf = (version: Resource): number => numberAt(version, "spec", "serial") ?? 0;
  return found
    .filter((version) => version !== undefined)
    .toSorted((one, other) => serialOf(other) - serialOf(one));
}
