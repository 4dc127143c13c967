// The query and path parameters of the API, and which action takes which. kubectl refuses to create
// anything unless the PATCH of a kind lists `fieldValidation`, so these tables are not decoration.

import type { Action } from "./operation.ts";

export interface Parameter {
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const parameters = {
  allowWatchBookmarks: query("boolean", "The watch may send bookmarks: events without a change."),
  continue: query("string", "The token of the next page, from the page before it."),
  dryRun: query("string", "All: do everything but store the result."),
  fieldManager: query("string", "Who is writing; the name that owns the fields written."),
  fieldSelector: query("string", "Only objects whose fields have these values."),
  fieldValidation: query(
    "string",
    "What to do about unknown or duplicate fields: Ignore, Warn (the default) or Strict.",
  ),
  force: query("boolean", "Take over fields that others own. Only for apply patches."),
  gracePeriodSeconds: query("integer", "Seconds until the object may be removed; 0 is at once."),
  ignoreStoreReadErrorWithClusterBreakingPotential: query(
    "boolean",
    "Delete even what cannot be read any more.",
  ),
  labelSelector: query("string", "Only objects whose labels match."),
  limit: query("integer", "The largest number of objects in one page."),
  name: path("name of the object"),
  namespace: path("object name and auth scope, such as for teams and projects"),
  orphanDependents: query("boolean", "Deprecated: use propagationPolicy."),
  pretty: query("string", "If 'true', then the output is pretty printed."),
  propagationPolicy: query("string", "What becomes of dependents: Orphan, Background, Foreground."),
  resourceVersion: query("string", "The version to read at, or to watch from."),
  resourceVersionMatch: query("string", "How resourceVersion applies: Exact or NotOlderThan."),
  sendInitialEvents: query("boolean", "Begin the watch with all objects there are."),
  timeoutSeconds: query("integer", "Ends the list or watch after this time."),
  watch: query("boolean", "Answer with a stream of changes instead of a list."),
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof parameters;

interface Scope {
  readonly isBuiltIn: boolean;
  readonly isNamed: boolean;
  readonly isSpaced: boolean;
}

const listed: readonly ParameterName[] = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
const written: readonly ParameterName[] = ["dryRun", "fieldManager", "fieldValidation"];
const deleted: readonly ParameterName[] = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
const notWatched = listed.filter((name) => name !== "allowWatchBookmarks" && name !== "watch");

/** In the order of their names. */
export function parametersOf(action: Action, scope: Scope): readonly ParameterName[] {
  const { isBuiltIn, isNamed, isSpaced } = scope;
  const names: ParameterName[] = ["pretty", ...actionParameters(action, isBuiltIn)];
  if (isNamed) names.push("name");
  if (isSpaced) names.push("namespace");
  return names.toSorted();
}

function actionParameters(action: Action, isBuiltIn: boolean): readonly ParameterName[] {
  switch (action) {
    case "list":
      return listed;
    case "deletecollection":
      return isBuiltIn ? [...notWatched, ...deleted] : listed;
    case "get":
      return isBuiltIn ? [] : ["resourceVersion"];
    case "post":
    case "put":
      return written;
    case "patch":
      return [...written, "force"];
    case "delete":
      return deleted;
    default:
      return action satisfies never;
  }
}

function query(type: Parameter["type"], description: string): Parameter {
  return { in: "query", type, description };
}

function path(description: string): Parameter {
  return { in: "path", type: "string", description };
}
