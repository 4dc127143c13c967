// `setpoint env plan` and `setpoint env approve`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { plansKind } from "../names.ts";
import { templatesOf } from "./fields.ts";
import { showUnlessAsked, snapshotOf } from "./progress.ts";
import { inPath, parametersOf, sessionOf, statesOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runPlan: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const { template, destroy } = call.options;
  const environment = await session.server.get(session.path(`environments/${inPath(id)}`));
  const templates = templatesOf(call, environment);
  const given = await parametersOf(call, session, templates);
  // What --set does not name stays as it is.
  const merged = {
    ...objectAt(environment, "spec", "parameters"),
    ...objectAt(given, "parameters"),
  };
  const body = {
    ...(Array.isArray(template) ? { templates } : {}),
    ...given,
    ...(Object.hasOwn(given, "parameters") ? { parameters: merged } : {}),
    ...(destroy === true ? { destroy: true } : {}),
  };
  const created = await session.server.post(session.path(`environments/${inPath(id)}/plan`), body);
  const plan = await finished(session, textAt(created, "id"));
  if (call.isJson) call.printText(JSON.stringify(plan, undefined, 2));
  else printPlan(call, plan);
};

export const runApprove: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [plan = ""] = call.args;
  const environment = await session.server.post(session.path(`plans/${inPath(plan)}/approve`), {});
  const id = textAt(environment, "id");
  call.print(`plan ${plan} of environment ${id} approved`);
  await showUnlessAsked(call, session, id, { since: await snapshotOf(session, id, environment) });
};

/** The plan, when it is no longer pending. */
async function finished(session: Session, id: string): Promise<Json> {
  for await (const plan of statesOf(session, { kind: plansKind, route: "plans", id })) {
    const phase = textAt(plan, "status", "phase");
    if (phase !== "" && phase !== "Pending") return plan;
  }
  throw new Error("the server ended the stream of changes");
}

/** Actions of plans, and of Terraform. */
const marks: Readonly<Record<string, string>> = {
  add: "+",
  change: "~",
  remove: "-",
  none: " ",
  create: "+",
  update: "~",
  delete: "-",
  replace: "-/+",
  import: "<",
};
/** Shown in the line of the resource. */
const headFields: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

function printPlan(call: CommandCall, plan: Json): void {
  const status = valueAt(plan, "status");
  if (textAt(status, "phase") === "Failed") {
    call.printError(`the plan failed: ${textAt(status, "message")}`);
    call.setExitCode(1);
    return;
  }
  for (const change of objectsAt(status, "changes")) {
    if (textAt(change, "action") !== "none") printChange(call, change);
  }
  const counts = ["add", "change", "remove", "deferred"].map(
    (name) => `${numberAt(status, name) ?? 0} to ${name}`,
  );
  call.print(`plan ${textAt(plan, "id")}: ${counts.join(", ").replace("to deferred", "deferred")}`);
  const isEmpty = ["add", "change", "remove"].every((name) => (numberAt(status, name) ?? 0) === 0);
  if (!isEmpty) call.print(`approve it with: setpoint env approve ${textAt(plan, "id")}`);
}

function printChange(call: CommandCall, change: JsonObject): void {
  const mark = marks[textAt(change, "action")] ?? "?";
  const reason = textAt(change, "reason");
  const why = reason === "" ? "" : `  (${reason})`;
  call.print(`${mark} ${textAt(change, "resource")}  ${textAt(change, "kind")}${why}`.trimEnd());
  const fields = objectsAt(change, "fields").filter(
    (field) => !headFields.has(textAt(field, "path")),
  );
  for (const field of fields) call.print(`    ${fieldLine(field)}`);
  for (const inner of objectsAt(change, "nested", "changes")) {
    call.print(`    ${marks[textAt(inner, "action")] ?? "~"} ${textAt(inner, "address")}`);
  }
}

export function fieldLine(field: JsonObject): string {
  const path = textAt(field, "path");
  if (valueAt(field, "hidden") === true) return `${path}: (secret)`;
  const deferred = textAt(field, "deferred");
  const after = deferred === "" ? shown(field["after"]) : `(${deferred})`;
  return `${path}: ${shown(field["before"])} -> ${after}`;
}

/** Long values are cut: all of them are in the output with -o json. */
function shown(value: Json | undefined): string {
  return value === undefined ? "(none)" : shortText(JSON.stringify(value), maxValueChars);
}

const maxValueChars = 200;
