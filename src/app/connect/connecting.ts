/** Connect in this process: its kinds, and the reconcilers of what is kept in services. */
import type { Engine } from "../../engine/engine.ts";
import type { OutsideOptions } from "../../engine/outside/outside.ts";
import { metric } from "../../engine/reporting/metric-names.ts";
import { admissionChain } from "../../intents/admission/admission.ts";
import { installKind } from "../../intents/install-kind.ts";
import type { LiveView } from "../../intents/live-view.ts";
import type { Intents } from "../../intents/request.ts";
import { readStored } from "../../intents/write/stored.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { systemLimits } from "../../modules/connect/http/clients.ts";
import type { FollowStream } from "../../modules/connect/http/event-stream.ts";
import type { Clients, SystemLimits } from "../../modules/connect/http/clients.ts";
import {
  connectionDefinition,
  connectionsKind,
} from "../../modules/connect/kinds/connection-kind.ts";
import { connectionTeller } from "../../modules/connect/kinds/connection-teller.ts";
import type { ConnectionTeller, Finding } from "../../modules/connect/kinds/connection-teller.ts";
import { followEvents } from "../../modules/connect/kinds/follow-events.ts";
import type { FollowEventsInput } from "../../modules/connect/kinds/follow-events.ts";
import { followRestKinds, isEndingKind } from "../../modules/connect/kinds/follow-kinds.ts";
import { holdUsed } from "../../modules/connect/kinds/hold-used.ts";
import { restKindDefinition } from "../../modules/connect/kinds/rest-kind-kind.ts";
import type { RestClient } from "../../modules/connect/http/client.ts";
import type { LoopPorts } from "../../modules/connect/loop/prepare.ts";
import { siblingsIn } from "../../modules/connect/loop/siblings.ts";
import { openTurns } from "../../modules/connect/loop/turns.ts";
import type { NamedHooks } from "../../modules/connect/loop/hooks.ts";
import { connectReconciler } from "../../modules/connect/loop/reconciler.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { ControlPlane, Surroundings } from "../control-plane.ts";

export interface ConnectingInput {
  readonly plane: Pick<ControlPlane, "intents" | "meter">;
  readonly surroundings: Surroundings;
  readonly log: Logger;
  /** Undefined where this process has no workers. */
  readonly engine: Pick<Engine, "add"> | undefined;
  /** Outlive the engine, whose runs use them to the end. */
  readonly clients: Clients;
  /** Kinds that modules reconcile by themselves. */
  readonly taken: ReadonlySet<string>;
  readonly hooks: readonly NamedHooks[];
  readonly followStream?: FollowStream;
  /** Told of the kinds that are reconciled here. */
  readonly began: (kind: string) => () => void;
}

export async function startConnecting(input: ConnectingInput): Promise<AsyncDisposable> {
  const { plane, surroundings, log, engine, taken, hooks, began } = input;
  await using undo = new AsyncDisposableStack();
  const unhindered = { ...plane.intents, admission: admissionChain([]) };
  const maker = { name: "setpoint-connect", version: 2, isReconciled: false };
  for (const kind of [connectionDefinition, restKindDefinition]) {
    await installKind(unhindered, kind, maker);
  }
  const teller = undo.use(
    connectionTeller({
      intents: unhindered,
      timers: surroundings.timers,
      type: "Ready",
      pausesMs: [5_000, 300_000],
      onError: (error, name) => {
        if (!isRetried(error)) log.warn({ error, name }, "state of a service not told");
      },
    }),
  );
  const ports = {
    clients: input.clients,
    heard: heardBy(teller),
    unusable: (name: string, health: Finding) => teller.say(name, health),
    timers: surroundings.timers,
    siblings: siblingsIn(plane.intents.store),
    turns: openTurns(),
    hooksOf: (kind: string) => hooks.filter((each) => each.hooks.kind === kind),
    count: (what: "write" | "drift", kind: string) =>
      plane.meter.count(what === "write" ? metric.connectWrites : metric.connectDrift, { kind }),
    isEnding: (kind: string) => isEndingKind(plane.intents.live, kind),
  };
  undo.use(
    followRestKinds({
      intents: unhindered,
      timers: surroundings.timers,
      taken,
      begin: (compiled) => {
        const remove = engine?.add(connectReconciler(ports, compiled));
        const ended = engine === undefined ? undefined : began(compiled.kind);
        return () => {
          remove?.();
          ended?.();
        };
      },
      onError: (error, kind) => {
        if (!isRetried(error)) log.warn({ error, kind }, "kind of a service not kept up");
      },
    }),
  );
  undo.use(
    holdUsed({
      intents: unhindered,
      timers: surroundings.timers,
      onError: (error, name) => {
        if (!isRetried(error)) log.warn({ error, name }, "part of a service not kept up");
      },
    }),
  );
  if (engine !== undefined) undo.use(followEvents(eventsInput(input, unhindered)));
  return undo.move();
}

/** Of each sort the first is told: that others of it name other objects is no news. */
function heardBy(teller: ConnectionTeller): NonNullable<LoopPorts["heard"]> {
  const last = new WeakMap<RestClient, string>();
  return (client, health) => {
    if (last.get(client) === health.reason) return;
    last.set(client, health.reason);
    teller.say(client.settings.name, health);
  };
}

/** Somebody wrote at the same time; it is looked at again soon, and nobody has to know. */
function isRetried(error: unknown): boolean {
  return isSetpointError(error) && error.code === "resource.conflict";
}

function eventsInput(
  { surroundings, log, followStream }: ConnectingInput,
  intents: Intents,
): FollowEventsInput {
  const { kinds, store } = intents;
  return {
    intents,
    ports: surroundings,
    secretOf: async (namespace, name) => {
      const served = kinds.byId("secrets");
      const record = await store.get({ kind: "secrets", namespace, name });
      if (served === undefined || record === undefined) return undefined;
      return await readStored(served, served.storage, record);
    },
    onError: (error, connection) =>
      log.warn({ error, connection }, "events of a service not followed"),
    ...(followStream === undefined ? {} : { follow: followStream }),
  };
}

/** How much each connection may be asked, as its Connection says now. */
export function connectionPolicies(
  live: Pick<LiveView, "get">,
): NonNullable<OutsideOptions["policyOf"]> {
  const known = new Map<string, { readonly version: string; readonly policy: SystemLimits }>();
  return (system) => {
    const [, name] = /^connection\/(.+)$/.exec(system) ?? [];
    if (name === undefined) return undefined;
    const record = live.get({ kind: connectionsKind, namespace: "", name });
    if (record === undefined) return undefined;
    const { uid, generation } = record.resource.metadata;
    const version = `${uid} ${generation}`;
    const kept = known.get(name);
    if (kept?.version === version) return kept.policy;
    const policy = systemLimits(objectAt(record.resource, "spec"));
    known.set(name, { version, policy });
    return policy;
  };
}
