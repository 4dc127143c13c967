// `setpoint gitops list` and `setpoint gitops get`.

import type { RunCommand } from "../../../contract/command.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { referenceOf } from "./diff.ts";
import { listPath, objectOf, readDeployment, sessionOf, shortCommit } from "./session.ts";
import { problemText, progressLine } from "./wait.ts";

export const runList: RunCommand = async (call) => {
  const { server, namespace } = sessionOf(call);
  const list = objectOf(await server.get(listPath(namespace)));
  if (call.isJson) {
    call.printText(JSON.stringify(list, undefined, 2));
    return;
  }
  const rows = objectsAt(list, "items").map((item) => [
    textAt(item, "metadata", "name"),
    textAt(item, "status", "sync", "status") || "Unknown",
    textAt(item, "status", "health", "status") || "-",
    shortCommit(textAt(item, "status", "sync", "revision")) || "-",
    problemText(item),
  ]);
  const titles = ["NAME", "SYNC", "HEALTH", "REVISION", "PROBLEM"];
  if (rows.length === 0) call.printError(`the namespace ${namespace} has no GitOpsDeployment`);
  else for (const line of tableLines(titles, rows)) call.print(line);
};

export const runGet: RunCommand = async (call) => {
  const deployment = await readDeployment(sessionOf(call));
  if (call.isJson) call.printText(JSON.stringify(deployment, undefined, 2));
  else for (const line of deploymentLines(deployment)) call.print(line);
};

export function deploymentLines(deployment: JsonObject): readonly string[] {
  const at = (...path: readonly string[]): string => textAt(deployment, ...path);
  const pin = at("spec", "pin", "revision");
  const omitted = numberAt(deployment, "status", "summary", "omitted") ?? 0;
  const problem = problemText(deployment);
  const fields: readonly (readonly [string, string])[] = [
    ["source", `${at("spec", "source", "repoURL")} ${at("spec", "source", "path")}`],
    ["revision", shortCommit(at("status", "sync", "revision"))],
    ["sync", at("status", "sync", "status")],
    [
      "health",
      [at("status", "health", "status"), at("status", "health", "message")].join(" ").trim(),
    ],
    ["pinned", pin === "" ? "" : [shortCommit(pin), at("spec", "pin", "reason")].join(" ").trim()],
    ["now", progressLine(deployment)],
    ["problem", problem],
    ["prune", at("status", "prune", "hash") === "" ? "" : `held: ${at("status", "prune", "hash")}`],
    ["webhook", at("status", "webhook", "url")],
  ];
  const objects = objectsAt(deployment, "status", "resources").map((object) => [
    referenceOf(object),
    textAt(object, "status"),
    textAt(object, "health", "status") || "-",
    textAt(object, "health", "message"),
  ]);
  const newestFirst = objectsAt(deployment, "status", "history").toReversed();
  const history = newestFirst.map((entry) => [
    String(numberAt(entry, "id") ?? ""),
    shortCommit(textAt(entry, "revision")),
    textAt(entry, "deployedAt"),
    textAt(entry, "trigger"),
  ]);
  return [
    ...fields
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `${name.padEnd(10)}${value}`),
    ...section(["OBJECT", "SYNC", "HEALTH", "MESSAGE"], objects),
    ...(omitted === 0 ? [] : [`and ${omitted} further objects`]),
    ...section(["ID", "REVISION", "APPLIED", "TRIGGER"], history),
  ];
}

function section(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return rows.length === 0 ? [] : ["", ...tableLines(titles, rows)];
}

export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [titles, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2))
      .join("")
      .trimEnd(),
  );
}
