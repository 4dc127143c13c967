/** Keys, drafts and writes for tests, and short ways to ask a store and read its answer. */
import assert from "node:assert/strict";
import { encodeDocument } from "../../kernel/document.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { termsOf } from "../../kernel/terms.ts";
import type { Cause } from "../../kernel/cause.ts";
import type {
  Answer,
  Change,
  Claim,
  ClaimRequest,
  Delete,
  DumpRow,
  ListQuery,
  Page,
  Precondition,
  Put,
  Schedule,
  Store,
  StoredRecord,
  Write,
} from "../port.ts";

export const widgets = "widgets.test";
export const gadgets = "gadgets.test";
/** The unit of every wait in the suite: far longer than any test runs on a clock that flows. */
export const minuteMs = 60_000;

/** Of every write whose test does not say otherwise. */
export const someone: Cause = { actor: "someone", surface: "test" };

export const absent: Precondition = { kind: "absent" };
export const exists: Precondition = { kind: "exists" };

export function at(revision: number): Precondition {
  return { kind: "revision", revision };
}

export function key(name: string, namespace = "team", kind = widgets): ResourceKey {
  return { kind, namespace, name };
}

export interface Content {
  readonly spec?: Json;
  readonly labels?: { readonly [key: string]: string };
  readonly owners?: readonly string[];
  /** Selectable fields: path and value. */
  readonly fields?: { readonly [path: string]: string };
  /** Values at /data/<name>, each of them secret. */
  readonly secrets?: JsonObject;
  /** Fields that no schema knows, at the top of the document. */
  readonly extra?: JsonObject;
}

