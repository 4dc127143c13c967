// `setpoint template add`, `list` and `delete`.

import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { aligned, allItems } from "./show.ts";
import { sessionOf } from "./request.ts";

export const runAdd: RunCommand = async (call) => {
  const [file = ""] = call.args;
  const session = sessionOf(call);
  const templates = call.documents(file).filter(({ kind }) => kind === "Template");
  if (templates.length === 0) {
    throw new SetpointError("config.invalid", `${file} contains no Template`);
  }
  for (const template of templates) {
    const id = textAt(template, "metadata", "name");
    const body = { id, spec: objectAt(template, "spec") };
    await session.server.post(session.path("templates"), body);
    call.print(`template ${id} added`);
  }
};

export const runTemplates: RunCommand = async (call) => {
  const [id] = call.args;
  const items = await allItems(sessionOf(call), "templates", id === undefined ? {} : { id });
  if (call.isJson) {
    call.printText(JSON.stringify(items, undefined, 2));
    return;
  }
  const rows = items.map((item) => [
    textAt(item, "id"),
    textAt(item, "spec", "name"),
    String(numberAt(item, "spec", "version") ?? ""),
    textAt(item, "spec", "source", "commit").slice(0, 12),
    textAt(item, "createdAt"),
  ]);
  const all = [["TEMPLATE", "NAME", "VERSION", "COMMIT", "CREATED"], ...rows];
  for (const line of aligned(all)) call.print(line);
};

export const runDeleteTemplate: RunCommand = async (call) => {
  const [name = ""] = call.args;
  const { server, path } = sessionOf(call);
  await server.delete(path(`templates/${name}`));
  call.print(`template ${name} deleted`);
};
