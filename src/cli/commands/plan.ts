// `setpoint plan KIND/NAME`, or `-f FILE` for what is not stored yet: which request the next run
// would send to the service, which fields it changes, and why. Nothing is changed.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { askAbout, findResource } from "../../app/client/resource-argument.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { parseYaml } from "../../kernel/yaml.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { planLines } from "../plan-lines.ts";

interface Flags extends ClientFlags {
  readonly filename?: string;
}

export function addPlan(program: Command): void {
  addClientOptions(program.command("plan [resource...]"))
    .description("tell which request would be sent to a service for a resource, and why")
    .usage("KIND/NAME | -f FILE [options]")
    .option("-f, --filename <file>", "a resource as it is going to be")
    .action(async (words: readonly string[], flags: Flags) => {
      const client = clientFor(flags);
      const given = flags.filename === undefined ? undefined : documentIn(flags.filename);
      const named = given === undefined ? words : namesOf(given);
      const namespace = flags.namespace ?? (textAt(given, "metadata", "namespace") || undefined);
      const resource = await findResource(client, named, namespace);
      const path = `${resource.path}/plan`;
      const plan = await askAbout(resource, () =>
        given === undefined ? client.get(path) : client.post(path, given),
      ).catch((error: unknown) => {
        throw isUnserved(error) ? noPlan(resource.kind) : error;
      });
      if (flags.output === "json") console.log(JSON.stringify(plan, undefined, 2));
      else for (const line of planLines(plan)) console.log(line);
    });
}

/** A path that nobody serves: the kind is none that is kept in a service. */
function isUnserved(error: unknown): boolean {
  return isSetpointError(error, "resource.not_found") && !error.message.includes('"');
}

function noPlan(kind: string): SetpointError {
  const message = `resources of the kind ${kind} are not kept in a service, so there is no plan`;
  return new SetpointError("resource.not_found", message, {
    suggestion: "name the kind with its group, KIND.GROUP/NAME, where several have that name",
  });
}

function documentIn(file: string): JsonObject {
  const { value } = parseYaml(textOf(file));
  if (isJsonObject(value)) return value;
  throw new SetpointError("config.invalid", `${file} does not hold a resource`, {
    suggestion: "write one resource as kubectl apply takes it",
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new SetpointError("config.invalid", `${file} cannot be read: ${why}`, {
      suggestion: "name a file with one resource, or - for standard input",
    });
  }
}

/** As the server's discovery names it: in the group of the document. */
function namesOf(document: JsonObject): readonly string[] {
  const [group = ""] = textAt(document, "apiVersion").split("/");
  const kind = textAt(document, "kind").toLowerCase();
  return [`${kind}.${group}`, textAt(document, "metadata", "name")];
}
