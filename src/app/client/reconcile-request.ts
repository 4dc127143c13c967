/**
 * Asks for a run by the annotation that every reconciler obeys, and waits until the engine has
 * echoed its token: from then on the status tells what that run found.
 */
import { annotations } from "../../kernel/annotations.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { Json } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { ApiClient } from "./api-client.ts";
import type { NamedResource } from "./resource-argument.ts";

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
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
  { timeoutMs, clock, timers }: WaitOptions,
): Promise<Handled> {
  const deadlineMs = clock.nowMs() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const document = await client.get(resource.path);
    if (isHandled(document, token)) return handledIn(document);
    if (clock.nowMs() >= deadlineMs) throw tooLate(resource);
    await timers.sleep(pauseMs);
  }
}

/** Ours, or a later one: whoever asked after us has had ours dealt with as well. */
function isHandled(document: Json, token: string): boolean {
  const handled = textAt(document, "status", "reconcile", "handledRequest");
  const asked = textAt(document, "metadata", "annotations", annotations.request);
  return handled === token || (asked !== token && handled !== "" && handled === asked);
}

function handledIn(document: Json): Handled {
  const conditions = objectsAt(document, "status", "conditions");
  const of = (type: string) => conditions.find((each) => textAt(each, "type") === type);
  const isSynced = textAt(of("Synced"), "status") !== "False";
  const isReady = textAt(of("Ready"), "status") === "True";
  const told = isSynced ? of("Ready") : of("Synced");
  const words = [textAt(told, "reason"), textAt(told, "message")].filter((word) => word !== "");
  return { isSynced, isReady, report: words.join(": ") };
}

function tooLate({ kind, name }: NamedResource): SetpointError {
  const message = `${kind}/${name} was not reconciled in time; the request stands`;
  return new SetpointError("request.timeout", message, {
    suggestion: `see what holds it: setpoint why ${kind.toLowerCase()}/${name}`,
  });
}
