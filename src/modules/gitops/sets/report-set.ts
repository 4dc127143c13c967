/** The status of a GitOpsDeploymentSet. Pure: equal facts have an equal status. */
import { conditionsOf } from "../../../engine/run/status.ts";
import { setCondition } from "../../../kernel/conditions.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { gitopsLimits } from "../limits.ts";
import type { HeldRemoval, Rendered, SetDecision } from "./decide-set.ts";
import type { ReadGenerators } from "./read-generators.ts";

export interface SetFacts {
  readonly set: Resource;
  readonly read: ReadGenerators;
  readonly present: readonly Resource[];
  readonly nowMs: number;
  readonly rendered?: Rendered;
  readonly decision?: SetDecision;
  readonly problems?: readonly string[];
}

export interface SetReport {
  readonly status: JsonObject;
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

export function reportSet(facts: SetFacts): SetReport {
  const { set, read, present, rendered, decision, problems = [], nowMs } = facts;
  const previous = objectAt(set, "status");
  const from = new Map(rendered?.wanted.map((each) => [each.name, each.from]));
  const synced = present.filter((each) => textAt(each.status, "sync", "status") === "Synced");
  const healthy = present.filter((each) => textAt(each.status, "health", "status") === "Healthy");
  const shown = present.toSorted(byAttention).slice(0, gitopsLimits.maxStatusResources);
  const all = heldText(decision?.held) === "" ? problems : [...problems, heldText(decision?.held)];
  const [first = ""] = all;
  const count = present.length;
  const progress = `${healthy.length} of ${count} deployments are Healthy`;
  const isReady = first === "" && synced.length === count && healthy.length === count;
  const reason = first !== "" ? reasonOf(facts) : isReady ? "Healthy" : "Progressing";
  const message = shortText(first === "" ? progress : textOf(all), gitopsLimits.maxMessageChars);
  const error = {
    type: "ErrorOccurred",
    status: first === "" || read.isPending ? ("False" as const) : ("True" as const),
    reason: first === "" ? "" : reason,
    message: first === "" ? "" : message,
  };
  return {
    isReady,
    reason,
    message,
    status: {
      ...(rendered === undefined ? {} : { generated: rendered.wanted.length }),
      deployments: shown.map((each) => deploymentDocument(each, from)),
      summary: {
        deployments: count,
        synced: synced.length,
        healthy: healthy.length,
        omitted: count - shown.length,
      },
      removal: removalDocument(decision?.held, previous, nowMs),
      sources: [...read.sources],
      conditions: setCondition(conditionsOf(previous), error, nowMs),
    },
  };
}

function reasonOf({ read, decision, problems = [] }: SetFacts): string {
  if (read.isPending) return "Pending";
  const [source] = read.problems;
  if (source !== undefined) return source.reason;
  return problems.length === 0 && decision?.held !== undefined ? "RemovalHeld" : "NotGenerated";
}

function textOf([first = "", ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} (and ${more.length} more)`;
}

function heldText(held: HeldRemoval | undefined): string {
  if (held === undefined) return "";
  return (
    `${held.names.length} deletions of deployments wait: set spec.removal.confirm to ` +
    `${held.hash} to delete them`
  );
}

function removalDocument(
  held: HeldRemoval | undefined,
  previous: JsonObject,
  nowMs: number,
): JsonObject | null {
  if (held === undefined) return null;
  const { hash, reason, names } = held;
  const isSame = textAt(previous, "removal", "hash") === hash;
  return {
    hash,
    reason,
    deployments: names.length,
    named: names.slice(0, gitopsLimits.maxNamed),
    since: isSame ? textAt(previous, "removal", "since") : timeText(nowMs),
  };
}

function deploymentDocument(
  { metadata: { name }, status }: Resource,
  from: ReadonlyMap<string, string>,
): JsonObject {
  const health = textAt(status, "health", "status");
  const sync = textAt(status, "sync", "status");
  const origin = from.get(name);
  return {
    name,
    ...(origin === undefined ? {} : { from: shortText(origin, 500) }),
    ...(sync === "" ? {} : { sync }),
    ...(health === "" ? {} : { health: { status: health } }),
  };
}

/** Those that are not as wanted come first; then by name. */
function byAttention(one: Resource, other: Resource): number {
  const rank = ({ status }: Resource): number =>
    textAt(status, "sync", "status") === "Synced" &&
    textAt(status, "health", "status") === "Healthy"
      ? 1
      : 0;
  const difference = rank(one) - rank(other);
  return difference === 0 ? (one.metadata.name < other.metadata.name ? -1 : 1) : difference;
}
