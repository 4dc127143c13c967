// Shows how an environment changes until it is settled. The command waits for changes of the
// Environment, which the server writes about once a second, and prints what is new.

import type { CommandCall } from "../../../contract/command.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { environmentPhases, phaseTexts } from "../environment/phases.ts";
import type { EnvironmentPhase } from "../environment/phases.ts";
import { environmentsKind } from "../names.ts";
import { hasEnded } from "../operations/operation.ts";
import { inPath, statesOf } from "./request.ts";
import type { Session } from "./request.ts";

const finalPhases: ReadonlySet<string> = new Set<EnvironmentPhase>([
  "DeployedOk",
  "DeployedFail",
  "Destroyed",
]);
/** Lists of more resources than this are not printed one by one. */
const maxShown = 200;

export interface Awaited {
  /** The operation that must end; whichever runs when left out. */
  readonly operation?: string;
  /** What is not news; undefined for an environment that was created. */
  readonly since: Snapshot | undefined;
}

/** An environment before a request, and the lines about its resources. */
export interface Snapshot {
  readonly environment: Json;
  readonly lines: readonly string[];
}

export async function snapshotOf(session: Session, id: string, known?: Json): Promise<Snapshot> {
  const { server, path } = session;
  const environment = known ?? (await server.get(path(`environments/${inPath(id)}`)));
  const total = numberAt(environment, "status", "resources", "total") ?? 0;
  const lines = total > maxShown ? [] : (await resourcesOf(session, id)).map(shownResource);
  return { environment, lines };
}

async function resourcesOf(
  { server, path }: Session,
  environment: string,
): Promise<readonly JsonObject[]> {
  const list = await server.get(path("resources", { environment, limit: String(maxShown) }));
  return objectsAt(list, "items");
}

/** Prints each line once. */
class News {
  readonly #call: CommandCall;
  readonly #old: ReadonlySet<string>;
  readonly #printed = new Set<string>();

  constructor(call: CommandCall, since: Snapshot | undefined) {
    const transitions = objectsAt(since?.environment, "status", "transitions");
    this.#call = call;
    this.#old = new Set([...transitions.map(transitionLine), ...(since?.lines ?? [])]);
  }

  readonly line = (text: string): void => {
    if (!this.#old.has(text)) this.result(text);
  };

  /** Also where it is the same as before. */
  readonly result = (text: string): void => {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    this.#call.print(text);
  };
}

/** Sets the exit code 1 when the environment is not as desired. */
export async function showProgress(
  call: CommandCall,
  session: Session,
  id: string,
  { operation, since }: Awaited,
): Promise<void> {
  const news = new News(call, since);
  const about = { kind: environmentsKind, route: "environments", id };
  const path = session.path(`environments/${inPath(id)}`);
  for await (const environment of statesOf(session, about)) {
    const resources = await printNews(news, session, environment);
    if (!isSettled(environment) || !(await isOver(session, operation))) continue;
    const last = operation === undefined ? environment : await session.server.get(path);
    // An operation that has ended since, such as a rollback, may have changed the environment.
    if (!isSettled(last)) continue;
    for (const each of resources) {
      if (textAt(each, "status", "state") === "Failed") news.result(shownResource(each));
    }
    printEnd(call, last);
    return;
  }
}

async function isOver({ server, path }: Session, operation: string | undefined): Promise<boolean> {
  if (operation === undefined) return true;
  const found = await server.get(path(`operations/${inPath(operation)}`));
  return hasEnded(textAt(found, "status", "phase"));
}

export function isSettled(environment: Json): boolean {
  const observed = numberAt(environment, "status", "observedGeneration");
  if (observed !== numberAt(environment, "generation")) return false;
  // The operation that waits for an approval is the present one.
  if (isAwaitingApproval(environment)) return true;
  if (textAt(environment, "status", "operation") !== "") return false;
  return finalPhases.has(textAt(environment, "status", "phase"));
}

function isAwaitingApproval(environment: Json): boolean {
  return textAt(environment, "status", "reason") === "AwaitingApproval";
}

/** The resources, unless there are too many. */
async function printNews(
  { line }: News,
  session: Session,
  environment: Json,
): Promise<readonly JsonObject[]> {
  objectsAt(environment, "status", "transitions").map(transitionLine).forEach(line);
  const total = numberAt(environment, "status", "resources", "total") ?? 0;
  if (total > maxShown) {
    const ready = numberAt(environment, "status", "resources", "ready") ?? 0;
    line(`  ${ready} of ${total} resources are ready`);
    return [];
  }
  const resources = await resourcesOf(session, textAt(environment, "id"));
  resources.map(shownResource).forEach(line);
  return resources;
}

function shownResource(item: JsonObject): string {
  return `  ${resourceLine(item)}`;
}

function transitionLine(transition: JsonObject): string {
  const message = textAt(transition, "message");
  const named = textAt(transition, "phase");
  const phase = isPhase(named) ? phaseTexts[named] : named;
  return `${textAt(transition, "at")}  ${phase}${message === "" ? "" : `: ${message}`}`;
}

function isPhase(text: string): text is EnvironmentPhase {
  return (environmentPhases as readonly string[]).includes(text);
}

export function resourceLine(item: JsonObject): string {
  const state = textAt(item, "status", "state") || "Waiting";
  const message = state === "Ready" ? "" : textAt(item, "status", "message");
  const key = textAt(item, "spec", "key");
  const index = numberAt(item, "spec", "index");
  const name = index === undefined ? key : `${key}[${index}]`;
  return `${name.padEnd(24)} ${state}${message === "" ? "" : `: ${message}`}`;
}

function printEnd(call: CommandCall, environment: Json): void {
  const phase = textAt(environment, "status", "phase");
  const message = textAt(environment, "status", "message");
  const shown = textAt(environment, "status", "statusText") || phase;
  const id = textAt(environment, "id");
  call.print(`${id}: ${shown}${message === "" ? "" : `: ${message}`}`);
  for (const entry of objectsAt(environment, "status", "entryPoints")) {
    call.print(`  ${textAt(entry, "name")}: ${textAt(entry, "url")}`);
  }
  if (isAwaitingApproval(environment)) call.print(`plan the change with: setpoint env plan ${id}`);
  if (phase === "DeployedFail") call.setExitCode(1);
}

/** For commands with --no-wait. */
export async function showUnlessAsked(
  call: CommandCall,
  session: Session,
  id: string,
  awaited: Awaited,
): Promise<void> {
  if (call.options["wait"] === false || call.isJson) return;
  await showProgress(call, session, id, awaited);
}
