// `setpoint fleet usage`: prints the usage report of an Offering.

import type { RunCommand } from "../../../contract/command.ts";
import { isTrueAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { usageCsv } from "./usage-report.ts";

export const runUsage: RunCommand = async (call) => {
  const { options } = call;
  const text = (name: string): string => {
    const value = options[name];
    return typeof value === "string" ? value : "";
  };
  const server = call.server();
  const path = `/apis/fleet.setpoint.dev/v1/offerings/${encodeURIComponent(text("offering"))}`;
  const plural = textAt(await server.get(path), "spec", "instances", "plural");
  const by = text("by") === "instance" ? "instance" : "organisation";
  // The server refuses another value, and names the known ones.
  const query = new URLSearchParams({ from: text("from"), by: text("by") || by });
  if (text("to") !== "") query.set("to", text("to"));
  const root = `/api/${encodeURIComponent(plural)}_mgmt/v1/admin`;
  const report = await server.get(`${root}/usage?${query.toString()}`);
  if (call.isJson) {
    call.printText(JSON.stringify(report, null, 2));
  } else {
    // The last line ends when it is printed.
    call.printText(usageCsv(by, objectsAt(report, "items")).trimEnd());
  }
  if (isTrueAt(report, "is_complete")) return;
  const since = textAt(report, "complete_from");
  call.printError(
    `the report is not complete: records of deleted instances are kept since ${since}. ` +
      "Raise spec.retention of the Offering",
  );
};
