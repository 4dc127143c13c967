// Shows how an environment changes until it is settled. The command waits for changes of the
// Environment, which the server writes about once a second, and prints what is new.

import type { CommandCall } from "../../../contract/command.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { EnvironmentPhase } from "../environment/phases.ts";
import { environmentsKind } from "../names.ts";
import { hasEnded } from "../operations/operation.ts";
import { statesOf } from "./request.ts";
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
  /** Transitions before this revision of the environment are not printed. */
  readonly since: Json | undefined;
}

/** Sets the exit code 1 when the environment is not as desired. */
export async function showProgress(
  call: CommandCall,
  session: Session,
  id: string,
  { operation, since }: Awaited,
): Promise<void> {
  const shown = new Set(objectsAt(since, "status", "transitions").map(transitionLine));
  const about = { kind: environmentsKind, route: "environments", id };
  for await (const environment of statesOf(session, about)) {
    await printNews(call, session, environment, shown);
    if (!isSettled(environment) || !(await isOver(session, operation))) continue;
    printEnd(call, environment);
    return;
  }
}

async function isOver({ server, path }: Session, operation: string | undefined): Promise<boolean> {
  if (operation === undefined) return true;
  const found = await server.get(path(`operations/${operation}`));
  return hasEnded(textAt(found, "status", "phase"));
}

export function isSettled(environment: Json): boolean {
  const observed = numberAt(environment, "status", "observedGeneration");
  if (observed !== numberAt(environment, "generation")) return false;
  if (textAt(environment, "status", "operation") !== "") return false;
  return (
    finalPhases.has(textAt(environment, "status", "phase")) ||
    textAt(environment, "status", "reason") === "AwaitingApproval"
  );
}

async function printNews(
  call: CommandCall,
  { server, path }: Session,
  environment: Json,
  shown: Set<string>,
): Promise<void> {
  const line = (text: string): void => {
    if (shown.has(text)) return;
    shown.add(text);
    call.print(text);
  };
  objectsAt(environment, "status", "transitions").map(transitionLine).forEach(line);
  const total = numberAt(environment, "status", "resources", "total") ?? 0;
  if (total > maxShown) {
    const ready = numberAt(environment, "status", "resources", "ready") ?? 0;
    line(`  ${ready} of ${total} resources are ready`);
    return;
  }
  const id = textAt(environment, "id");
  const limit = String(maxShown);
  const list = await server.get(path("resources", { environment: id, limit }));
  for (const item of objectsAt(list, "items")) line(`  ${resourceLine(item)}`);
}

function transitionLine(transition: JsonObject): string {
  const message = textAt(transition, "message");
  const phase = textAt(transition, "phase");
  return `${textAt(transition, "at")}  ${phase}${message === "" ? "" : `: ${message}`}`;
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
  call.print(`${textAt(environment, "id")}: ${shown}${message === "" ? "" : `: ${message}`}`);
  for (const entry of objectsAt(environment, "status", "entryPoints")) {
    call.print(`  ${textAt(entry, "name")}: ${textAt(entry, "url")}`);
  }
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
