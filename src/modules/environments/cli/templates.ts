// `setpoint template add`, `list` and `delete`.

import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { aligned, allItems } from "./show.ts";
import { inPath, sessionOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runAdd: RunCommand = async (call) => {
  const [file = ""] = call.args;
  const session = sessionOf(call);
  const templates = call.documents(file).filter(({ kind }) => kind === "Template");
  if (templates.length === 0) {
    throw new SetpointError("config.invalid", `${file} contains no Template`);
  }
  for (const template of templates) {
    const isNew = await add(session, template);
    const id = textAt(template, "metadata", "name");
    call.print(`template ${id} ${isNew ? "added" : "unchanged"}`);
  }
};

/** A CI job may add the same file again: false for a version that exists with the same spec. */
async function add({ server, path, namespace }: Session, template: JsonObject): Promise<boolean> {
  const id = textAt(template, "metadata", "name");
  const stated = textAt(template, "metadata", "namespace");
  if (stated !== "" && stated !== namespace) {
    const message = `${id}: metadata.namespace is ${stated}, and the command uses ${namespace}`;
    throw new SetpointError("config.invalid", message, { suggestion: `add -n ${stated}` });
  }
  const spec = objectAt(template, "spec");
  try {
    await server.post(path("templates"), { id, spec });
    return true;
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    const found = await server.get(path(`templates/${inPath(id)}`));
    if (equalJson(objectAt(found, "spec"), spec)) return false;
    const message = `the template ${id} exists with another spec, and a version never changes`;
    throw new SetpointError("resource.already_exists", message, {
      cause: error,
      suggestion: "raise spec.version, and metadata.name with it",
    });
  }
}

export const runTemplates: RunCommand = async (call) => {
  const [id] = call.args;
  const items = await allItems(sessionOf(call), "templates", id === undefined ? {} : { id });
  if (call.isJson) {
    call.printText(JSON.stringify(items, undefined, 2));
    return;
  }
  if (items.length === 0) {
    call.print("no templates found");
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
  await server.delete(path(`templates/${inPath(name)}`));
  call.print(`template ${name} deleted`);
};
