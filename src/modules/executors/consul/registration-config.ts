// Where this server registers itself in Consul: keys of the section `executors` of the
// configuration.

import type { ConfigurationField } from "../../../contract/configuration.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { numberAt, textAt, textsAt } from "../../../kernel/json-read.ts";

export interface Registration {
  readonly url: string;
  readonly tokenFile: string;
  readonly caFile: string;
  readonly service: string;
  readonly tags: readonly string[];
  readonly address: string;
  readonly port: number;
}

function urlProblem(value: unknown): string | undefined {
  const isUrl = typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value);
  return isUrl ? undefined : "must be a URL that begins with http:// or https://";
}

function portProblem(value: unknown): string | undefined {
  const isPort = Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
  return isPort ? undefined : "must be a port between 1 and 65535";
}

export const registrationFields: Readonly<Record<string, ConfigurationField>> = {
  consulUrl: {
    type: "text",
    summary: "the Consul agent at which this server registers itself",
    problem: urlProblem,
  },
  consulTokenFile: { type: "path", summary: "a file with the ACL token for the agent" },
  consulCaFile: { type: "path", summary: "a file with authorities to trust for the agent, as PEM" },
  consulService: {
    type: "text",
    summary: "the name of the service in Consul",
    default: "setpoint",
  },
  consulTags: { type: "texts", summary: "tags of the service in Consul" },
  consulAddress: { type: "text", summary: "the address of this server for clients" },
  consulPort: {
    type: "number",
    summary: "the port of this server for clients",
    problem: portProblem,
  },
};

/** Undefined when the server does not register itself. */
export function registrationOf(configuration: unknown): Registration | undefined {
  const given = configuration as Json | undefined;
  const url = textAt(given, "consulUrl");
  if (given === undefined || !isJsonObject(given) || url === "") return undefined;
  return {
    url,
    tokenFile: textAt(given, "consulTokenFile"),
    caFile: textAt(given, "consulCaFile"),
    service: textAt(given, "consulService") || "setpoint",
    tags: textsAt(given, "consulTags"),
    address: textAt(given, "consulAddress"),
    port: numberAt(given, "consulPort") ?? 0,
  };
}
