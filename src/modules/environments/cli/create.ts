// `setpoint env create`.

import type { RunCommand } from "../../../contract/command.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { fieldsOf, given } from "./fields.ts";
import { showUnlessAsked } from "./progress.ts";
import { sessionOf } from "./request.ts";

export const runCreate: RunCommand = async (call) => {
  const session = sessionOf(call);
  const { options, args } = call;
  const spec: JsonObject = {
    templates: [...args],
    ...(options["approval"] === true ? { approval: "Required" } : {}),
    ...(await fieldsOf(call, session, args)),
  };
  const body = { ...given("id", options["id"]), spec };
  const created = await session.server.post(session.path("environments"), body);
  const id = textAt(created, "id");
  if (call.isJson) call.printText(JSON.stringify(created, undefined, 2));
  else call.print(`environment ${id} created`);
  await showUnlessAsked(call, session, id, { since: undefined });
};
