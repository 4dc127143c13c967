// `setpoint gitops tree`.

import type { RunCommand } from "../../../contract/command.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { referenceOf } from "./diff.ts";
import { objectOf, sessionOf } from "./session.ts";
import { tableLines } from "./show.ts";

export const runTree: RunCommand = async (call) => {
  const session = sessionOf(call);
  const tree = objectOf(await session.server.get(session.route("tree")));
  if (call.isJson) call.printText(JSON.stringify(tree, undefined, 2));
  else for (const line of treeLines(tree)) call.print(line);
};

export function treeLines(tree: JsonObject): readonly string[] {
  const rows = objectsAt(tree, "nodes").flatMap((node) => rowsOf(node, ""));
  const hidden = numberAt(tree, "hidden") ?? 0;
  const omitted = numberAt(tree, "omitted") ?? 0;
  return [
    ...(rows.length === 0
      ? [`${textAt(tree, "name")}: no objects`]
      : tableLines(["OBJECT", "SYNC", "HEALTH", "MESSAGE"], rows)),
    ...(hidden === 0 ? [] : [`objects that you may not read: ${hidden}`]),
    ...(omitted === 0 ? [] : [`and ${omitted} further objects`]),
    ...textsAt(tree, "notes").map((note) => `! ${note}`),
  ];
}

function rowsOf(node: JsonObject, indent: string): readonly (readonly string[])[] {
  return [
    [
      `${indent}${referenceOf(node)}`,
      textAt(node, "status") || "-",
      textAt(node, "health", "status") || "-",
      textAt(node, "health", "message"),
    ],
    ...objectsAt(node, "children").flatMap((child) => rowsOf(child, `${indent}  `)),
  ];
}
