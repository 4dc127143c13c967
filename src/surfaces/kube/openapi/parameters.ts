// The query and path parameters of the API, and which action takes which. kubectl refuses to create
// anything unless the PATCH of a kind lists `fieldValidation`, so these tables are not decoration.

import type { Action } from "./operation.ts";

export interface Parameter {
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const parameters = {
  allowWatchBookmarks: query(
    "boolean",
    "Whether the watch may send bookmarks: events without a change.",
  ),
  continue: query("string", "Token of the next page, from the previous page."),
  dryRun: query("string", "All: process the request without storing the result."),
  fieldManager: query("string", "Name of the field manager."),
  fieldSelector: query("string", "Field selector."),
  fieldValidation: query(
    "string",
    "How unknown or duplicate fields are handled: Ignore, Warn (default) or Strict.",
  ),
  force: query("boolean", "Whether to take fields from other managers. Only for apply patches."),
  gracePeriodSeconds: query(
    "integer",
    "Seconds before the object is deleted; 0 deletes it immediately.",
  ),
  ignoreStoreReadErrorWithClusterBreakingPotential: query(
    "boolean",
    "Whether to delete an object that cannot be read.",
  ),
  labelSelector: query("string", "Label selector."),
  limit: query("integer", "Maximum number of items in a page."),
  name: path("name of the object"),
  namespace: path("object name and auth scope, such as for teams and projects"),
  orphanDependents: query("boolean", "Deprecated: use propagationPolicy."),
  pretty: query("string", "If 'true', then the output is pretty printed."),
  propagationPolicy: query(
    "string",
    "How dependents are handled: Orphan, Background or Foreground.",
  ),
  resourceVersion: query("string", "Resource version to read at, or to watch from."),
  resourceVersionMatch: query("string", "How resourceVersion applies: Exact or NotOlderThan."),
  sendInitialEvents: query("boolean", "Whether a watch starts with the existing objects."),
  timeoutSeconds: query("integer", "Time limit of the list or watch."),
  watch: query("boolean", "Whether to return a stream of changes instead of a list."),
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
