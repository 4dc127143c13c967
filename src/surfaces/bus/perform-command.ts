// Performs a command of the message bus with the route that names it. Access, schemas and handler
// are those of the REST API. A repeated delivery gets the outcome of the first one: the record of
// a command is committed with its first write (intents/idempotency/command-records.ts).

import type { Route, RouteAnswer } from "../../contract/route.ts";
import { commandOutcome, commandRecord } from "../../intents/idempotency/command-records.ts";
import type { AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { CommandRecord } from "../../intents/idempotency/command-records.ts";
import type { Caller } from "../../intents/request.ts";
import { causeOf } from "../../intents/write/cause-of.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { Command, CommandOutcome, PerformCommand } from "../../modules/bus/command.ts";
import { noResource } from "../http/metrics.ts";
import type { SurfacePorts } from "../http/module-surface.ts";
import { commandsOf } from "../rest/commands.ts";
import { invalidRequest } from "../rest/field-problem.ts";
import type { FieldProblem } from "../rest/field-problem.ts";
import { parameterNames, parseTemplate } from "../rest/path-template.ts";
import { problemOf } from "../rest/problem.ts";
import { checkedCall, readersOf } from "../rest/route-call.ts";
import type { RouteReaders } from "../rest/route-call.ts";

export const busSurfaceName = "bus";

type Ports = Pick<
  SurfacePorts,
  "routes" | "authorizer" | "kinds" | "ownIntents" | "stopping" | "log" | "audit"
>;

interface Entry {
  readonly route: Route;
  readonly readers: RouteReaders;
  readonly parameters: readonly string[];
}

export function performCommands(ports: Ports): PerformCommand {
  const entries = new Map<string, Entry>();
  for (const [name, route] of commandsOf(ports.routes)) {
    const template = parseTemplate(route.path);
    const parameters = template === undefined ? [] : parameterNames(template);
    entries.set(name, { route, readers: readersOf(route), parameters });
  }
  return async (command, signal) => {
    const entry = entries.get(command.name);
    const trail = beginTrail(ports, entry, command);
    const outcome = await outcomeOf(command, async () => {
      if (entry === undefined) throw unknownCommand(command.name, entries);
      return await performed(ports, entry, command, signal);
    });
    trail?.complete(outcome.status, JSON.stringify(outcome.document));
    return outcome;
  };
}

async function outcomeOf(
  command: Command,
  perform: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  try {
    return await perform();
  } catch (error) {
    if (mayPass(error)) throw error;
    return rejected(error, command);
  }
}

/** Undefined when the audit policy does not record the command. */
function beginTrail(
  { audit }: Ports,
  entry: Entry | undefined,
  { name, messageId, query, path, user, producer }: Command,
): AuditTrail | undefined {
  const request = {
    id: messageId,
    uri: entry?.route.path ?? "",
    verb: entry?.route.method.toLowerCase() ?? "",
    isResource: false,
    path: entry?.route.path ?? "",
    ...noResource,
    namespace: textAt(query, "namespace"),
    name: path["name"] ?? path["id"] ?? "",
    hasHidden: false,
    sourceIps: [],
    userAgent: `bus/${producer}`,
  };
  const trail = audit?.begin(request, user);
  trail?.annotate("bus.setpoint.dev/command", name);
  return trail;
}

async function performed(
  ports: Ports,
  entry: Entry,
  command: Command,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const earlier = await earlierOutcome(ports, command);
  if (earlier !== undefined) return earlier;
  const bare = callerOf(command);
  const record = commandRecord(ports.ownIntents, command, {
    cause: causeOf(bare),
    begun: { kind: "accepted", status: 202, document: { command: command.name } },
  });
  const isRead = entry.route.method === "GET";
  const caller: Caller = isRead ? bare : { ...bare, beside: record.beside };
  try {
    const answer = await answerOf(ports, entry, { command, caller, signal });
    const outcome = acceptedOutcome(answer);
    if (!isRead) await finish(ports, record, outcome);
    return { ...outcome, isRepeated: false };
  } catch (error) {
    // Another delivery of the same command may have been faster, or the answer to a commit lost.
    const done = record.isStored ? undefined : await earlierOutcome(ports, command);
    if (done !== undefined) return done;
    if (mayPass(error)) throw error;
    const outcome = rejected(error, command);
    if (!isRead) await finish(ports, record, outcome);
    return outcome;
  }
}

interface Performing {
  readonly command: Command;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

async function answerOf(
  ports: Ports,
  { route, readers, parameters }: Entry,
  { command, caller, signal }: Performing,
): Promise<RouteAnswer> {
  const { path, query, data, ifMatch, traceId } = command;
  checkPath(parameters, path);
  const { request } = await checkedCall(ports, route, readers, {
    path,
    search: searchOf(query),
    readBody: async () =>
      data === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(data)),
    contentType: undefined,
    caller,
    ifMatch,
    traceId,
    signal: AbortSignal.any([signal, ports.stopping]),
    pages: { before: () => undefined, after: () => undefined, drop: () => undefined },
  });
  return await route.handle(request);
}

function callerOf({ user, traceId, correlationId }: Command): Caller {
  return { user, surface: busSurfaceName, traceId, correlationId, warn: () => undefined };
}

async function earlierOutcome(ports: Ports, command: Command): Promise<CommandOutcome | undefined> {
  const stored = await commandOutcome(ports.ownIntents, command);
  if (stored === undefined) return undefined;
  return {
    kind: textAt(stored, "kind") === "rejected" ? "rejected" : "accepted",
    status: numberAt(stored, "status") ?? 202,
    document: objectAt(stored, "document"),
    isRepeated: true,
  };
}

/** The command is done. An outcome that cannot be stored must not make it run again. */
async function finish(
  { log }: Ports,
  record: CommandRecord,
  { kind, status, document }: Omit<CommandOutcome, "isRepeated">,
): Promise<void> {
  try {
    await record.finish({ kind, status, document });
  } catch (error) {
    if (kind === "rejected") throw error;
    log.warn({ error }, "outcome of a command not stored");
  }
}

function acceptedOutcome(answer: RouteAnswer): Omit<CommandOutcome, "isRepeated"> {
  switch (answer.kind) {
    case "document": {
      const { status, document = {} } = answer;
      return { kind: "accepted", status, document: bounded(document) };
    }
    case "text":
      return { kind: "accepted", status: answer.status, document: bounded({ text: answer.text }) };
    case "stream":
      throw new Error("a command has no stream");
    default:
      return answer satisfies never;
  }
}

function bounded(document: JsonObject): JsonObject {
  if (JSON.stringify(document).length <= limits.maxIdempotentAnswerBytes) return document;
  return { note: "the command was performed; its answer is too large for a message" };
}

function rejected(error: unknown, { traceId }: Command): CommandOutcome {
  const { status, document } = problemOf(error, traceId);
  return { kind: "rejected", status, document, isRepeated: false };
}

/** Whether the same command may succeed later. An error without a code is a fault of the server. */
function mayPass(error: unknown): boolean {
  if (!isSetpointError(error)) return true;
  return error.retry === "backoff" || error.retry === "after_check";
}

function checkPath(parameters: readonly string[], path: Command["path"]): void {
  const missing = parameters.filter((name) => !Object.hasOwn(path, name) || path[name] === "");
  const unknown = Object.keys(path).filter((name) => !parameters.includes(name));
  const problems: FieldProblem[] = [
    ...missing.map((name): FieldProblem => {
      return { field: `path.${name}`, kind: "required", detail: "the command needs it" };
    }),
    ...unknown.map((name): FieldProblem => {
      return { field: `path.${name}`, kind: "unknown", detail: "unknown parameter" };
    }),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
}

function searchOf(query: JsonObject): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      const detail = "must be a text, a number or a boolean";
      throw invalidRequest([{ field: `query.${name}`, kind: "type", detail }]);
    }
    search.append(name, String(value));
  }
  return search.toString();
}

function unknownCommand(name: string, known: ReadonlyMap<string, Entry>): SetpointError {
  const message = `there is no command ${JSON.stringify(name.slice(0, 100))}`;
  return new SetpointError("route.not_found", message, {
    details: { field: "type" },
    suggestion: `set the type of the message to one of ${[...known.keys()].join(", ")}`,
  });
}
