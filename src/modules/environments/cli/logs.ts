// `setpoint env logs`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import { inPath, sessionOf } from "./request.ts";
import type { Session } from "./request.ts";
import { allItems } from "./show.ts";

export const runLogs: RunCommand = async (call) => {
  const session = sessionOf(call);
  const { server, path } = session;
  const [id = "", given] = call.args;
  // The name of a resource is ENVIRONMENT.KEY, or ENVIRONMENT.KEY.INDEX.
  const resource = given?.startsWith(`${id}.`) === true ? given.split(".")[1] : given;
  const query = {
    ...(resource === undefined ? {} : { resource }),
    ...(call.options["follow"] === true ? { follow: "true" } : {}),
  };
  const lines = server.lines(path(`environments/${inPath(id)}/logs`, query));
  let isEmpty = true;
  try {
    for await (const item of lines) {
      if (textAt(item, "type") === "bookmark") continue;
      isEmpty = false;
      printItem(call, item);
    }
  } catch (error) {
    throw await withKnownNames(error, session, id);
  }
  if (isEmpty) call.printError(await reasonOf(session, id, resource));
};

function printItem(call: CommandCall, item: JsonObject): void {
  // A plan runs for a resource that may not exist yet.
  const key = textAt(item, "resource") || textAt(item, "action") || "plan";
  for (const text of textAt(item, "text").split("\n")) {
    if (text !== "") call.print(`${key}  ${text}`);
  }
}

/** Why there is no output. Throws for an environment or a resource that does not exist. */
async function reasonOf(
  session: Session,
  id: string,
  resource: string | undefined,
): Promise<string> {
  const none = "no output: no executor that prints has run";
  if (resource === undefined) return none;
  const keys = await keysOf(session, id);
  if (keys === undefined) {
    return `no output of ${resource}: your rights do not show whether ${id} has this resource`;
  }
  if (keys.includes(resource)) return none;
  const near = suggester()(resource, keys);
  const known = near || (keys.length === 0 ? "" : `; it has ${keys.join(", ")}`);
  throw new SetpointError(
    "resource.not_found",
    `the environment ${id} has no resource or action ${resource}${known}`,
    { suggestion: `run setpoint env show ${id}, which lists its resources` },
  );
}

/** Keys of resources and names of actions. Undefined: the user may not read some of them. */
async function keysOf(session: Session, id: string): Promise<readonly string[] | undefined> {
  try {
    const items = await allItems(session, "resources", { environment: id });
    const resources = items.map(({ spec }) => textAt(spec, "key"));
    return [...new Set([...resources, ...(await actionsOf(session, id))])];
  } catch (error) {
    if (isSetpointError(error, "request.forbidden")) return undefined;
    throw error;
  }
}

async function actionsOf({ server, path }: Session, id: string): Promise<readonly string[]> {
  const environment = await server.get(path(`environments/${inPath(id)}`));
  const names: string[] = [];
  for (const template of textsAt(environment, "spec", "templates")) {
    const found = await templateOf(() => server.get(path(`templates/${inPath(template)}`)));
    names.push(...objectsAt(found, "spec", "actions").map((action) => textAt(action, "name")));
  }
  return names;
}

/** A destroyed environment may name a Template that was deleted. */
async function templateOf(read: () => Promise<Json>): Promise<Json | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return undefined;
    throw error;
  }
}

/** The error of an environment that is not there names those that are. */
async function withKnownNames(error: unknown, session: Session, id: string): Promise<unknown> {
  if (!isSetpointError(error, "resource.not_found")) return error;
  const { namespace } = session;
  const names = await environmentNames(session);
  const near = suggester()(id, names);
  const message = `the namespace ${namespace} has no environment ${id}${near}`;
  const suggestion =
    "run setpoint env list, which lists the environments, and state another namespace with -n";
  return new SetpointError("resource.not_found", message, { suggestion });
}

async function environmentNames(session: Session): Promise<readonly string[]> {
  try {
    const items = await allItems(session, "environments", {});
    return items.map((item) => textAt(item, "id"));
  } catch (error) {
    // Without the right to list them, the error names none.
    if (isSetpointError(error)) return [];
    throw error;
  }
}
