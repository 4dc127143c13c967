// `setpoint connect import-object KIND ID`: reads an object through the connection of its kind and
// prints the resource that adopts it. Applied as it is, it changes nothing there.
import type { Command } from "commander";
import { findKind, pathTo } from "../app/client/find-kind.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../kernel/json-read.ts";
import { formatYaml } from "../kernel/yaml.ts";
import { isUnserved, noPlan } from "./commands/plan.ts";
import { addClientOptions, clientFor } from "./client-options.ts";
import type { ClientFlags } from "./client-options.ts";

interface Flags extends ClientFlags {
  readonly name?: string;
  readonly parent?: string;
  readonly set?: readonly string[];
}

export function addImportObject(connect: Command): void {
  addClientOptions(connect.command("import-object <kind> <id>"))
    .description("print the resource that adopts an object of the service")
    .option("--name <name>", "of the resource (default: made of the id)")
    .option("--parent <name>", "the resource that it belongs to")
    .option("--set <values...>", "values of path parameters, NAME=VALUE")
    .action(async (kindText: string, id: string, flags: Flags) => {
      const client = clientFor(flags);
      const address = await findKind(client, kindText);
      const { group, version, kind, isNamespaced } = address;
      const name = flags.name ?? nameOf(id);
      const namespace = flags.namespace ?? client.namespace;
      const management: JsonObject = {
        id,
        ...(flags.parent === undefined ? {} : { parent: { name: flags.parent } }),
        ...(flags.set === undefined ? {} : { parameters: valuesOf(flags.set) }),
      };
      const resource = {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name, ...(isNamespaced ? { namespace } : {}) },
        connect: management,
      };
      const path = `${pathTo(address, namespace, name)}/plan`;
      const plan = await client.post(path, resource).catch((error: unknown) => {
        throw isUnserved(error) ? noPlan(kind) : error;
      });
      if (presentObjectAt(plan, "object") === undefined) {
        throw new SetpointError("resource.not_found", textAt(plan, "message"), {
          suggestion: "see whether the id, the parent and the parameters are right",
        });
      }
      const whole = { ...resource, spec: objectAt(plan, "object") };
      const isJson = flags.output === "json";
      console.log(isJson ? JSON.stringify(whole, undefined, 2) : formatYaml(whole).trimEnd());
    });
}

/** A name that a resource may have, as close to the id as that allows. */
function nameOf(id: string): string {
  const name = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return name === "" ? "imported" : name.slice(0, 63);
}

function valuesOf(texts: readonly string[]): JsonObject {
  const pairs = texts.map((text): [string, string] => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    throw new SetpointError("config.invalid", `--set ${text} is not NAME=VALUE`);
  });
  return Object.fromEntries(pairs);
}
