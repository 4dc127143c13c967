/**
 * The domains of the arguments of a store's calls, checked once for every implementation, so that
 * a wrong one is `request.invalid` with its name everywhere and never a database's own error. What
 * may be asked for too much of is cut to its limit instead. Writes are checked in prepare.ts.
 */
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { isStorable, textFault } from "../kernel/storable-text.ts";
import type {
  ChangesOptions,
  ClaimRef,
  ClaimRequest,
  HistoryOptions,
  ListQuery,
  Position,
} from "./port.ts";
import type { BacklogQuery } from "./work-state.ts";

/** In UTF-8, which is what the databases' index rows are bounded in. */
export const textLimits = {
  /** Each of kind, namespace, name and uid, and the owner of a claim. */
  keyPartBytes: limits.maxNameLength,
  termBytes: 1_024,
  /** The scope and the name of a unique name together. */
  uniqueNameBytes: 1_500,
  counterBytes: 512,
} as const;

/** Beyond these a count of what remains, or a search in the log, costs more than it is worth. */
export const readLimits = {
  /** Records behind a page that are counted. */
  countedItems: 50_000,
  /** Changes since a snapshot that are looked at to count on it. */
  countedChanges: 10_000,
  /** Changes that one page of some kinds looks at. */
  searchedChanges: 5_000,
  /** Due resources of one kind that are counted. */
  countedDue: 10_000,
} as const;

export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** No key, name or counter has an empty part: whoever looks for this finds nothing. */
const nothing = "";

/** The key to look for: what could not be stored is not there, whatever a database makes of it. */
export function findable(key: ResourceKey): ResourceKey {
  const { kind, namespace, name } = key;
  if (isStorable(kind) && isStorable(namespace) && isStorable(name)) return key;
  return { kind: nothing, namespace: nothing, name: nothing };
}

export function findableKeys(keys: readonly ResourceKey[]): readonly ResourceKey[] {
  if (keys.length > limits.maxPageItems) {
    throw new SetpointError(
      "request.too_large",
      `at most ${limits.maxPageItems} keys are read at once`,
      { details: { keys: keys.length, most: limits.maxPageItems } },
    );
  }
  return keys.map(findable);
}

/** As `findable`, for the texts of a unique name or a counter. */
export function findableText(text: string): string {
  return isStorable(text) ? text : nothing;
}

/** The request, with its limit cut to what one claim gives. */
export function checkClaim(request: ClaimRequest): ClaimRequest {
  const { owner, kinds, limit, leaseMs, perNamespace, skipNamespaces = [] } = request;
  checkText(owner, "owner", textLimits.keyPartBytes);
  if (kinds.length === 0) throw invalid("kinds", "empty");
  checkKinds(kinds);
  checkLease(leaseMs);
  if (perNamespace !== undefined) checkPositive(perNamespace, "perNamespace");
  checkLength(skipNamespaces, "skipNamespaces", limits.maxSkippedNamespaces);
  for (const namespace of skipNamespaces) checkPlace(namespace, "skipNamespaces");
  return { ...request, limit: atMost(limit, limits.maxClaimItems) };
}

export function checkRenewal(claims: readonly ClaimRef[], leaseMs: number): void {
  checkLength(claims, "claims", limits.maxPageItems);
  for (const { key, token } of claims) {
    checkText(key.kind, "claims.key.kind", textLimits.keyPartBytes);
    checkPlace(key.namespace, "claims.key.namespace");
    checkText(key.name, "claims.key.name", textLimits.keyPartBytes);
    checkCount(token, "claims.token");
  }
  checkLease(leaseMs);
}

/** For claims and for `nextDue`, which may be asked about no kind at all. */
export function checkKinds(kinds: readonly string[]): void {
  checkLength(kinds, "kinds", limits.maxClaimKinds);
  for (const kind of kinds) checkText(kind, "kinds", textLimits.keyPartBytes);
}

/** The query, with its limit filled in and cut to the largest page. */
export function checkBacklog(query: BacklogQuery): BacklogQuery & { readonly limit: number } {
  checkText(query.kind, "kind", textLimits.keyPartBytes);
  if (query.namespace !== undefined) checkPlace(query.namespace, "namespace");
  return { ...query, limit: pageLimit(query.limit, limits.defaultPageItems) };
}

