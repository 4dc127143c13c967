// `setpoint env update`, `deploy` and `delete`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { environmentsKind } from "../names.ts";
import { fieldsOf, templatesOf } from "./fields.ts";
import { showUnlessAsked, snapshotOf } from "./progress.ts";
import { inPath, sessionOf, statesOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runUpdate: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const before = await snapshotOf(session, id);
  const spec = await changesOf(call, session, before.environment);
  if (Object.keys(spec).length === 0) throw noChange();
  await session.server.patch(
    session.path(`environments/${inPath(id)}`),
    { spec },
    "application/json",
  );
  call.print(`environment ${id} updated`);
  if (textAt(before.environment, "spec", "desired") === "Destroyed") {
    call.print(`it is destroyed, so nothing is deployed: run setpoint env deploy ${id}`);
    return;
  }
  await showUnlessAsked(call, session, id, { since: before });
};

async function changesOf(
  call: CommandCall,
  session: Session,
  environment: Json,
): Promise<JsonObject> {
  const { template, protect } = call.options;
  const templates = templatesOf(call, environment);
  return {
    ...(Array.isArray(template) ? { templates } : {}),
    ...(typeof protect === "boolean" ? { protected: protect } : {}),
    ...(await fieldsOf(call, session, templates)),
  };
}

function noChange(): SetpointError {
  return new SetpointError("config.invalid", "no option states a change", {
    suggestion: "state at least one, such as --template shop.v2 or --set size=3",
  });
}

/** One write: the changes and the deployment. */
export const runDeploy: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const before = await snapshotOf(session, id);
  const changes = await changesOf(call, session, before.environment);
  const spec = { ...changes, desired: "Deployed" };
  await session.server.patch(
    session.path(`environments/${inPath(id)}`),
    { spec },
    "application/json",
  );
  call.print(`environment ${id} will be deployed`);
  await showUnlessAsked(call, session, id, { since: before });
};

/** The record of what it was stays readable for the retention time. */
export const runDelete: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const deleted = await session.server.delete(session.path(`environments/${inPath(id)}`));
  if (call.isJson) {
    call.printText(JSON.stringify(objectAt(deleted), undefined, 2));
    return;
  }
  call.print(`environment ${id} will be destroyed and deleted`);
  if (call.options["wait"] === false) return;
  await untilDeleted(call, session, id);
  call.print(`${id}: deleted`);
};

async function untilDeleted(call: CommandCall, session: Session, id: string): Promise<void> {
  let shown = "";
  try {
    const about = { kind: environmentsKind, route: "environments", id };
    for await (const environment of statesOf(session, about)) {
      const message = textAt(environment, "status", "message");
      if (message !== "" && message !== shown) call.print(`  ${message}`);
      shown = message;
    }
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}
