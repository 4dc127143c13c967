// Follows the streams of events that Connections name, one for each: what an event is about is
// looked at at once. A stream that ends is opened again, after a while that grows; meanwhile
// looking from time to time goes on, and when it is there again everything of the connection is
// looked at once. Every process with workers follows; a second wake does no harm.

import { changeAsSystem } from "../../../intents/housekeeping/system-change.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import type { SecretData } from "../../../kernel/secret-data.ts";
import { ConnectionProblem, connectionSettings } from "../http/connection.ts";
import { secretNamesOf } from "../http/connection.ts";
import type { ConnectionSettings } from "../http/connection.ts";
import type { EventStreamPorts, FollowStream } from "../http/event-stream.ts";
import { connectGroup, connectionsKind } from "./connection-kind.ts";
import { connectionTeller } from "./connection-teller.ts";
import type { ConnectionTeller, Finding } from "./connection-teller.ts";
import { eventBatches } from "./event-batches.ts";
import { wakeByEvent } from "./wake-by-event.ts";
import { wakeConnection } from "./wake-connection.ts";

export interface FollowEventsInput {
  readonly intents: Intents;
  readonly ports: EventStreamPorts;
  readonly secretOf: (namespace: string, name: string) => Promise<JsonObject | undefined>;
  readonly onError: (error: unknown, connection: string) => void;
  /** How a stream is opened. */
  readonly follow: FollowStream;
}

interface Following {
  readonly version: string;
  readonly stop: AbortController;
}

const shortestMs = 500;
const longestMs = 60_000;
/** A stream that lasted for so long was a good one. */
const steadyMs = 10_000;
const conditionType = "EventsFollowed";

export function followEvents(input: FollowEventsInput): AsyncDisposable {
  const followed = new Map<string, Following>();
  const { intents, ports, onError } = input;
  const told = { intents, timers: ports.timers, type: conditionType, onError };
  // Streams are tried again ever more rarely, so there is no need for a pause.
  const teller = connectionTeller({ ...told, pausesMs: [0, 0] });
  const running = new Set<Promise<void>>();
  let isOver = false;
  const run = (name: string, work: () => Promise<void>): void => {
    const promise: Promise<void> = work()
      .catch((error: unknown) => input.onError(error, name))
      .finally(() => running.delete(promise));
    running.add(promise);
  };
  const judge = (name: string, after: LiveRecord | undefined): void => {
    const { uid, generation } = after?.resource.metadata ?? { uid: "", generation: 0 };
    const isFollowed = textAt(after?.resource, "spec", "events", "websocket") !== "";
    const version = isFollowed ? `${uid} ${generation}` : undefined;
    const known = followed.get(name);
    // Also what another process, or this one before it was started anew, has left there.
    if (version === undefined && isTold(after?.resource)) {
      run(name, () => takeBack(input, name));
    }
    if (known?.version === version) return;
    known?.stop.abort();
    followed.delete(name);
    teller.forget(name);
    if (version === undefined) return;
    const stop = new AbortController();
    followed.set(name, { version, stop });
    run(name, () => followOne(input, name, teller, stop.signal));
  };
  input.intents.live.follow(connectionsKind, (after, before) => {
    const name = (after ?? before)?.key.name;
    if (name !== undefined && !isOver) judge(name, after);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      for (const { stop } of followed.values()) stop.abort();
      await Promise.all(running);
      await teller[Symbol.asyncDispose]();
    },
  };
}

async function followOne(
  input: FollowEventsInput,
  name: string,
  teller: ConnectionTeller,
  signal: AbortSignal,
): Promise<void> {
  const { clock, timers, random } = input.ports;
  const say = (finding: Finding): void => teller.say(name, finding);
  let failures = 0;
  while (!signal.aborted) {
    let openedMs: number | undefined;
    const onOpen = (): number => (openedMs = clock.nowMs());
    const once = followOnce(input, name, { signal, say, onOpen });
    const reason = await once.catch((error: unknown) => {
      input.onError(error, name);
      return `the stream cannot be opened${codeOf(error)}`;
    });
    if (signal.aborted) return;
    const isSteady = openedMs !== undefined && clock.nowMs() - openedMs >= steadyMs;
    failures = isSteady ? 0 : failures + 1;
    const waitMs = Math.min(longestMs, shortestMs * 2 ** Math.min(failures, 10));
    say(disconnected(reason));
    await timers.sleep(waitMs * (0.75 + random.next() / 4), signal).catch(() => undefined);
  }
}

/** Of the errors of Node, whose texts may hold what must not be shown. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
}

interface Once {
  readonly signal: AbortSignal;
  readonly say: (finding: Finding) => void;
  readonly onOpen: () => void;
}

/** The reason for which it has ended. */
async function followOnce(
  input: FollowEventsInput,
  name: string,
  { signal, say, onOpen }: Once,
): Promise<string> {
  const { intents, ports, onError, follow } = input;
  const record = intents.live.get({ kind: connectionsKind, namespace: "", name });
  const spec = objectAt(record?.resource, "spec");
  const settings = await settingsOf(input, name, spec);
  if (typeof settings === "string") return settings;
  await using batches = eventBatches({
    timers: ports.timers,
    wakeNamed: (events) => wakeByEvent(intents, name, events, signal),
    wakeAll: async () => {
      say(following);
      await wakeConnection(intents, name, signal);
    },
    onError: (error) => onError(error, name),
  });
  const listener = {
    opened: () => {
      onOpen();
      batches.addAll();
    },
    event: (text: string) => batches.add(text),
  };
  return await follow(settings, textAt(spec, "events", "websocket"), ports, listener, signal);
}

/** What is wrong with it, as a text. */
async function settingsOf(
  { secretOf, onError }: FollowEventsInput,
  name: string,
  spec: JsonObject,
): Promise<ConnectionSettings | string> {
  try {
    const secrets = new Map<string, SecretData | undefined>();
    for (const secret of secretNamesOf(spec)) {
      secrets.set(secret, secretData(await secretOf(textAt(spec, "secretNamespace"), secret)));
    }
    return connectionSettings(name, spec, secrets);
  } catch (error) {
    if (error instanceof ConnectionProblem) return error.message;
    onError(error, name);
    return "the Connection cannot be read";
  }
}

function isTold(connection: Resource | undefined): boolean {
  const conditions = objectsAt(connection, "status", "conditions");
  return conditions.some((each) => textAt(each, "type") === conditionType);
}

/** There is nothing to follow, so nothing is to be said about it. */
async function takeBack({ intents }: FollowEventsInput, name: string): Promise<void> {
  const record = intents.live.get({ kind: connectionsKind, namespace: "", name });
  const edit = (old: Resource): Resource => {
    if (!isTold(old)) return old;
    const status = objectAt(old, "status");
    const conditions = objectsAt(status, "conditions").filter(
      (each) => textAt(each, "type") !== conditionType,
    );
    return { ...old, status: { ...status, conditions } };
  };
  if (record === undefined || !isTold(record.resource)) return;
  await changeAsSystem(intents, {
    group: connectGroup,
    plural: "connections",
    name,
    subresource: "status",
    edit,
  });
}

const following: Finding = { status: "True", reason: "Following", message: "" };

function disconnected(why: string): Finding {
  const message = `${why}; objects are still checked periodically`;
  return { status: "False", reason: "Disconnected", message };
}
