// The changes of a plan, from `terraform show -json`, without values that Terraform marks as
// sensitive. Pure.

import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import { executorLimits } from "../limits.ts";

export type PlannedAction = "create" | "update" | "delete" | "replace" | "import" | "forget";

export interface PlannedChange {
  readonly address: string;
  readonly action: PlannedAction;
  readonly fields: readonly JsonObject[];
}

export function plannedChanges(plan: JsonObject): readonly PlannedChange[] {
  return objectsAt(plan, "resource_changes").flatMap((entry) => {
    const change = objectAt(entry, "change");
    const action = actionOf(change);
    if (action === undefined || textAt(entry, "mode") === "data") return [];
    return [{ address: textAt(entry, "address"), action, fields: fieldsOf(change) }];
  });
}

/** Undefined: nothing changes. */
function actionOf(change: JsonObject): PlannedAction | undefined {
  const actions = textsAt(change, "actions");
  if (actions.length === 2) return "replace";
  switch (actions[0]) {
    case "create":
    case "update":
    case "delete":
    case "forget":
      return actions[0];
    default:
      return presentObjectAt(change, "importing") === undefined ? undefined : "import";
  }
}

function fieldsOf(change: JsonObject): readonly JsonObject[] {
  const [before, after] = [objectAt(change, "before"), objectAt(change, "after")];
  const unknown = change["after_unknown"];
  const secret = [change["before_sensitive"], change["after_sensitive"]];
  const names = new Set([...Object.keys(before), ...Object.keys(after), ...keysOf(unknown)]);
  const fields: JsonObject[] = [];
  for (const path of [...names].toSorted()) {
    const isUnknown = hasMark(unknown, path);
    const isSecret = secret.some((marks) => hasMark(marks, path));
    const [was, is] = [before[path] ?? null, after[path] ?? null];
    if (!isUnknown && equalJson(was, is)) continue;
    fields.push({
      path,
      ...(isSecret ? { isSecret } : {}),
      ...(isUnknown ? { isUnknown } : {}),
      ...(isSecret || was === null ? {} : { before: was }),
      ...(isSecret || isUnknown || is === null ? {} : { after: is }),
    });
  }
  return fields.slice(0, executorLimits.maxPlannedFields);
}

function keysOf(marks: Json | undefined): readonly string[] {
  return isJsonObject(marks) ? Object.keys(marks) : [];
}

/** A mark is `true`, or an object with marks somewhere inside. */
function hasMark(marks: Json | undefined, key: string): boolean {
  if (marks === true) return true;
  return isJsonObject(marks) && Object.hasOwn(marks, key) && isMarked(marks[key]);
}

function isMarked(mark: Json | undefined): boolean {
  if (mark === true) return true;
  if (Array.isArray(mark)) return mark.some((each: Json) => isMarked(each));
  return isJsonObject(mark) && Object.values(mark).some((each) => isMarked(each));
}
