// `setpoint gitops diff`.

import type { RunCommand } from "../../../contract/command.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectsAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { objectOf, optionOf, sessionOf, shortCommit } from "./session.ts";

export const runDiff: RunCommand = async (call) => {
  const session = sessionOf(call);
  const revision = optionOf(call, "revision");
  const query = revision === "" ? "" : `?${new URLSearchParams({ revision }).toString()}`;
  const diff = objectOf(await session.server.get(`${session.route("diff")}${query}`));
  if (call.isJson) call.printText(JSON.stringify(diff, undefined, 2));
  else for (const line of diffLines(diff)) call.print(line);
  if (call.options["exitCode"] === true && !isTrueAt(diff, "isSynced")) call.setExitCode(1);
};

export function diffLines(diff: JsonObject): readonly string[] {
  const objects = objectsAt(diff, "objects");
  const prunes = objectsAt(diff, "prunes");
  const problems = objectsAt(diff, "problems");
  const held = presentObjectAt(diff, "held");
  const title = `${textAt(diff, "name")} at ${shortCommit(textAt(diff, "revision"))}`;
  if (objects.length + prunes.length + problems.length === 0) return [`${title}: no differences`];
  return [
    title,
    ...objects.flatMap((object) => objectLines(object)),
    ...prunes.map((prune) => pruneLine(prune)),
    ...(held === undefined
      ? []
      : [`deletions wait for syncPolicy.confirmPrune: ${textAt(held, "hash")}`]),
    ...problems.map((problem) => `! ${textAt(problem, "reason")}: ${textAt(problem, "message")}`),
  ];
}

const marks: Readonly<Record<string, string>> = { added: "+", changed: "~", removed: "-" };

function objectLines(object: JsonObject): readonly string[] {
  const mark = textAt(object, "action") === "create" ? "+" : "~";
  const hidden = isTrueAt(object, "isHidden") ? "  (values are not shown)" : "";
  return [
    `${mark} ${referenceOf(object)}${hidden}`,
    ...objectsAt(object, "changes").map((change) => `    ${changeLine(change)}`),
  ];
}

function changeLine(change: JsonObject): string {
  const [from, to] = [textAt(change, "from"), textAt(change, "to")];
  const values = from === "" && to === "" ? "" : from === "" ? `: ${to}` : `: ${from} -> ${to}`;
  return `${marks[textAt(change, "kind")] ?? "~"} ${textAt(change, "path")}${values}`;
}

function pruneLine(prune: JsonObject): string {
  const why = isTrueAt(prune, "isHeld")
    ? "  (held)"
    : isTrueAt(prune, "isSkipped")
      ? "  (kept)"
      : "";
  return `- ${referenceOf(prune)}${why}`;
}

export function referenceOf(object: JsonObject): string {
  const [group, kind] = [textAt(object, "group"), textAt(object, "kind")];
  const place = [textAt(object, "namespace"), textAt(object, "name")].filter((each) => each !== "");
  return `${group === "" ? kind : `${kind}.${group}`} ${place.join("/")}`;
}
