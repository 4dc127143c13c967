/** The revisions that a deployment had in its target, and the end of a rollback. Pure. */
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import type { DeploymentFacts } from "./deployment-report.ts";

/** The newest is the last one. A self-heal and a sync again of the same revision are no entries. */
export function historyAfter(
  { operation, deployment: { spec } }: DeploymentFacts,
  previous: JsonObject,
): JsonObject {
  if (operation?.phase !== "Succeeded" || operation.trigger === "SelfHeal") return {};
  if (operation.trigger === "Deletion") return {};
  const { revision, trigger, startedAtMs, finishedAtMs = startedAtMs } = operation;
  const history = objectsAt(previous, "history");
  const last = history.at(-1);
  const path = textAt(spec, "source", "path");
  const repoURL = textAt(spec, "source", "repoURL");
  const isSame =
    textAt(last, "revision") === revision &&
    textAt(last, "path") === path &&
    textAt(last, "repoURL") === repoURL;
  // A status that is reported again, with the sync that ended last.
  const isReported =
    Date.parse(textAt(last, "deployedAt")) >= Math.floor(finishedAtMs / 1_000) * 1_000;
  if (last !== undefined && (isSame || isReported)) return {};
  const entry = {
    id: (numberAt(last, "id") ?? -1) + 1,
    revision,
    path,
    repoURL,
    startedAt: timeText(startedAtMs),
    deployedAt: timeText(finishedAtMs),
    trigger,
  };
  return { history: [...history, entry].slice(-gitopsLimits.maxHistory) };
}

/** A pin with `head` ends when the branch moves. */
export function pinAfter(
  { deployment: { spec }, source, nowMs, pinnedHead }: DeploymentFacts,
  previous: JsonObject,
): JsonObject {
  const revision = textAt(spec, "pin", "revision");
  if (revision === "") return { pin: null };
  if (source?.kind !== "revision" || pinnedHead === undefined) return {};
  const head = textAt(spec, "pin", "head");
  if (head === "" || head === pinnedHead) return { pin: { revision, endedAt: null } };
  const known = textAt(previous, "pin", "endedAt");
  const isKnown = known !== "" && textAt(previous, "pin", "revision") === revision;
  return { pin: { revision, endedAt: isKnown ? known : timeText(nowMs) } };
}
