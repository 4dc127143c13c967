// `setpoint env logs`.

import type { RunCommand } from "../../../contract/command.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { sessionOf } from "./request.ts";

export const runLogs: RunCommand = async (call) => {
  const { server, path } = sessionOf(call);
  const [id = "", resource] = call.args;
  const query = {
    ...(resource === undefined ? {} : { resource }),
    ...(call.options["follow"] === true ? { follow: "true" } : {}),
  };
  for await (const item of server.lines(path(`environments/${id}/logs`, query))) {
    if (textAt(item, "type") === "bookmark") continue;
    // A plan runs for a resource that may not exist yet.
    const key = textAt(item, "resource") || "plan";
    for (const text of textAt(item, "text").split("\n")) {
      if (text !== "") call.print(`${key}  ${text}`);
    }
  }
};
