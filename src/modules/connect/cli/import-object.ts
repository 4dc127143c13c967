// `setpoint connect import-object KIND ID`: reads an object through the connection of its kind and
// prints the resource that adopts it. Applying the resource changes nothing in the service.
import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { formatYaml } from "../../../kernel/yaml.ts";
import { valueOf } from "./named-value.ts";
import { isUnserved, noPlan } from "./plan.ts";

interface Flags {
  readonly name?: string;
  readonly parent?: string;
  readonly set?: readonly string[];
}

export const runImportObject: RunCommand = async (call) => {
  const [kindText = "", id = ""] = call.args;
  const flags = call.options as Flags;
  const client = call.server();
  const address = await client.findKind(kindText);
  const { group, version, kind, isNamespaced } = address;
  const name = flags.name ?? nameOf(id);
  const namespace = call.namespace ?? client.namespace;
  const management: JsonObject = {
    id,
    ...(flags.parent === undefined ? {} : { parent: { name: flags.parent } }),
    ...(flags.set === undefined ? {} : { parameters: Object.fromEntries(flags.set.map(valueOf)) }),
  };
  const resource = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, ...(isNamespaced ? { namespace } : {}) },
    connect: management,
  };
  const path = `${client.pathTo(address, namespace, name)}/plan`;
  const plan = await client.post(path, resource).catch((error: unknown) => {
    throw isUnserved(error) ? noPlan(kind) : error;
  });
  if (presentObjectAt(plan, "object") === undefined) {
    throw new SetpointError("resource.not_found", textAt(plan, "message"), {
      suggestion: "check the id, the parent and the parameters",
    });
  }
  const whole = { ...resource, spec: objectAt(plan, "object") };
  call.printText(call.isJson ? JSON.stringify(whole, undefined, 2) : formatYaml(whole).trimEnd());
};

/** A name that a resource may have, as close to the id as that allows. */
function nameOf(id: string): string {
  const name = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return name === "" ? "imported" : name.slice(0, 63);
}
