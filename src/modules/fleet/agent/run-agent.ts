/**
 * `setpoint agent`: applies the instances of one cluster to a data plane, and reports about the
 * instances and the cluster. It keeps nothing on disk: after a kill it reads both sides again.
 */
import type { CommandCall, Daemon } from "../../../contract/command.ts";
import type { OpenHttp } from "../../../adapters/http/port.ts";
import type { KubeClient, OpenKube } from "../../../adapters/kubernetes/port.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, valueAt } from "../../../kernel/json-read.ts";
import { agentConfig } from "./agent-config.ts";
import type { AgentConfig } from "./agent-config.ts";
import { Backoff } from "./backoff.ts";
import { openControlPlane } from "./control-plane.ts";
import type { ControlPlane, Discovered, OfferedToAgent } from "./control-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import { kubeDataPlane } from "./kube-data-plane.ts";
import { clusterNamespace } from "../names.ts";
import { OfferingAgent } from "./offering-agent.ts";
import { simulatedDataPlane } from "./simulated-data-plane.ts";

export async function runAgent(call: CommandCall): Promise<void> {
  const config = agentConfig(call.options);
  const daemon = call.daemon(config.log);
  const { log } = daemon;
  using controlPlane = await controlPlaneOf(config, call.openHttp);
  using client = clientOf(config, call.openKube);
  const agent = new Agent({ config, daemon, controlPlane, client });
  log.info({ cluster: config.cluster, control_plane: config.controlPlane.origin }, "agent started");
  await Promise.all([agent.run(), workOfModules(call, config, daemon)]);
  log.info({ cluster: config.cluster }, "agent stopped");
}

/** A simulated data plane has no API. */
async function workOfModules(
  call: CommandCall,
  config: AgentConfig,
  daemon: Daemon,
): Promise<void> {
  const { target } = config;
  if (target.kind !== "kubernetes") return;
  const { authority, certificate } = await config.access();
  const { cluster, controlPlane: url, isInsecure } = config;
  using controlPlane = call.openKube({
    access: { server: url.href, authority, certificate, isInsecure, serverName: undefined },
    token: async () => (await config.access()).token,
    fieldManager: "setpoint-agent",
  });
  const openTarget = (fieldManager: string): KubeClient =>
    call.openKube({ access: target.access(), token: () => target.access().token, fieldManager });
  const namespace = clusterNamespace(cluster);
  const input = { cluster, namespace, controlPlane, openTarget, daemon };
  await Promise.all((await call.agentWork()).map(async (work) => await work(input)));
}

export interface AgentInput {
  readonly config: Pick<AgentConfig, "cluster" | "namespace" | "status" | "target">;
  readonly daemon: Daemon;
  readonly controlPlane: ControlPlane;
  readonly client: (KubeClient & Disposable) | undefined;
}

/** Signs of life are sent this often, and Offerings are looked for. */
const beatMs = 30_000;
/** While the data plane is read for the first time. */
const startingMs = 500;
/** While the data plane cannot be used. */
const problemMs = 5_000;

interface RunningOffering {
  readonly offering: OfferedToAgent;
  readonly agent: OfferingAgent;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The agent of one cluster, for all Offerings. */
export class Agent {
  readonly #input: AgentInput;
  readonly #running = new Map<string, RunningOffering>();

  constructor(input: AgentInput) {
    this.#input = input;
  }

