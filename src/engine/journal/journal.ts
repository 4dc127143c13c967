// What the engine keeps for one resource beside its status: results of steps, remembered values and
// references. It is a record of its own, named by the uid, so that a resource which is created
// again begins with an empty one; every write names the claim on the resource, so only its holder
// writes. Results and values are sealed at rest. A run that needs none of it never reads it.

import { SetpointError } from "../../kernel/errors.ts";
import type { Draft } from "../../kernel/draft.ts";
import { parseExact } from "../../kernel/int64.ts";
import { jsonProblem } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Answer, Delete, Put, Store } from "../../store/port.ts";
import { journalKind } from "../names.ts";
import { failed, ReconcileFailure } from "../outcome.ts";
import type { RunScope } from "../ports.ts";

export interface JournalContent {
  /** In the order of compareKeys. */
  readonly references: readonly ResourceKey[];
  readonly remembered: ReadonlyMap<string, Json>;
  readonly operations: ReadonlyMap<string, OperationRecord>;
}

export interface OperationRecord {
  readonly about: string;
  /** The steps whose results are stored, in the order in which they were done. */
  readonly done: readonly DoneStep[];
  /** Present once a step failed for good: the steps are being taken back, or have been. */
  readonly failure?: OperationFailure;
}

export interface DoneStep {
  readonly step: string;
  readonly result: Json;
}

export interface OperationFailure {
  readonly reason: string;
  readonly message: string;
  /** For which state of the resource it holds: another one begins anew. */
  readonly generation: number;
  readonly request: string;
}

export interface Journal {
  /** Read from the store when first asked for; from then on as this run last stored it. */
  read(): Promise<JournalContent>;
  /** Whether this run has read it already, so that looking costs nothing. */
  isLoaded(): boolean;
  /**
   * Stores what `edit` makes of it, one change after another; the same content is not stored.
   * `commit` is how, where something else belongs into the same commit; it answers for the journal.
   */
  change(
    edit: (content: JournalContent) => JournalContent,
    commit?: (put: Put) => Promise<readonly Answer[]>,
  ): Promise<void>;
  /** To be committed in the group that deletes the resource; undefined when there is no journal. */
  removal(): Promise<Delete | undefined>;
}

interface Loaded {
  readonly content: JournalContent;
  /** Undefined while there is no record. */
  readonly revision: number | undefined;
}

const nothing: JournalContent = { references: [], remembered: new Map(), operations: new Map() };

export function journalOf(
  scope: Pick<RunScope, "key" | "uid" | "cause" | "commit">,
  store: Pick<Store, "get">,
): Journal {
  const key = journalKey(scope.key, scope.uid);
  let loading: Promise<Loaded> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<Loaded> => {
    const record = await store.get(key);
    if (record === undefined) return { content: nothing, revision: undefined };
    return { content: readJournal(record.body), revision: record.revision };
  };
  const loaded = async (): Promise<Loaded> => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const alone = (put: Put): Promise<readonly Answer[]> => scope.commit([put]);
  const change: Journal["change"] = async (edit, commit = alone) => {
    const { content, revision } = await loaded();
    const next = edit(content);
    if (next === content) return;
    const put: Put = {
      kind: "put",
      key,
      uid: `${scope.uid}-journal`,
      draft: journalDraft(scope.key, scope.uid, next),
      when: revision === undefined ? { kind: "absent" } : { kind: "revision", revision },
      cause: scope.cause,
    };
    // Should the commit fail, it may have happened all the same: then it is read again.
    loading = undefined;
    const [answer] = await commit(put);
    if (answer === undefined || answer.kind === "refused") {
      throw answer?.error ?? new SetpointError("internal", "a commit returned no result");
    }
    loading = Promise.resolve({ content: next, revision: answer.revision });
  };

  return {
    read: async () => (await loaded()).content,
    isLoaded: () => loading !== undefined,
    change: async (edit, commit) => {
      const turn = last.then(() => change(edit, commit));
      last = turn.catch(() => undefined);
      await turn;
    },
    removal: async () => {
      await last;
      const { revision } = await loaded();
      if (revision === undefined) return undefined;
      return { kind: "delete", key, when: { kind: "exists" }, cause: scope.cause };
    },
  };
}

export function journalKey(resource: ResourceKey, uid: string): ResourceKey {
  return { kind: journalKind, namespace: resource.namespace, name: uid };
}

/** What a journal keeps has to be JSON and of a bounded size; the message names what it is. */
export function checkJournalValue(what: string, value: unknown): void {
  const problem = jsonProblem(value, limits.maxJsonDepth / 2);
  if (problem !== undefined) {
    throw unusable("InvalidValue", `${what} cannot be stored as JSON: ${problem}`);
  }
  checkBytes(what, Buffer.byteLength(JSON.stringify(value)), limits.maxJournalValueBytes);
}

/** A mistake in a reconciler. It is tried again now and then, as new code may be right. */
export function unusable(reason: string, message: string): ReconcileFailure {
  return new ReconcileFailure(failed(reason, message, { retry: "slow" }));
}

/** The references come before everything that can be large, for those who follow the log. */
const referencesEnd = Buffer.from(',"remembered":');

export function journalDraft(key: ResourceKey, uid: string, content: JournalContent): Draft {
  const { references, remembered, operations } = content;
  const text = JSON.stringify({
    apiVersion: "setpoint.dev/v1",
    kind: "Journal",
    metadata: { name: uid, ...(key.namespace === "" ? {} : { namespace: key.namespace }) },
    resource: partsOf(key),
    references: references.map(partsOf),
    remembered: [...remembered],
    operations: [...operations],
  });
  const body = Buffer.from(text);
  checkBytes("the journal of the resource", body.length, limits.maxJournalBytes);
  const secrets = [
    ...(remembered.size > 0 ? ["/remembered"] : []),
    ...(operations.size > 0 ? ["/operations"] : []),
  ];
  return { body, terms: [], secrets };
}

export interface JournalHead {
  readonly resource: ResourceKey;
  readonly references: readonly ResourceKey[];
}

/** Reads the beginning only: in JSON texts quotes are escaped, so the mark is the real one. */
export function readJournalHead(body: Buffer): JournalHead {
  const end = body.indexOf(referencesEnd);
  if (end < 0) throw new SetpointError("store.corrupt", "a stored journal is damaged");
  const { resource, references } = parseExact(`${body.toString("utf8", 0, end)}}`) as Encoded;
  return { resource: keyFrom(resource), references: references.map(keyFrom) };
}

type Parts = readonly [kind: string, namespace: string, name: string];

interface Encoded {
  readonly resource: Parts;
  readonly references: readonly Parts[];
  readonly remembered: readonly (readonly [string, Json])[];
  readonly operations: readonly (readonly [string, OperationRecord])[];
}

function readJournal(body: Buffer): JournalContent {
  const { references, remembered, operations } = parseExact(body.toString("utf8")) as Encoded;
  return {
    references: references.map(keyFrom),
    remembered: new Map(remembered),
    operations: new Map(operations),
  };
}

function partsOf({ kind, namespace, name }: ResourceKey): Parts {
  return [kind, namespace, name];
}

function keyFrom([kind, namespace, name]: Parts): ResourceKey {
  return { kind, namespace, name };
}

function checkBytes(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw unusable("TooLarge", `${what} has ${bytes} bytes; the limit is ${most}`);
}
