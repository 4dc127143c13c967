// Commands that store one request: cancel, destroy, retry, rollback, run, extend and drift.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { hasEnded } from "../operations/operation.ts";
import { operationsKind } from "../names.ts";
import { showUnlessAsked, snapshotOf } from "./progress.ts";
import type { Snapshot } from "./progress.ts";
import { inPath, secondsOf, sessionOf, statesOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runCancel: RunCommand = async (call) => {
  const body = call.options["force"] === true ? { force: true } : {};
  const [, operation] = call.args;
  const acted =
    operation === undefined
      ? await act(call, "cancel", body)
      : await cancelNamed(call, operation, body);
  call.print(`operation ${textAt(acted.answer, "id")} will be cancelled`);
  await showOperation(call, acted);
};

/** An operation that is not the running one, such as an action before a destruction. */
async function cancelNamed(call: CommandCall, operation: string, body: JsonObject): Promise<Acted> {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const before = await snapshotOf(session, id);
  const route = `operations/${inPath(operation)}`;
  const found = await session.server.get(session.path(route));
  if (textAt(found, "spec", "environment") !== id) {
    const message = `the operation ${operation} is not one of the environment ${id}`;
    throw new SetpointError("resource.conflict", message, {
      suggestion: `list its operations: setpoint env operations ${id}`,
    });
  }
  const answer = await session.server.post(session.path(`${route}/cancel`), body);
  return { session, id, before, answer: answer as JsonObject };
}

export const runDestroy: RunCommand = async (call) => {
  const { session, id, before } = await act(call, "destroy", {});
  call.print(`environment ${id} will be destroyed`);
  await showUnlessAsked(call, session, id, { since: before });
};

export const runRetry: RunCommand = async (call) => {
  const [, resource] = call.args;
  await showOperation(call, await act(call, "retry", resource === undefined ? {} : { resource }));
};

export const runRollback: RunCommand = async (call) => {
  const [, to = ""] = call.args;
  await showOperation(call, await act(call, "rollback", { to }));
};

export const runAction: RunCommand = async (call) => {
  const [, action = ""] = call.args;
  const { session, answer } = await act(call, `actions/${inPath(action)}`, {});
  await awaitOperation(call, session, textAt(answer, "id"));
};

export const runExtend: RunCommand = async (call) => {
  const [, duration = ""] = call.args;
  const { answer } = await act(call, "extend", { seconds: secondsOf("the duration", duration) });
  const at = textAt(answer, "spec", "plannedDestruction", "at");
  call.print(`planned destruction: ${at}`);
};

export const runDrift: RunCommand = async (call) => {
  const { options } = call;
  if (options["accept"] === true) {
    await acceptDrift(call);
    return;
  }
  const route = options["reconcile"] === true ? "reconcile-drift" : "check-drift";
  const { session, answer, id } = await act(call, route, {});
  await awaitOperation(call, session, textAt(answer, "id"));
  const environment = await session.server.get(session.path(`environments/${inPath(id)}`));
  call.print(`drift: ${textAt(environment, "status", "drift", "state") || "Unknown"}`);
  for (const item of objectsAt(environment, "status", "drift", "items")) {
    const at = textAt(item, "address") || textAt(item, "path") || textAt(item, "resource");
    call.print(`  ${at}  ${textAt(item, "kind")}  ${textAt(item, "message")}`);
  }
};

async function acceptDrift(call: CommandCall): Promise<void> {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const environment = await session.server.get(session.path(`environments/${inPath(id)}`));
  const digest = textAt(environment, "status", "drift", "digest");
  if (digest === "") {
    throw new SetpointError("resource.conflict", `the environment ${id} has no drift`, {
      suggestion: `run setpoint env drift ${id} first`,
    });
  }
  await session.server.post(session.path(`environments/${inPath(id)}/accept-drift`), { digest });
  call.print("drift accepted");
}

/** Until the operation of the answer has ended. */
async function showOperation(
  call: CommandCall,
  { session, id, before, answer }: Acted,
): Promise<void> {
  const awaited = { operation: textAt(answer, "id"), since: before };
  await showUnlessAsked(call, session, id, awaited);
}

interface Acted {
  readonly session: Session;
  readonly id: string;
  /** The environment before the request. */
  readonly before: Snapshot;
  readonly answer: JsonObject;
}

async function act(call: CommandCall, route: string, body: JsonObject): Promise<Acted> {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const before = await snapshotOf(session, id);
  const answer = await session.server.post(
    session.path(`environments/${inPath(id)}/${route}`),
    body,
  );
  return { session, id, before, answer: answer as JsonObject };
}

/** Prints its progress; the exit code is 1 unless it succeeds. */
async function awaitOperation(call: CommandCall, session: Session, id: string): Promise<void> {
  let shown = "";
  const about = { kind: operationsKind, route: "operations", id };
  for await (const operation of statesOf(session, about)) {
    const phase = textAt(operation, "status", "phase") || "Queued";
    const message = textAt(operation, "status", "message");
    const line = `${id}: ${phase}${message === "" ? "" : `: ${message}`}`;
    if (line !== shown) call.print(line);
    shown = line;
    if (!hasEnded(phase)) continue;
    if (phase !== "Succeeded") call.setExitCode(1);
    return;
  }
}
