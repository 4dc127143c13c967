// Commands that a module adds to the command line, as data. The command line shows the help and
// reads the arguments. The code of a command is loaded when the command runs.

import type { OpenHttp } from "../adapters/http/port.ts";
import type { KubeClient, OpenKube } from "../adapters/kubernetes/port.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import type { Timers } from "../kernel/timers.ts";
import type { ModuleLog } from "./ports.ts";

/** The commands below one word, such as `setpoint connect import`. */
export interface CommandGroup {
  /** Absent for commands at the top. */
  readonly name?: string;
  readonly summary?: string;
  readonly commands: readonly Command[];
}

export interface Command {
  /** With its arguments, as in "import <documents...>". */
  readonly syntax: string;
  readonly summary: string;
  /** As help shows it, when it differs from the syntax. */
  readonly usage?: string;
  /** Shown after the options: examples and exit codes. */
  readonly help?: string;
  readonly options: readonly CommandOption[];
  /**
   * Adds the options for a running server and for the form of the output, and gives the command a
   * client for the server. "without-namespace": the command does not use --namespace.
   */
  readonly server: "none" | "used" | "without-namespace";
  readonly load: () => Promise<RunCommand>;
}

export interface CommandOption {
  /** As in "--group <name>". */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Names of options that exclude this one. */
  readonly conflicts?: readonly string[];
}

export type RunCommand = (call: CommandCall) => Promise<void>;

export interface CommandCall {
  /** In their order; those of a repeated argument one after the other. */
  readonly args: readonly string[];
  /** By the name in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The value of --namespace. */
  readonly namespace: string | undefined;
  /** The value of --output. */
  readonly isJson: boolean;
  /** For commands that use a server. */
  server(): ServerClient;
  /** For calls to other servers. */
  readonly openHttp: OpenHttp;
  /** For the APIs of Kubernetes clusters. */
  readonly openKube: OpenKube;
  /** The resources in a file, as `kubectl apply` reads them; "-" is standard input. */
  documents(file: string): readonly JsonObject[];
  /** One line, without control characters. */
  print(line: string): void;
  /** The same, to standard error. */
  printError(line: string): void;
  /** A whole document, as it is. */
  printText(text: string): void;
  /** Shows an error as if it had ended the command, which continues. Sets the exit code. */
  report(error: unknown, about: string): void;
  /** When the command has ended. */
  setExitCode(code: number): void;
  /** For a command that runs until it is stopped. Called once, when it starts. */
  daemon(log: DaemonLog): Daemon;
  /** What modules do at a data-plane cluster, for the program that runs there. */
  agentWork(): Promise<readonly AgentWork[]>;
}

/** Runs until `daemon.stopping` aborts. It keeps trying while a server does not answer. */
export type AgentWork = (input: AgentWorkInput) => Promise<void>;

export interface AgentWorkInput {
  readonly cluster: string;
  /** The namespace of the cluster in the control plane. */
  readonly namespace: string;
  /** The API of the control plane, with the rights of the agent. */
  readonly controlPlane: KubeClient;
  /** The API of the cluster, in the name of a field manager. */
  readonly openTarget: (fieldManager: string) => KubeClient;
  readonly daemon: Daemon;
}

export interface DaemonLog {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly form: "json" | "text";
}

export interface Daemon {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** On standard error, in the form of the log of a server. */
  readonly log: ModuleLog;
  /** Aborted by SIGTERM and SIGINT. A second signal ends the process. */
  readonly stopping: AbortSignal;
}

/** A running server. Errors are those of the server, with what to do about them. */
export interface ServerClient {
  /** The namespace of the context. */
  readonly namespace: string;
  get(path: string): Promise<Json>;
  post(path: string, body: Json): Promise<Json>;
  /** A merge patch, unless the media type says otherwise. */
  patch(path: string, body: Json, mediaType?: string): Promise<Json>;
  delete(path: string): Promise<Json>;
  /** The items of a stream of the REST API, until it ends or the caller leaves the loop. */
  lines(path: string): AsyncIterable<JsonObject>;
  /** A kind by its plural, singular, Kind or short name, with or without its group. */
  findKind(text: string): Promise<KindAddress>;
  pathTo(kind: KindAddress, namespace: string, name: string): string;
  /** A resource as KIND/NAME or KIND NAME. */
  findResource(words: readonly string[], namespace: string | undefined): Promise<NamedResource>;
  /** Adds the namespace to the error when the resource does not exist. */
  askAbout<T>(resource: NamedResource, ask: () => Promise<T>): Promise<T>;
}

export interface KindAddress {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export interface NamedResource {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** Undefined where the kind has none. */
  readonly namespace?: string;
}

/** Another form in which the command line accepts a resource, besides KIND/NAME. */
export interface ResourceNaming {
  /** Whether a text has this form. */
  readonly matches: (text: string) => boolean;
  /** Loaded when a text matches. */
  readonly load: () => Promise<FindNamed>;
}

/** Throws resource.not_found when there is no such resource. */
export type FindNamed = (text: string, server: NamingPorts) => Promise<FoundResource>;

export interface NamingPorts extends Pick<ServerClient, "get" | "pathTo"> {
  /** All kinds of the server, in its order of preference. */
  kinds(): Promise<readonly KindAddress[]>;
}

export interface FoundResource {
  readonly kind: KindAddress;
  readonly namespace: string;
  readonly name: string;
}