/** The query, with its limit filled in and cut to the largest page. */
export function checkList(query: ListQuery): ListQuery & { readonly limit: number } {
  const { kind, namespace, labels = [], fields = [], owner, at, from } = query;
  checkText(kind, "kind", textLimits.keyPartBytes);
  if (namespace !== undefined) checkPlace(namespace, "namespace");
  if (owner !== undefined) checkText(owner, "owner", textLimits.termBytes);
  if (at !== undefined) checkCount(at, "at");
  if (from !== undefined) checkPosition(from);
  checkLength(labels, "labels", limits.maxSelectorRequirements);
  checkLength(fields, "fields", limits.maxSelectorRequirements);
  // Values may be any text: what a database cannot keep is indexed by its digest.
  for (const { key } of labels) checkText(key, "labels.key", textLimits.termBytes);
  for (const { path } of fields) checkText(path, "fields.path", textLimits.termBytes);
  const values = [...labels, ...fields].reduce((sum, requirement) => {
    return sum + requirement.values.length;
  }, 0);
  if (values > limits.maxSelectorValues) {
    throw invalid("labels", `more than ${limits.maxSelectorValues} values to select by`);
  }
  return { ...query, limit: pageLimit(query.limit, limits.defaultPageItems) };
}

/** Whether the page should say how many follow: what a selector finds is not counted. */
export function isCounted({ countRemaining, labels = [], fields = [], owner }: ListQuery): boolean {
  const isSelective = labels.length > 0 || fields.length > 0 || owner !== undefined;
  return countRemaining === true && !isSelective;
}

function checkPosition({ revision, namespace, name }: Position): void {
  checkCount(revision, "from.revision");
  checkPlace(namespace, "from.namespace");
  checkPlace(name, "from.name");
}

/** A page of the log as it was asked for. */
export interface ChangesQuery extends ChangesOptions {
  readonly after: number;
  readonly limit: number;
}

/** The question, with its limit filled in and cut to the largest page. */
export function checkChanges(
  after: number,
  limit: number | undefined,
  { kinds }: ChangesOptions = {},
): ChangesQuery {
  checkCount(after, "after");
  const query = { after, limit: pageLimit(limit, limits.eventPageItems) };
  if (kinds === undefined) return query;
  if (kinds.length === 0) throw invalid("kinds", "empty");
  checkKinds(kinds);
  return { ...query, kinds };
}

/** The options, with the limit filled in and cut to the largest page. */
export function checkHistory(
  options: HistoryOptions = {},
): HistoryOptions & { readonly limit: number } {
  if (options.before !== undefined) checkCount(options.before, "before");
  return { ...options, limit: pageLimit(options.limit, limits.defaultPageItems) };
}

export function checkCompaction(upTo: number): void {
  checkCount(upTo, "upTo");
}

function pageLimit(limit: number | undefined, usual: number): number {
  return limit === undefined ? usual : atMost(limit, limits.maxPageItems);
}

function atMost(limit: number, most: number): number {
  checkPositive(limit, "limit");
  return Math.min(limit, most);
}

function checkLease(leaseMs: number): void {
  checkPositive(leaseMs, "leaseMs");
  if (leaseMs > limits.maxLeaseTtlMs) {
    throw invalid("leaseMs", `more than ${limits.maxLeaseTtlMs} milliseconds`);
  }
}

/** A text that may be empty: a namespace, or where a page ended. */
function checkPlace(text: string, argument: string): void {
  if (text !== "") checkText(text, argument, textLimits.keyPartBytes);
}

function checkText(text: string, argument: string, maxBytes: number): void {
  const fault = textFault(text, maxBytes);
  if (fault !== undefined) throw invalid(argument, fault);
}

function checkLength(list: readonly unknown[], argument: string, most: number): void {
  if (list.length > most) throw invalid(argument, `more than ${most} items`);
}

function checkCount(value: number, argument: string): void {
  if (!isCount(value)) throw invalid(argument, "must be a whole number, zero or more");
}

function checkPositive(value: number, argument: string): void {
  if (!isCount(value) || value === 0) throw invalid(argument, "must be a whole number above zero");
}

function invalid(argument: string, why: string): SetpointError {
  return new SetpointError("request.invalid", `${argument}: ${why}`, { details: { argument } });
}
