// Revisions, differences and audit records as lines for people.
import type { Json, JsonObject } from "../kernel/json.ts";
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, valueAt } from "../kernel/json-read.ts";
import { alignedRows, plainText } from "./plain-text.ts";

export function historyLines(history: Json): readonly string[] {
  const rows = objectsAt(history, "revisions").map((revision) => [
    numberText(revision, "revision"),
    secondsOf(textAt(revision, "time")),
    textAt(revision, "type"),
    textAt(revision, "cause", "actor") || "-",
    textAt(revision, "cause", "surface") || "-",
    isTrueAt(revision, "erased") ? "(erased)" : changedText(textsAt(revision, "changed")),
  ]);
  const head = ["REVISION", "TIME", "CHANGE", "BY", "VIA", "FIELDS"];
  const more = textAt(history, "next") === "" ? [] : ["There are older revisions: use --limit."];
  return [...table(head, rows), ...more];
}

export function diffLines(changes: readonly JsonObject[]): readonly string[] {
  if (changes.length === 0) return ["No differences."];
  return changes.map((change) => plainText(differenceText(change)));
}

export function auditLines(records: Json): readonly string[] {
  const items = objectsAt(records, "items");
  const more = textAt(records, "next") === "" ? [] : ["There are older records: use --limit."];
  if (items.length === 0) return ["No records.", ...more];
  const rows = items.map((record) => [
    secondsOf(textAt(record, "time")),
    textAt(record, "cause", "actor") || "-",
    textAt(record, "cause", "surface") || "-",
    textAt(record, "type"),
    resourceText(record),
    numberText(record, "revision"),
  ]);
  return [...table(["TIME", "BY", "VIA", "CHANGE", "RESOURCE", "REVISION"], rows), ...more];
}

/** The resources that are not ready, grouped by reason. */
export function problemLines(report: Json, kind: string): readonly string[] {
  const groups = objectsAt(report, "groups");
  if (groups.length === 0) return [plainText(`No resource of ${kind} has a problem.`)];
  const rows = groups.map((group) => [
    numberText(group, "count"),
    textAt(group, "state"),
    textAt(group, "reason") || "-",
    examplesText(group),
    textAt(group, "message"),
  ]);
  const omitted = numberAt(report, "omitted") ?? 0;
  return [
    ...table(["COUNT", "STATE", "REASON", "RESOURCES", "MESSAGE"], rows),
    ...(omitted === 0 ? [] : [`${omitted} more groups are not shown.`]),
  ];
}

const shownExamples = 3;

function examplesText(group: JsonObject): string {
  const examples = objectsAt(group, "examples").slice(0, shownExamples);
  const names = examples.map((example) => {
    const namespace = textAt(example, "namespace");
    return namespace === "" ? textAt(example, "name") : `${namespace}/${textAt(example, "name")}`;
  });
  const more = (numberAt(group, "count") ?? 0) - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

const signs: Readonly<Record<string, string>> = { add: "+", remove: "-", replace: "~" };

function differenceText(change: JsonObject): string {
  const sign = signs[textAt(change, "kind")] ?? "?";
  const path = textAt(change, "path");
  if (isTrueAt(change, "isHidden")) return `${sign} ${path}: (hidden)`;
  const [old, now] = ["old", "new"].map((side) => JSON.stringify(valueAt(change, side) ?? null));
  switch (sign) {
    case "+":
      return `+ ${path}: ${now ?? ""}`;
    case "-":
      return `- ${path}: ${old ?? ""}`;
    default:
      return `~ ${path}: ${old ?? ""} -> ${now ?? ""}`;
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return alignedRows([head, ...rows.map((row) => row.map(plainText))]);
}

const shownPaths = 4;

/** Changes of the status are one word: a run changes many of its fields. */
function changedText(paths: readonly string[]): string {
  const names = [...new Set(paths.map((path) => path.replace(/^\/status\/.*/s, "/status")))];
  const more = names.length - shownPaths;
  const listed = names.slice(0, shownPaths).join(" ");
  return more > 0 ? `${listed} and ${more} more` : listed;
}

function resourceText(record: JsonObject): string {
  const namespace = textAt(record, "namespace");
  const name = `${textAt(record, "kind")}/${textAt(record, "name")}`;
  return namespace === "" ? name : `${name} in ${namespace}`;
}

/** "2026-01-01T10:00:00Z" of a time with milliseconds. */
function secondsOf(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

function numberText(object: JsonObject, field: string): string {
  return String(numberAt(object, field) ?? "");
}
