// `setpoint env update`, `deploy` and `delete`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { environmentsKind } from "../names.ts";
import { fieldsOf } from "./fields.ts";
import { showUnlessAsked } from "./progress.ts";
import { sessionOf, statesOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runUpdate: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const spec = changesOf(call);
  const at = session.path(`environments/${id}`);
  const before = await session.server.get(at);
  await session.server.patch(at, { spec }, "application/json");
  call.print(`environment ${id} updated`);
  await showUnlessAsked(call, session, id, { since: before });
};

function changesOf(call: CommandCall): JsonObject {
  const { template, protect } = call.options;
  const spec: JsonObject = {
    ...(Array.isArray(template) ? { templates: template.map(String) } : {}),
    ...(typeof protect === "boolean" ? { protected: protect } : {}),
    ...fieldsOf(call),
  };
  if (Object.keys(spec).length > 0) return spec;
  throw new SetpointError("config.invalid", "no option states a change", {
    suggestion: "state at least one, such as --template shop.v2 or --set size=3",
  });
}

export const runDeploy: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const before = await session.server.get(session.path(`environments/${id}`));
  await session.server.post(session.path(`environments/${id}/deploy`), {});
  call.print(`environment ${id} will be deployed`);
  await showUnlessAsked(call, session, id, { since: before });
};

/** The record of what it was stays readable for the retention time. */
export const runDelete: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const deleted = await session.server.delete(session.path(`environments/${id}`));
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
