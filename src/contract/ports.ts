// What a module receives. Each port is small, so that the test of a module needs no server, and the
// simulator can run a module with its own clock and store.

import type { OpenBroker } from "../adapters/amqp/port.ts";
import type { OpenGit } from "../adapters/git/port.ts";
import type { CallJson, OpenHttp } from "../adapters/http/port.ts";
import type { ProcessRunner } from "../adapters/process/port.ts";
import type { Sandbox } from "../adapters/sandbox/port.ts";
import type { Supervisors } from "../adapters/supervisor/port.ts";
import type { OpenKube } from "../adapters/kubernetes/port.ts";
import type { OpenTextIndex } from "../adapters/text-index/port.ts";
import type { Meter } from "../engine/ports.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import type { Authorizer } from "../intents/auth/policy.ts";
import type { Rbac } from "../intents/auth/rbac.ts";
import type { KindRegistry } from "../intents/kinds/registry.ts";
import type { LiveView } from "../intents/live-view.ts";
import type { Intents } from "../intents/request.ts";
import type { ChangeFeed } from "../intents/watch/change-feed.ts";
import type { Clock } from "../kernel/clock.ts";
import type { SetpointError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { ExtensionEntry } from "./user-module.ts";

/** Time, randomness, network and output of this process. */
export interface ProcessPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly random: Random;
  /** For calls to other servers. */
  readonly openHttp: OpenHttp;
  /** The same, for servers that speak JSON. */
  readonly callJson: CallJson;
  /** An index over texts and edges, in a thread. */
  readonly openTextIndex: OpenTextIndex;
  /** For programs that end with this process. Opened with the first call. */
  readonly openPrograms: () => Promise<ProcessRunner>;
  /** For git repositories. The caller disposes of what it opens. */
  readonly openGit: OpenGit;
  /** For tools that read files of tenants. */
  readonly openSandbox: () => Promise<Sandbox>;
  /** For programs that change other systems. Opened with the first call. */
  readonly openSupervisors: () => Promise<Supervisors>;
  /** For messages. */
  readonly openBroker: OpenBroker;
  /** For the APIs of Kubernetes clusters. */
  readonly openKube: OpenKube;
  readonly log: ModuleLog;
  readonly meter: ModuleMeter;
}

export interface ModuleMeter extends Meter {
  /**
   * A declared gauge whose series are read each time the metrics are shown, so that no series
   * outlives what it is about. Ends with the returned function. `read` must be quick.
   */
  collect(name: string, read: () => Iterable<GaugeSample>): () => void;
}

export interface GaugeSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Constant message, variables as fields. */
export interface ModuleLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Stored state, without a way to change it. */
export interface ReadPorts {
  readonly store: Pick<
    Store,
    "get" | "getMany" | "list" | "history" | "head" | "changes" | "nameHolder" | "counter"
  >;
  readonly live: LiveView;
  readonly kinds: KindRegistry;
  readonly authorizer: Authorizer;
  /** All rights of a user, to compare them with the rights of another. */
  readonly rights: Pick<Rbac, "rulesFor" | "namespacesOf">;
}

/** Given to `open`. */
export interface OpenPorts extends ProcessPorts, ReadPorts {
  /** The module's own section of the configuration, checked; undefined when it is absent. */
  readonly configuration: unknown;
  /** The entries of user modules for this module. */
  readonly extensions: readonly ExtensionEntry[];
  /** Ids of the kinds that user modules reconcile. */
  readonly userKinds: Pick<ReadonlySet<string>, "has">;
  /** Reports that a part of a user module cannot be used. It does not stop the server. */
  readonly reportModule: (file: string, error: SetpointError) => void;
  /** How long the store keeps superseded states; undefined: always. */
  readonly historyMs: number | undefined;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** Given to `start`. */
export interface StartPorts {
  readonly feed: ChangeFeed;
  /** The write path with all policies: for writes on behalf of a caller. */
  readonly intents: Intents;
  /** The write path without policies: for the module's own records. */
  readonly ownIntents: Intents;
  readonly engine: EnginePort;
}

export interface EnginePort {
  /** False where this process has no workers; added reconcilers then run in other processes. */
  readonly isWorker: boolean;
  /** Reconciles the kind in this process from now on. Returns a function that ends it. */
  readonly add: (reconciler: Reconciler) => () => void;
  /**
   * Runs a task in one process at a time, with or without workers: for work that follows many
   * resources. Returns a function that ends it in this process.
   */
  readonly lead: (task: LeaderTask) => () => void;
}
