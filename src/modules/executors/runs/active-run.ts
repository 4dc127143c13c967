// The run that a resource has begun, in `status.run`: where its program is, so that the next server
// finds it. It is stored before the first program of a run begins and removed after its end.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { choice, described, name, object, text } from "../../../kernel/schema-parts.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface ActiveRun {
  /** Of its ExecutorRun. */
  readonly name: string;
  readonly action: string;
  readonly phase: "Running" | "Detached";
  readonly host: string;
  readonly folder: string;
  /** A detached program is ended at this time at the latest. */
  readonly untilMs: number | undefined;
  /** When a server on another machine first saw the run. */
  readonly seenMs: number | undefined;
}

const time = { type: "integer", minimum: 0 };

/** The schema of `status.run`. */
export const activeRunSchema: JsonObject = described(
  object({
    name,
    action: text,
    phase: choice("Running", "Detached"),
    host: { type: "string", maxLength: 1_024 },
    folder: { type: "string", maxLength: 4_096 },
    untilMs: time,
    seenMs: time,
  }),
  "The run in progress. The server that continues it finds its program here.",
);

export function activeRunOf(owner: Resource): ActiveRun | undefined {
  const run = presentObjectAt(owner, "status", "run");
  if (run === undefined || textAt(run, "name") === "") return undefined;
  return {
    name: textAt(run, "name"),
    action: textAt(run, "action"),
    phase: textAt(run, "phase") === "Detached" ? "Detached" : "Running",
    host: textAt(run, "host"),
    folder: textAt(run, "folder"),
    untilMs: numberAt(run, "untilMs"),
    seenMs: numberAt(run, "seenMs"),
  };
}
