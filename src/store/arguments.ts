/**
 * The domains of the arguments of a store's calls, checked once for every implementation, so that
 * a wrong one is `request.invalid` with its name everywhere and never a database's own error. What
 * may be asked for too much of is cut to its limit instead. Writes are checked in prepare.ts.
 */
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { Requirement } from "../kernel/selector.ts";
import { isStorable, textFault } from "../kernel/storable-text.ts";
import type {
  ChangesOptions,
  ClaimRef,
  ClaimRequest,
  CommitOptions,
  FieldRequirement,
  HistoryOptions,
  ListQuery,
  Position,
  UniqueName,
  VerifyOptions,
  Write,
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

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** No key, name or counter has an empty part: whoever looks for this finds nothing. */
const nothing = "";

/** The key to look for: what could not be stored is not there, whatever a database makes of it. */
export function findable(key: ResourceKey): ResourceKey {
  checkKey(key);
  const { kind, namespace, name } = key;
  if (isStorable(kind) && isStorable(namespace) && isStorable(name)) return key;
  return { kind: nothing, namespace: nothing, name: nothing };
}

/** That the parts are texts at all. */
export function checkKey(key: ResourceKey): void {
  const isKey =
    isObject(key) &&
    typeof key.kind === "string" &&
    typeof key.namespace === "string" &&
    typeof key.name === "string";
  if (!isKey) throw invalid("key", "kind, namespace and name must be strings");
}

export function findableKeys(keys: readonly ResourceKey[]): readonly ResourceKey[] {
  checkArray(keys, "keys");
  if (keys.length > limits.maxPageItems) {
    throw new SetpointError(
      "request.too_large",
      `a read can have at most ${limits.maxPageItems} keys`,
      { details: { keys: keys.length, most: limits.maxPageItems } },
    );
  }
  return keys.map(findable);
}

/** As `findable`. */
export function findableName(name: UniqueName): UniqueName {
  checkObject(name, "name");
  const found = {
    scope: findableText(name.scope, "scope"),
    name: findableText(name.name, "name"),
  };
  return name.home === undefined ? found : { ...found, home: findable(name.home) };
}

export function findableCounter(counter: string): string {
  return findableText(counter, "counter");
}

function findableText(text: string, argument: string): string {
  if (typeof text !== "string") throw invalid(argument, "must be a string");
  return isStorable(text) ? text : nothing;
}

/** What a commit is asked to do, apart from the writes themselves. */
export function checkCommit(writes: readonly Write[], options: CommitOptions): void {
  checkArray(writes, "writes");
  checkObject(options, "options");
  const { atomic } = options;
  if (atomic !== undefined && typeof atomic !== "boolean") {
    throw invalid("atomic", "must be true or false");
  }
}

/** The request, with its limits cut to what one claim gives. */
export function checkClaim(request: ClaimRequest): ClaimRequest {
  checkObject(request, "request");
  const { owner, kinds, limit, leaseMs, perNamespace, skipNamespaces = [] } = request;
  checkText(owner, "owner", textLimits.keyPartBytes);
  checkSomeKinds(kinds);
  checkLease(leaseMs);
  checkLength(skipNamespaces, "skipNamespaces", limits.maxSkippedNamespaces);
  for (const namespace of skipNamespaces) checkPlace(namespace, "skipNamespaces");
  const asked = { ...request, limit: atMost(limit, limits.maxClaimItems) };
  if (perNamespace === undefined) return asked;
  return { ...asked, perNamespace: atMost(perNamespace, limits.maxClaimItems, "perNamespace") };
}

export function checkRenewal(claims: readonly ClaimRef[], leaseMs: number): void {
  checkLength(claims, "claims", limits.maxPageItems);
  for (const claim of claims) {
    if (!isObject(claim) || !isObject(claim.key)) throw invalid("claims", "not a key and a token");
    const { key, token } = claim;
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

function checkSomeKinds(kinds: readonly string[]): void {
  checkKinds(kinds);
  if (kinds.length === 0) throw invalid("kinds", "empty");
}

/** The query, with its limit filled in and cut to the largest page. */
export function checkBacklog(query: BacklogQuery): BacklogQuery & { readonly limit: number } {
  checkObject(query, "query");
  checkText(query.kind, "kind", textLimits.keyPartBytes);
  if (query.namespace !== undefined) checkPlace(query.namespace, "namespace");
  return { ...query, limit: pageLimit(query.limit, limits.defaultPageItems) };
}

/** The query, with its limit filled in and cut to the largest page. */
export function checkList(query: ListQuery): ListQuery & { readonly limit: number } {
  checkObject(query, "query");
  const { kind, namespace, labels = [], fields = [], owner, at, from } = query;
  checkText(kind, "kind", textLimits.keyPartBytes);
  if (namespace !== undefined) checkPlace(namespace, "namespace");
  if (owner !== undefined) checkText(owner, "owner", textLimits.termBytes);
  if (at !== undefined) checkCount(at, "at");
  if (from !== undefined) checkPosition(from);
  checkLength(labels, "labels", limits.maxSelectorRequirements);
  checkLength(fields, "fields", limits.maxSelectorRequirements);
  for (const label of labels) checkLabel(label);
  for (const field of fields) checkField(field);
  const values = [...labels, ...fields].reduce((sum, requirement) => {
    return sum + requirement.values.length;
  }, 0);
  if (values > limits.maxSelectorValues) {
    throw invalid("labels", `more than ${limits.maxSelectorValues} values to select by`);
  }
  return { ...query, limit: pageLimit(query.limit, limits.defaultPageItems) };
}

function checkLabel(label: Requirement): void {
  checkObject(label, "labels");
  checkText(label.key, "labels.key", textLimits.termBytes);
  const { operator } = label;
  switch (operator) {
    case "in":
    case "notin":
    case "exists":
    case "absent":
      break;
    default:
      operator satisfies never;
      throw invalid("labels.operator", "must be in, notin, exists or absent");
  }
  checkValues(label.values, "labels.values");
}

function checkField(field: FieldRequirement): void {
  checkObject(field, "fields");
  checkText(field.path, "fields.path", textLimits.termBytes);
  if (field.operator !== "in" && field.operator !== "notin") {
    throw invalid("fields.operator", "must be in or notin");
  }
  checkValues(field.values, "fields.values");
}

/** Any text: what a database cannot keep is indexed by its digest. */
function checkValues(values: readonly string[], argument: string): void {
  checkArray(values, argument);
  if (values.every((value) => typeof value === "string")) return;
  throw invalid(argument, "must be strings");
}

/** Whether the page should say how many follow: what a selector finds is not counted. */
export function isCounted({ countRemaining, labels = [], fields = [], owner }: ListQuery): boolean {
  const isSelective = labels.length > 0 || fields.length > 0 || owner !== undefined;
  return countRemaining === true && !isSelective;
}

function checkPosition(from: Position): void {
  checkObject(from, "from");
  checkCount(from.revision, "from.revision");
  checkPlace(from.namespace, "from.namespace");
  checkPlace(from.name, "from.name");
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
  options: ChangesOptions = {},
): ChangesQuery {
  checkCount(after, "after");
  checkObject(options, "options");
  const { kinds } = options;
  const query = { after, limit: pageLimit(limit, limits.eventPageItems) };
  if (kinds === undefined) return query;
  checkSomeKinds(kinds);
  return { ...query, kinds };
}

/** The options, with the limit filled in and cut to the largest page. */
export function checkHistory(
  options: HistoryOptions = {},
): HistoryOptions & { readonly limit: number } {
  checkObject(options, "options");
  if (options.before !== undefined) checkCount(options.before, "before");
  return { ...options, limit: pageLimit(options.limit, limits.defaultPageItems) };
}

/** How many findings to stop after. */
export function checkVerify(options: VerifyOptions = {}): number {
  checkObject(options, "options");
  return pageLimit(options.limit, limits.defaultPageItems);
}

function pageLimit(limit: number | undefined, usual: number): number {
  return limit === undefined ? usual : atMost(limit, limits.maxPageItems);
}

function atMost(limit: number, most: number, argument = "limit"): number {
  checkPositive(limit, argument);
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
  checkArray(list, argument);
  if (list.length > most) throw invalid(argument, `more than ${most} items`);
}

function checkArray(list: readonly unknown[], argument: string): void {
  if (!Array.isArray(list)) throw invalid(argument, "must be a list");
}

function checkObject(value: object, argument: string): void {
  if (!isObject(value)) throw invalid(argument, "must be an object");
}

/** For a revision, or what `workTick` said. */
export function checkCount(value: number, argument: string): void {
  if (!isCount(value)) throw invalid(argument, "must be a non-negative integer");
}

/** Of keys that seal. */
export function checkKeyIds(ids: readonly string[]): void {
  checkArray(ids, "ids");
  for (const id of ids) checkText(id, "ids", textLimits.keyPartBytes);
}

function checkPositive(value: number, argument: string): void {
  if (!isCount(value) || value === 0) throw invalid(argument, "must be a positive integer");
}

function invalid(argument: string, why: string): SetpointError {
  return new SetpointError("request.invalid", `${argument}: ${why}`, { details: { argument } });
}
