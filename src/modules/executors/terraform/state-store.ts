// The versions of a state under the claim of its TerraformStack. A version is stored before the
// head points to it; its name contains its digest, so that storing it twice changes nothing. The
// head never goes back: a lower serial and another lineage are refused.

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Context } from "../../../engine/reconciler.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Intents } from "../../../intents/request.ts";
import { readStored } from "../../../intents/write/stored.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { requirement } from "../../../kernel/selector.ts";
import {
  createRecord,
  deleteRecord,
  targetAt,
  updateRecord,
} from "../../../acting/claimed-writes.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { shortName } from "../runs/run-labels.ts";
import { stateFacts } from "./state-file.ts";
import type { StateFacts } from "./state-file.ts";
import { stateLabel, statesKind, versionsKind } from "./state-kinds.ts";

/** Reads records with their secrets. */
export interface StateReader {
  readonly kinds: Pick<Intents["kinds"], "byId">;
  readonly store: Pick<Intents["store"], "get" | "list">;
}

export interface StateHead {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly lineage: string;
  /** -1 without a version. */
  readonly serial: number;
  readonly digest: string;
  /** Empty without a version. */
  readonly version: string;
}

export function headOf(resource: Resource): StateHead {
  const { uid, name, namespace = "" } = resource.metadata;
  return {
    uid,
    name,
    namespace,
    lineage: textAt(resource, "spec", "lineage"),
    serial: numberAt(resource, "spec", "serial") ?? -1,
    digest: textAt(resource, "spec", "digest"),
    version: textAt(resource, "spec", "version"),
  };
}

export async function readResource(
  intents: StateReader,
  key: ResourceKey,
): Promise<Resource | undefined> {
  const served = intents.kinds.byId(key.kind);
  const record = await intents.store.get(key);
  if (served === undefined || record === undefined) return undefined;
  return await readStored(served, served.storage, record);
}

/** The text of a version; with `state`, only of the TerraformState with this uid. */
export async function readVersion(
  intents: StateReader,
  namespace: string,
  name: string,
  state?: string,
): Promise<string> {
  const version = await readResource(intents, { kind: versionsKind, namespace, name });
  const isForeign = state !== undefined && version?.metadata.labels?.[stateLabel] !== state;
  if (isForeign) throw new Error(`the StateVersion ${name} is of another state`);
  const data = textAt(version, "spec", "data");
  if (data === "") throw new Error(`the StateVersion ${name} does not exist or has no content`);
  return (await promisify(gunzip)(Buffer.from(data, "base64"))).toString("utf8");
}

interface VersionDocument extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string };
}

/** What a StateVersion consists of; throws when the state is too large. */
export async function versionDocument(
  head: Pick<StateHead, "uid" | "name" | "namespace">,
  text: string,
  facts: StateFacts,
  origin: JsonObject,
): Promise<VersionDocument> {
  const data = (await promisify(gzip)(Buffer.from(text))).toString("base64");
  if (data.length > executorLimits.maxStoredStateBytes) {
    const message =
      `the state has ${facts.bytes} bytes, ${data.length} compressed; at most ` +
      `${executorLimits.maxStoredStateBytes} compressed bytes can be stored: split the stack`;
    throw new ReconcileFailure(failed("StateTooLarge", message, { retry: "slow" }));
  }
  const { lineage, serial, digest, bytes, resources } = facts;
  const { uid, name, namespace } = head;
  const digits = String(serial).padStart(6, "0");
  const reference = { apiVersion: `${executorsGroup}/v1`, kind: "TerraformState", name, uid };
  return {
    apiVersion: `${executorsGroup}/v1`,
    kind: "StateVersion",
    metadata: {
      name: `${shortName(name)}-${uid.slice(0, 8)}.${digits}-${digest.slice(0, 8)}`,
      namespace,
      labels: { [stateLabel]: uid },
      ownerReferences: [reference],
    },
    spec: { state: name, lineage, serial, digest, bytes, resources, ...origin, data },
  };
}

/** Why a state may not become the newest one; undefined if it may. */
export function refusalOf(head: StateHead, next: StateFacts): string | undefined {
  if (head.lineage !== "" && head.lineage !== next.lineage) {
    return `the state has the lineage ${next.lineage}, and ${head.lineage} is stored`;
  }
  if (next.serial < head.serial) {
    return `the state has the serial ${next.serial}, and ${head.serial} is stored`;
  }
  if (next.serial === head.serial && next.digest !== head.digest) {
    return `another state with the serial ${next.serial} is stored`;
  }
  return undefined;
}

/** The spec of the head with a version. */
export function headWith(old: Resource, facts: StateFacts, version: string): Resource {
  const { lineage, serial, digest, bytes, resources } = facts;
  const spec = { ...objectAt(old, "spec"), lineage, serial, digest, bytes, resources, version };
  return { ...old, spec };
}

function stateKey({ metadata }: Resource): ResourceKey {
  return { kind: statesKind, namespace: metadata.namespace ?? "", name: metadata.name };
}

function ownHead(stack: Resource): JsonObject {
  const { name, namespace = "" } = stack.metadata;
  return {
    apiVersion: `${executorsGroup}/v1`,
    kind: "TerraformState",
    metadata: { name, namespace, ownerReferences: [ownerOf(stack)] },
    spec: { stack: name },
  };
}

function ownerOf({ metadata }: Resource) {
  const { name, uid } = metadata;
  const apiVersion = `${executorsGroup}/v1`;
  return { apiVersion, kind: "TerraformStack", name, uid, controller: true };
}

