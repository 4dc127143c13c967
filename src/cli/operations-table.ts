// The operations view as tables for people: what runs, what waits, what ran.
import type { Json, JsonObject } from "../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../kernel/json-read.ts";
import { spanText, whenText } from "../kernel/span-text.ts";
import { alignedRows, plainText } from "./plain-text.ts";

export function operationsLines(operations: Json): readonly string[] {
  const server = objectAt(operations, "server");
  const name = textAt(server, "name");
  const hidden = numberAt(operations, "hidden") ?? 0;
  return [
    name === "" ? "This server has no workers." : plainText(`Worker name: ${name}`),
    ...section("RUNNING HERE", objectsAt(operations, "running").map(runningCells)),
    ...section("QUEUES", objectsAt(operations, "queues").flatMap(queueCells)),
    ...unusable(textsAt(operations, "unusableModules")),
    ...section("RECENTLY HERE", objectsAt(operations, "recent").map(recentCells)),
    ...(hidden === 0 ? [] : ["", `${hidden} more are not visible to you.`]),
  ];
}

function unusable(modules: readonly string[]): readonly string[] {
  return modules.length === 0
    ? []
    : section(
        "UNUSABLE MODULES",
        modules.map((text) => [text]),
      );
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(plainText));
  const lines = rows.length === 0 ? ["nothing"] : alignedRows(cells);
  return ["", title, ...lines.map((line) => `  ${line}`)];
}

function runningCells(run: JsonObject): readonly string[] {
  const stopping = run["aborted"] === true ? "stopping" : "";
  return [nameOf(run), textAt(run, "what"), `for ${spanOf(run, "tookMs")}`, stopping];
}

function queueCells(queue: JsonObject): readonly (readonly string[])[] {
  const due = numberAt(queue, "due") ?? 0;
  const oldest = numberAt(queue, "oldestDueMs");
  const late = oldest === undefined ? "" : `, the oldest for ${spanText(oldest)}`;
  const workers = workersText(queue);
  const kind = textAt(queue, "kind");
  return [
    [textAt(queue, "resource"), `${due} due${late}${workers}`],
    ...objectsAt(queue, "next").map((item) => {
      const named = { kind, namespace: textAt(item, "namespace"), name: textAt(item, "name") };
      return [`  ${nameOf(named)}`, workText(item)];
    }),
    ...objectsAt(queue, "paused").map((item) => {
      const named = { kind, namespace: textAt(item, "namespace"), name: textAt(item, "name") };
      return [`  ${nameOf(named)}`, "paused"];
    }),
  ];
}

/** A kind without a worker is worth a remark only if it has resources to work on. */
function workersText(queue: JsonObject): string {
  const workers = textAt(queue, "workers");
  const listed = objectsAt(queue, "next").length + objectsAt(queue, "paused").length;
  const isEmpty = listed === 0 && (numberAt(queue, "due") ?? 0) === 0;
  if (workers === "none") return isEmpty ? "" : "; no worker is running for this kind";
  return workers === "unknown" ? "; this server does not reconcile this kind" : "";
}

function workText(item: JsonObject): string {
  const owner = textAt(item, "claim", "owner");
  if (owner !== "") return `held by ${owner}`;
  const dueInMs = numberAt(item, "dueInMs");
  if (dueInMs === undefined) return "";
  return dueInMs <= 0 ? `due for ${spanText(dueInMs)}` : `due ${whenText(dueInMs)}`;
}

function recentCells(run: JsonObject): readonly string[] {
  const attempt = numberAt(run, "attempt") ?? 1;
  const words = [textAt(run, "reason"), textAt(run, "message")].filter((word) => word !== "");
  const endedAt = textAt(run, "endedAt");
  return [
    // By which they are in order; older servers do not tell it.
    endedAt === "" ? textAt(run, "startedAt") : endedAt,
    nameOf(run),
    textAt(run, "what"),
    textAt(run, "outcome"),
    `${numberAt(run, "tookMs") ?? 0} ms`,
    attempt > 1 ? `try ${attempt}` : "",
    words.join(": "),
  ];
}

function nameOf(resource: JsonObject): string {
  const namespace = textAt(resource, "namespace");
  const name = `${textAt(resource, "kind")}/${textAt(resource, "name")}`;
  return namespace === "" ? name : `${name} in ${namespace}`;
}

function spanOf(object: JsonObject, field: string): string {
  return spanText(numberAt(object, field) ?? 0);
}