export function draft(of: ResourceKey, content: Content = {}): Draft {
  const { spec = {}, labels, owners, fields = {}, secrets, extra } = content;
  const body = encodeDocument({
    apiVersion: "test/v1",
    kind: "Sample",
    metadata: {
      name: of.name,
      namespace: of.namespace,
      uid: "u",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec,
    ...(secrets === undefined ? {} : { data: secrets }),
    ...extra,
  });
  const entries = Object.entries(fields).map(([path, value]) => ({ path, value }));
  return {
    body,
    terms: termsOf({ labels, owners, fields: entries }),
    secrets: Object.keys(secrets ?? {}).map((name) => `/data/${name}`),
  };
}

type PutParts = Partial<Omit<Put, "kind" | "key" | "draft">> & { readonly content?: Content };

/** A put that creates, unless `when` says otherwise. */
export function put(of: ResourceKey, parts: PutParts = {}): Put {
  const { content, ...rest } = parts;
  return {
    kind: "put",
    key: of,
    uid: `uid-${of.name}`,
    when: absent,
    cause: someone,
    draft: draft(of, content),
    ...rest,
  };
}

export function del(of: ResourceKey, parts: Partial<Omit<Delete, "kind" | "key">> = {}): Delete {
  return { kind: "delete", key: of, when: exists, cause: someone, ...parts };
}

export function schedule(
  of: ResourceKey,
  due: Schedule["due"],
  parts: Partial<Pick<Schedule, "when" | "claim">> = {},
): Schedule {
  return { kind: "schedule", key: of, when: exists, due, ...parts };
}

export function wake(afterMs = 0): Schedule["due"] {
  return { kind: "wake", afterMs };
}

export function release(afterMs?: number, attempts: "keep" | "reset" = "keep"): Schedule["due"] {
  return { kind: "release", attempts, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Commits one write and returns its answer. */
export async function answer(store: Store, write: Write): Promise<Answer> {
  const [first, ...others] = await store.commit([write]);
  assert(first !== undefined && others.length === 0, "one write has one answer");
  return first;
}

/** Commits one write that must succeed, and returns its revision. */
export async function commit(store: Store, write: Write): Promise<number> {
  return revisionOf(await answer(store, write));
}

/** Commits one write that must be refused, and returns the code. */
export async function refusal(store: Store, write: Write): Promise<ErrorCode> {
  return refusalOf(await answer(store, write));
}

export function revisionOf(given: Answer | undefined): number {
  assert(given !== undefined && given.kind !== "refused", `refused: ${outcome(given)}`);
  return given.revision;
}

export function refusalOf(given: Answer | undefined): ErrorCode {
  assert(given?.kind === "refused", `not refused: ${outcome(given)}`);
  assert(isSetpointError(given.error), "a refusal is a SetpointError");
  return given.error.code;
}

/** An answer in one word: what happened, or the code of the refusal. */
export function outcome(given: Answer | undefined): string {
  if (given === undefined) return "no answer";
  return given.kind === "refused" ? given.error.code : given.kind;
}

/** The details of the refusal of one write. */
export async function faultOf(store: Store, write: Write): Promise<JsonObject> {
  const [given] = await store.commit([write]);
  assert(given?.kind === "refused", "the write is refused");
  return given.error.details;
}

export async function outcomes(answers: Promise<readonly Answer[]>): Promise<readonly string[]> {
  return (await answers).map(outcome);
}

/** For assert.rejects. */
export function hasCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => isSetpointError(error, code);
}

export async function rejectsWith(code: ErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, hasCode(code), `expected ${code}`);
}

/** All pages of a list, each of them checked to go on from the last. */
export async function pagesOf(store: Store, query: ListQuery): Promise<readonly Page[]> {
  const pages = [await store.list(query)];
  for (let from = pages[0]?.next; from !== undefined; from = pages.at(-1)?.next) {
    const page = await store.list({ ...query, from });
    assert.notDeepEqual(page.next, from, "a page goes on from where the last one ended");
    pages.push(page);
  }
  return pages;
}

export async function listAll(store: Store, query: ListQuery): Promise<readonly StoredRecord[]> {
  return (await pagesOf(store, query)).flatMap((page) => page.records);
}

export function names(records: readonly { readonly key: ResourceKey }[]): readonly string[] {
  return records.map((record) => record.key.name);
}

export async function listNames(
  store: Store,
  query: Partial<ListQuery>,
): Promise<readonly string[]> {
  return names(await listAll(store, { kind: widgets, ...query }));
}

/** All changes after a revision, page by page. */
export async function changesAfter(store: Store, after: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (;;) {
    const page = await store.changes(changes.at(-1)?.revision ?? after);
    changes.push(...page.changes);
    assert.equal(page.through, changes.at(-1)?.revision ?? after, "a page is read to its end");
    if (page.through >= page.revision) return changes;
    assert(page.changes.length > 0, "a page below the head is not empty");
  }
}

/** The changes of some kinds, page by page. */
export async function changesOf(
  store: Store,
  kinds: readonly string[],
  { after = 0, limit = 1_000 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  let page = await store.changes(after, limit, { kinds });
  for (let last = after; ; page = await store.changes(last, limit, { kinds })) {
    assert(page.changes.length <= limit && page.through <= page.revision);
    changes.push(...page.changes);
    if (page.through === page.revision) return changes;
    assert(page.through > last, "a page goes on from where the last one ended");
    last = page.through;
  }
}

export async function claimSome(
  store: Store,
  parts: Partial<ClaimRequest> = {},
): Promise<readonly Claim[]> {
  return await store.claim({
    owner: "worker-1",
    kinds: [widgets],
    limit: 10,
    leaseMs: minuteMs,
    ...parts,
  });
}

/** Claims the one resource that is due. */
export async function claimOne(store: Store, parts: Partial<ClaimRequest> = {}): Promise<Claim> {
  const [claim, ...others] = await claimSome(store, parts);
  assert(claim !== undefined && others.length === 0, "exactly one resource is due");
  return claim;
}

export async function allRows(store: Store): Promise<readonly DumpRow[]> {
  return await Array.fromAsync(store.dump());
}

export async function* rowsOf(rows: readonly DumpRow[]): AsyncIterable<DumpRow> {
  yield* rows;
}

/** A signal that fails the test which waits too long. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(120_000);
}