  async run(): Promise<void> {
    const { log, timers, random, stopping } = this.#input.daemon;
    const backoff = new Backoff(random);
    while (!stopping.aborted) {
      let pauseMs = beatMs;
      try {
        const found = await this.#input.controlPlane.discover(stopping);
        await this.#runOfferings(found);
        pauseMs = await this.#reportCluster(stopping);
        backoff.succeeded();
      } catch (error) {
        if (stopping.aborted) break;
        pauseMs = backoff.nextMs();
        log.warn({ error, pause_ms: pauseMs }, "control plane not reached");
      }
      await timers.sleep(pauseMs, stopping).catch(() => undefined);
    }
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** Starts the agents of new Offerings, and stops those of removed or changed ones. */
  async #runOfferings(found: Discovered): Promise<void> {
    const wanted = new Map(found.offerings.map((offering) => [offering.name, offering]));
    for (const [name, { stop, ended, offering }] of this.#running) {
      if (JSON.stringify(wanted.get(name)) === JSON.stringify(offering)) continue;
      stop.abort();
      await ended;
      this.#running.delete(name);
    }
    for (const [name, offering] of wanted) {
      if (!this.#running.has(name)) this.#running.set(name, this.#start(offering, found.dns));
    }
  }

  #start(offering: OfferedToAgent, dns: string): RunningOffering {
    const { controlPlane, daemon } = this.#input;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, daemon.stopping]);
    const dataPlane = this.#dataPlane(offering, dns);
    const agent = new OfferingAgent({ offering, controlPlane, dataPlane, ...daemon });
    daemon.log.info({ offering: offering.name }, "agent of an offering started");
    return { offering, agent, stop, ended: agent.run(signal) };
  }

  #dataPlane({ name, applies }: OfferedToAgent, domain: string): DataPlane {
    const { config, daemon, client } = this.#input;
    const { target, cluster, namespace } = config;
    if (target.kind === "simulator" || client === undefined) {
      const settings = target.kind === "simulator" ? target.settings : {};
      return simulatedDataPlane({ ...daemon, settings, domain });
    }
    return kubeDataPlane(client, { cluster, offering: name, applies, namespace });
  }

  /** Returns when to report again. */
  async #reportCluster(signal: AbortSignal): Promise<number> {
    const running = [...this.#running.values()];
    const [first] = running;
    if (first === undefined) return beatMs;
    // A start is no interruption: until the data plane has answered, the last report holds.
    if (running.some(({ agent }) => agent.isStarting)) return startingMs;
    const problems = new Map(
      running.flatMap(({ offering, agent: { problem } }) =>
        problem === undefined ? [] : [[offering.name, problem] as const],
      ),
    );
    const given = await this.#input.config.status();
    const body = clusterStatus(given, problems, running.length);
    await this.#input.controlPlane.reportCluster(first.offering.plural, body, signal);
    return problems.size > 0 ? problemMs : beatMs;
  }
}

/**
 * The cluster is ready while one of its Offerings can be applied. One operator is reported where
 * the status file names none: any version can be applied.
 */
export function clusterStatus(
  given: JsonObject,
  problems: ReadonlyMap<string, string>,
  offerings: number,
): JsonObject {
  const isReady = problems.size < offerings;
  const [message = ""] = problems.values();
  const ready = isReady
    ? { type: "Ready", status: "True", reason: "Connected", message: "" }
    : { type: "Ready", status: "False", reason: "DataPlaneUnavailable", message };
  const operators = valueAt(given, "operators") ?? [{ version: "1.0.0", ready: true }];
  return {
    conditions: [ready],
    operators,
    capacity: objectAt(given, "capacity"),
    ...(problems.size === 0 ? {} : { unavailable: Object.fromEntries(problems) }),
  };
}

async function controlPlaneOf(config: AgentConfig, openHttp: OpenHttp): Promise<ControlPlane> {
  const { authority, certificate } = await config.access();
  return openControlPlane({
    url: config.controlPlane,
    cluster: config.cluster,
    tls: {
      isUnverified: config.isInsecure,
      ...(authority === undefined ? {} : { ca: authority }),
      ...certificate,
    },
    token: async () => (await config.access()).token,
    openHttp,
  });
}

function clientOf({ target }: AgentConfig, openKube: OpenKube): KubeClient | undefined {
  if (target.kind !== "kubernetes") return undefined;
  return openKube({
    access: target.access(),
    token: () => target.access().token,
    fieldManager: "setpoint-agent",
  });
}
