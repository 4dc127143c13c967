// One line of `terraform ... -json`. Unknown types and fields are ignored, as its documentation
// asks.

import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";

export type TerraformEvent =
  | { readonly kind: "planned"; readonly address: string; readonly action: string }
  | { readonly kind: "drifted"; readonly address: string; readonly action: string }
  | { readonly kind: "applied"; readonly address: string; readonly id: string }
  | { readonly kind: "summary"; readonly counts: ChangeCounts }
  | { readonly kind: "diagnostic"; readonly severity: string; readonly text: string }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "other" };

export interface ChangeCounts {
  readonly add: number;
  readonly change: number;
  readonly remove: number;
  readonly import: number;
}

export interface EventLine {
  readonly event: TerraformEvent;
  /** For the log. */
  readonly text: string;
}

export function readEvent(line: string): EventLine {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch {
    // A crash of Terraform is not JSON.
    return { event: { kind: "other" }, text: line };
  }
  if (!isJsonObject(value)) return { event: { kind: "other" }, text: line };
  const object = value;
  const event = eventOf(object);
  const text = event.kind === "diagnostic" ? event.text : textAt(object, "@message");
  return { event, text };
}

function eventOf(object: JsonObject): TerraformEvent {
  switch (textAt(object, "type")) {
    case "planned_change":
      return { kind: "planned", ...changeOf(object) };
    case "resource_drift":
      return { kind: "drifted", ...changeOf(object) };
    case "apply_complete":
      return appliedOf(objectAt(object, "hook"));
    case "change_summary":
      return { kind: "summary", counts: countsOf(objectAt(object, "changes")) };
    case "diagnostic":
      return diagnosticOf(objectAt(object, "diagnostic"));
    case "version":
      return { kind: "version", version: textAt(object, "terraform") || textAt(object, "tofu") };
    default:
      return { kind: "other" };
  }
}

function changeOf(object: JsonObject): { readonly address: string; readonly action: string } {
  const change = objectAt(object, "change");
  return { address: textAt(change, "resource", "addr"), action: textAt(change, "action") };
}

/** Reading a data source is reported in the same way, and is not a change. */
function appliedOf(hook: JsonObject): TerraformEvent {
  if (textAt(hook, "action") === "read") return { kind: "other" };
  return {
    kind: "applied",
    address: textAt(hook, "resource", "addr"),
    id: textAt(hook, "id_value"),
  };
}

function countsOf(changes: JsonObject): ChangeCounts {
  return {
    add: numberAt(changes, "add") ?? 0,
    change: numberAt(changes, "change") ?? 0,
    remove: numberAt(changes, "remove") ?? 0,
    import: numberAt(changes, "import") ?? 0,
  };
}

function diagnosticOf(diagnostic: JsonObject): TerraformEvent {
  const severity = textAt(diagnostic, "severity") || "error";
  const [summary, detail] = [textAt(diagnostic, "summary"), textAt(diagnostic, "detail")];
  const file = textAt(diagnostic, "range", "filename");
  const line = numberAt(diagnostic, "range", "start", "line");
  const address = textAt(diagnostic, "address");
  const places = [address, file === "" ? "" : `${file}:${line ?? 0}`].filter((each) => each !== "");
  const where = places.length === 0 ? "" : ` (${places.join(", ")})`;
  const text = `${severity}: ${[summary, detail].filter((each) => each !== "").join(": ")}${where}`;
  return { kind: "diagnostic", severity, text };
}
