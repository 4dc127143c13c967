// `setpoint env logs`.

import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import { sessionOf } from "./request.ts";
import type { Session } from "./request.ts";
import { allItems } from "./show.ts";

export const runLogs: RunCommand = async (call) => {
  const session = sessionOf(call);
  const { server, path } = session;
  const [id = "", given] = call.args;
  // The name of a resource is ENVIRONMENT.KEY, or ENVIRONMENT.KEY.INDEX.
  const resource = given?.startsWith(`${id}.`) === true ? given.split(".")[1] : given;
  let isEmpty = true;
  const query = {
    ...(resource === undefined ? {} : { resource }),
    ...(call.options["follow"] === true ? { follow: "true" } : {}),
  };
  for await (const item of server.lines(path(`environments/${id}/logs`, query))) {
    if (textAt(item, "type") === "bookmark") continue;
    isEmpty = false;
    // A plan runs for a resource that may not exist yet.
    const key = textAt(item, "resource") || textAt(item, "action") || "plan";
    for (const text of textAt(item, "text").split("\n")) {
      if (text !== "") call.print(`${key}  ${text}`);
    }
  }
  if (isEmpty) call.printError(await reasonOf(session, id, resource));
};

/** Why there is no output. Throws for a resource that does not exist. */
async function reasonOf(
  session: Session,
  id: string,
  resource: string | undefined,
): Promise<string> {
  const items = await allItems(session, "resources", { environment: id });
  const resources = items.map(({ spec }) => textAt(spec, "key"));
  const keys = [...new Set([...resources, ...(await actionsOf(session, id))])];
  if (resource === undefined || keys.includes(resource)) {
    return "no output: no executor that prints has run";
  }
  const near = suggester()(resource, keys);
  const known = near || `; it has ${keys.join(", ")}`;
  throw new SetpointError(
    "resource.not_found",
    `the environment ${id} has no resource or action ${resource}${known}`,
    { suggestion: `run setpoint env show ${id}, which lists its resources` },
  );
}

async function actionsOf({ server, path }: Session, id: string): Promise<readonly string[]> {
  const environment = await server.get(path(`environments/${id}`));
  const names: string[] = [];
  for (const template of textsAt(environment, "spec", "templates")) {
    const found = await server.get(path(`templates/${encodeURIComponent(template)}`));
    names.push(...objectsAt(found, "spec", "actions").map((action) => textAt(action, "name")));
  }
  return names;
}
