/**
 * Asks for a run by the annotation that every reconciler obeys, and waits until the engine has
 * echoed its token: from then on the status tells what that run found.
 */
import { annotations } from "../../kernel/annotations.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { Json } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import { isPausing } from "../../kernel/paused.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { ApiClient } from "./api-client.ts";
import type { NamedResource } from "../../contract/command.ts";

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Told what holds it up, when that takes a while, and when it changes. */
  readonly tell?: (text: string) => void;
}

export interface Handled {
  /** Whether the loop worked. */
  readonly isSynced: boolean;
  readonly isReady: boolean;
  /** What was reported about it; empty when nothing was. */
  readonly report: string;
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** Whoever waits for longer wants to know what for. */
const quietMs = 3_000;

/** The token by which the request can be recognised. */
export async function requestRun(
  client: ApiClient,
  { path }: NamedResource,
  ids: Ids,
): Promise<string> {
  const token = ids.uid();
  await client.patch(path, { metadata: { annotations: { [annotations.request]: token } } });
  return token;
}

export async function waitForRun(
  client: ApiClient,
  resource: NamedResource,
  token: string,
  { timeoutMs, clock, timers, tell }: WaitOptions,
): Promise<Handled> {
  const startMs = clock.nowMs();
  let told = "";
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const document = await client.get(resource.path);
    if (isHandled(document, token)) return handledIn(document);
    const why = await explanationOf(client, resource);
    const obstacle = obstacleIn(document, why);
    if (obstacle !== undefined) throw inVain(resource, obstacle);
    const waitedMs = clock.nowMs() - startMs;
    const summary = summaryOf(why);
    if (waitedMs >= timeoutMs) throw tooLate(resource, summary);
    const state = textAt(why, "resource", "state");
    if (waitedMs >= quietMs && state !== told && summary !== "") tell?.(summary);
    if (waitedMs >= quietMs) told = state;
    await timers.sleep(pauseMs);
  }
}

/** Empty when one may not ask, or an older server does not know. */
async function explanationOf(client: ApiClient, { path }: NamedResource): Promise<Json> {
  try {
    return await client.get(`${path}/why`);
  } catch (error) {
    if (isSetpointError(error)) return {};
    throw error;
  }
}

/** These say that it was tried, but not what became of it. */
const withReason: ReadonlySet<string> = new Set(["HeldOff", "Failing"]);

/** What holds it up, with what the last run ended with where that is why. */
function summaryOf(why: Json): string {
  const [reason] = textsAt(why, "resource", "details");
  const isTold = reason !== undefined && withReason.has(textAt(why, "resource", "state"));
  return isTold ? `${textAt(why, "summary")}; ${reason}` : textAt(why, "summary");
}

interface Obstacle {
  readonly what: string;
  readonly suggestion: string;
}

/** A kind of the server's own, or one that somebody else reports on. */
const nothingToRun: Obstacle = {
  what: "no reconciler handles its kind",
  suggestion: "name a resource that uses it; setpoint why shows the state of this one",
};

/** Why no wait is long enough; undefined when it may be run. */
function obstacleIn(document: Json, why: Json): Obstacle | undefined {
  const set = (name: string): string => textAt(document, "metadata", "annotations", name);
  const without = (name: string): string => `remove its annotation ${name}; then it is reconciled`;
  if (isPausing(valueAt(document, "metadata", "annotations", annotations.paused))) {
    return { what: "it is paused", suggestion: without(annotations.paused) };
  }
  const isSkipped = conditionOf(document, "Synced", "reason") === "Skipped";
  if (isSkipped && set(annotations.policy) === "skip") {
    return { what: "its policy is skip", suggestion: without(annotations.policy) };
  }
  const known = objectAt(why, "resource");
  if (textAt(known, "state") === "") return undefined;
  const workers = textAt(known, "workers");
  const suggestion = "start a worker with a module for its kind; then it is reconciled";
  if (workers === "none") return { what: "no worker is running for this kind", suggestion };
  if (workers !== "") return undefined;
  if (textAt(known, "state") !== "Unhandled") return nothingToRun;
  return { what: "no reconciler handles its kind", suggestion };
}

/** Ours, or a later one: whoever asked after us has had ours dealt with as well. */
function isHandled(document: Json, token: string): boolean {
  const handled = textAt(document, "status", "reconcile", "handledRequest");
  const asked = textAt(document, "metadata", "annotations", annotations.request);
  return handled === token || (asked !== token && handled !== "" && handled === asked);
}

function handledIn(document: Json): Handled {
  const isSynced = conditionOf(document, "Synced", "status") !== "False";
  const isReady = conditionOf(document, "Ready", "status") === "True";
  const told = isSynced ? "Ready" : "Synced";
  const said = [conditionOf(document, told, "reason"), conditionOf(document, told, "message")];
  const words = said.filter((word) => word !== "");
  return { isSynced, isReady, report: words.join(": ") };
}

function conditionOf(document: Json, type: string, field: string): string {
  const conditions = objectsAt(document, "status", "conditions");
  return textAt(conditions.find((each) => textAt(each, "type") === type) ?? {}, field);
}

function inVain({ kind, name }: NamedResource, { what, suggestion }: Obstacle): SetpointError {
  const message = `${kind}/${name} is not reconciled: ${what}; request pending`;
  return new SetpointError("request.invalid", message, { suggestion });
}

function tooLate({ kind, name }: NamedResource, summary: string): SetpointError {
  const why = summary === "" ? "" : ` (${summary})`;
  const message = `${kind}/${name} was not reconciled in time${why}; request pending`;
  return new SetpointError("request.timeout", message, {
    suggestion: `find the cause: setpoint why ${kind.toLowerCase()}/${name}`,
  });
}
