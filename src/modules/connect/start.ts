/** Connect in a running process: followers of its kinds, and the reconcilers of kept objects. */
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";
import type { Intents } from "../../intents/request.ts";
import { readStored } from "../../intents/write/stored.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { RestClient } from "./http/client.ts";
import type { Clients } from "./http/clients.ts";
import type { FollowStream } from "./http/event-stream.ts";
import { connectionTeller } from "./kinds/connection-teller.ts";
import type { ConnectionTeller, Finding } from "./kinds/connection-teller.ts";
import { followEvents } from "./kinds/follow-events.ts";
import type { FollowEventsInput } from "./kinds/follow-events.ts";
import { followRestKinds, isEndingKind } from "./kinds/follow-kinds.ts";
import { holdUsed } from "./kinds/hold-used.ts";
import type { NamedHooks } from "./loop/hooks.ts";
import type { LoopPorts } from "./loop/prepare.ts";
import { connectReconciler } from "./loop/reconciler.ts";
import { siblingsIn } from "./loop/siblings.ts";
import { openTurns } from "./loop/turns.ts";
import { driftMetric, writesMetric } from "./metrics.ts";

export interface StartInput {
  readonly ports: OpenPorts;
  readonly more: StartPorts;
  /** Outlive the engine, whose runs use them to the end. */
  readonly clients: Clients;
  readonly hooks: readonly NamedHooks[];
  readonly followStream: FollowStream;
}

export async function startConnect(input: StartInput): Promise<AsyncDisposable> {
  const { ports, more } = input;
  const { timers, userKinds: taken } = ports;
  const { ownIntents: intents, engine } = more;
  await using undo = new AsyncDisposableStack();
  const teller = undo.use(
    connectionTeller({
      intents,
      timers,
      type: "Ready",
      pausesMs: [5_000, 300_000],
      onError: reporter(ports, "state of a connection not stored"),
    }),
  );
  const loop = loopPorts(input, teller);
  undo.use(
    followRestKinds({
      intents,
      timers,
      taken,
      begin: (compiled) => engine.add(connectReconciler(loop, compiled)),
      onError: (error, kind) => {
        if (!isRetried(error)) {
          ports.log.warn({ error, kind }, "kind of a connected service not updated");
        }
      },
    }),
  );
  const onError = reporter(ports, "object of a connected service not updated");
  undo.defer(engine.lead(holdUsed({ intents, timers, onError })));
  if (engine.isWorker) undo.use(followEvents(eventsInput(input, intents)));
  return undo.move();
}

function loopPorts(
  { ports, more, clients, hooks }: StartInput,
  teller: ConnectionTeller,
): LoopPorts {
  const { store, live, timers, meter, kinds } = ports;
  return {
    seal: {
      eraseEarlier: (key) => more.ownIntents.store.erase({ kind: "earlier", key }),
      secretRules: (kind) =>
        (kinds.byId(kind)?.kind.fieldRules ?? []).flatMap(({ path, rule }) => {
          return rule === "secret" || rule === "sealed" ? path : [];
        }),
    },
    clients,
    heard: heardBy(teller),
    unusable: (name: string, health: Finding) => teller.say(name, health),
    timers,
    siblings: siblingsIn(store),
    turns: openTurns(),
    hooksOf: (kind) => hooks.filter((each) => each.hooks.kind === kind),
    count: (what, kind) => meter.count(what === "write" ? writesMetric : driftMetric, { kind }),
    isEnding: (kind) => isEndingKind(live, kind),
  };
}

/** Reports the first finding of each reason; that later ones name other objects is no news. */
function heardBy(teller: ConnectionTeller): NonNullable<LoopPorts["heard"]> {
  const last = new WeakMap<RestClient, string>();
  return (client, health) => {
    if (last.get(client) === health.reason) return;
    last.set(client, health.reason);
    teller.say(client.settings.name, health);
  };
}

function reporter({ log }: OpenPorts, message: string): (error: unknown, name: string) => void {
  return (error, name) => {
    if (!isRetried(error)) log.warn({ error, name }, message);
  };
}

/** Another writer was faster. The work is repeated soon, so nothing is logged. */
function isRetried(error: unknown): boolean {
  return isSetpointError(error) && error.code === "resource.conflict";
}

function eventsInput({ ports, followStream }: StartInput, intents: Intents): FollowEventsInput {
  const { kinds, store, log } = ports;
  return {
    intents,
    ports,
    secretOf: async (namespace, name) => {
      const served = kinds.byId("secrets");
      const record = await store.get({ kind: "secrets", namespace, name });
      if (served === undefined || record === undefined) return undefined;
      return await readStored(served, served.storage, record);
    },
    onError: (error, connection) =>
      log.warn({ error, connection }, "events of a connected service not followed"),
    follow: followStream,
  };
}