function isOwned(head: Resource | undefined, { metadata }: Resource): boolean {
  const owners = head?.metadata.ownerReferences ?? [];
  return owners.some(({ uid }) => uid === metadata.uid);
}

/**
 * The Terraform of a user writes the state until then: not while it holds the lock, and not
 * afterwards, because the routes of the http backend refuse a state that has a stack.
 */
async function adoptState(intents: Intents, context: Context, stack: Resource): Promise<void> {
  const { name } = stack.metadata;
  try {
    await updateRecord(intents, context, stateKey(stack), (old) => {
      const { ownerReferences = [] } = old.metadata;
      if (ownerReferences.length > 0) {
        throw notOwned(`the TerraformState ${name} belongs to ${ownerReferences[0]?.name}`);
      }
      const lock = textAt(old.spec, "lock", "id");
      if (lock !== "") {
        const message =
          `the TerraformState ${name} has the lock ${lock}: wait for the Terraform that holds ` +
          "it, or release it with force-unlock";
        throw new ReconcileFailure(failed("StateLocked", message, { retry: "slow" }));
      }
      const metadata = { ...old.metadata, ownerReferences: [ownerOf(stack)] };
      return { ...old, metadata, spec: { ...objectAt(old, "spec"), stack: name } };
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
    const message =
      `there is no TerraformState ${name} to adopt: store it with terraform init -migrate-state, ` +
      "or leave out spec.adoptState";
    throw new ReconcileFailure(failed("StateNotFound", message, { retry: "slow" }));
  }
}

function notOwned(message: string): ReconcileFailure {
  return new ReconcileFailure(failed("StateNotOwned", message, { retry: "slow" }));
}

export class StackState {
  readonly #intents: Intents;
  readonly #context: Context;
  #head: StateHead;

  private constructor(intents: Intents, context: Context, head: StateHead) {
    this.#intents = intents;
    this.#context = context;
    this.#head = head;
  }

  /** Creates the head of a new stack, or takes over the one that it adopts. */
  static async open(intents: Intents, context: Context, stack: Resource): Promise<StackState> {
    const { name } = stack.metadata;
    const key = stateKey(stack);
    const adopts = isTrueAt(stack.spec, "adoptState");
    if (!adopts) await createRecord(intents, context, ownHead(stack));
    else if (!isOwned(await readResource(intents, key), stack)) {
      await adoptState(intents, context, stack);
    }
    const head = await readResource(intents, key);
    if (head === undefined || !isOwned(head, stack)) {
      throw notOwned(
        `the TerraformState ${name} belongs to another owner: rename the stack, set ` +
          "spec.adoptState to take it over, or delete it if its objects are not needed",
      );
    }
    return new StackState(intents, context, headOf(head));
  }

  /** Undefined: the stack has no state, so that it has created nothing. */
  static async find(
    intents: Intents,
    context: Context,
    stack: Resource,
  ): Promise<StackState | undefined> {
    const head = await readResource(intents, stateKey(stack));
    if (head === undefined || !isOwned(head, stack)) return undefined;
    return new StackState(intents, context, headOf(head));
  }

  get head(): StateHead {
    return this.#head;
  }

  async text(): Promise<string | undefined> {
    const { namespace, version } = this.#head;
    return version === "" ? undefined : await readVersion(this.#intents, namespace, version);
  }

  /** Stores a state file if it is newer. Returns its facts, or undefined if it is not complete. */
  async commit(text: string, origin: JsonObject): Promise<StateFacts | undefined> {
    const facts = stateFacts(text);
    if (facts === undefined || facts.digest === this.#head.digest) return facts;
    const refusal = refusalOf(this.#head, facts);
    if (refusal !== undefined) {
      throw new ReconcileFailure(failed("StateRefused", refusal, { retry: "slow" }));
    }
    const document = await versionDocument(this.#head, text, facts, origin);
    await createRecord(this.#intents, this.#context, document);
    const { namespace, name } = this.#head;
    const key = { kind: statesKind, namespace, name };
    await updateRecord(this.#intents, this.#context, key, (old) => {
      const now = refusalOf(headOf(old), facts);
      if (now !== undefined) {
        throw new ReconcileFailure(failed("StateRefused", now, { retry: "slow" }));
      }
      return headWith(old, facts, document.metadata.name);
    });
    const { lineage, serial, digest } = facts;
    this.#head = { ...this.#head, lineage, serial, digest, version: document.metadata.name };
    return facts;
  }

  /** Keeps the newest version of each run, and a bounded number of them. */
  async prune(): Promise<void> {
    const { namespace, uid, version } = this.#head;
    const labels = [requirement(stateLabel, "in", [uid])];
    const { records } = await this.#intents.store.list({ kind: versionsKind, namespace, labels });
    const served = targetAt(this.#intents, { kind: versionsKind, namespace, name: "" }).served;
    const versions = await Promise.all(
      records.map(async (record) => await readStored(served, served.storage, record)),
    );
    const newestFirst = versions.toSorted((one, other) => serialOf(other) - serialOf(one));
    const runs = new Set<string>();
    let kept = 0;
    for (const each of newestFirst) {
      const run = textAt(each, "spec", "run");
      const isOlderOfRun = run !== "" && runs.has(run);
      runs.add(run);
      const isKept = !isOlderOfRun && kept < executorLimits.keptStateVersions;
      if (isKept || each.metadata.name === version) kept += 1;
      else {
        const key = { kind: versionsKind, namespace, name: each.metadata.name };
        await deleteRecord(this.#intents, this.#context, key);
      }
    }
  }
}

function serialOf(version: Resource): number {
  return numberAt(version, "spec", "serial") ?? 0;
}
