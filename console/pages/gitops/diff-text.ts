// The words of a diff. Pure.

import type { DeploymentDiff } from "../../api/gitops.ts";
import type { JsonValue } from "../../api/types.ts";
import { plural } from "../../format/number.ts";

export function diffHeadline({ objects, prunes }: DeploymentDiff): string {
  const count = (action: string): number => objects.filter((each) => each.action === action).length;
  const deleted = prunes.filter(({ isSkipped }) => !isSkipped).length;
  const parts = [
    ...(count("create") > 0 ? [`creates ${plural(count("create"), "object")}`] : []),
    ...(count("update") > 0 ? [`changes ${plural(count("update"), "object")}`] : []),
    ...(deleted > 0 ? [`deletes ${plural(deleted, "object")}`] : []),
  ];
  return parts.length === 0 ? "" : `A sync ${parts.join(", ")}.`;
}

/** "data.colour" and "spec.containers[0].image" as JSON Pointers, which DiffView shows. */
export function pointerOf(path: string): string {
  const parts = [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, plain]) =>
      quoted === undefined ? (index ?? plain ?? "") : String(JSON.parse(`"${quoted}"`)),
  );
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The server sends the beginning of a value as JSON; a whole one is shown as it is. */
export function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
