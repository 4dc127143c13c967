// `setpoint agent-manifest`: the objects that run the agent of a registered cluster, for kubectl
// apply. It issues a token for the agent, which is in the output.

import { readFileSync } from "node:fs";
import type { CommandCall, ServerClient } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { formatYaml } from "../../../kernel/yaml.ts";
import { agentManifest, agentName } from "../clusters/agent-manifest.ts";
import { readCluster } from "../clusters/cluster.ts";
import { appliedGroups } from "../clusters/install.ts";
import { fleetLimits } from "../limits.ts";
import { agentAccount, clusterNamespace, fleetVersion } from "../names.ts";
import { readOffering } from "../offering.ts";

export async function printManifest(call: CommandCall): Promise<void> {
  const [id = ""] = call.args;
  const server = call.server();
  const path = `/apis/${fleetVersion}/dataplaneclusters/${encodeURIComponent(id)}`;
  const cluster = readCluster((await server.get(path)) as unknown as Resource);
  const offerings = objectsAt(await server.get(`/apis/${fleetVersion}/offerings`), "items");
  const { options } = call;
  const objects = agentManifest({
    cluster: cluster.id,
    controlPlane: { url: controlPlaneUrl(options), caBundle: caOf(options) },
    token: await issueToken(server, cluster.id, secondsOf(options)),
    namespace: textOf(options, "agentNamespace") ?? agentName,
    image: textOf(options, "image") ?? "setpoint",
    workload: options["workload"] === false ? "None" : "Deployment",
    groups: appliedGroups(
      offerings.map((offering) => readOffering(offering as unknown as Resource)),
      cluster,
    ),
  });
  call.printText(objects.map((object) => formatYaml(object)).join("---\n"));
}

async function issueToken(server: ServerClient, cluster: string, seconds: number): Promise<string> {
  const account = `/api/v1/namespaces/${clusterNamespace(cluster)}/serviceaccounts/${agentAccount}`;
  const request: JsonObject = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: seconds },
  };
  return textAt(await server.post(`${account}/token`, request), "status", "token");
}

type Options = Readonly<Record<string, unknown>>;

function controlPlaneUrl(options: Options): string {
  const text = textOf(options, "controlPlane") ?? "";
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw wrong(`--control-plane: ${JSON.stringify(text)} is not an http or https URL`);
}

function caOf(options: Options): string | undefined {
  const file = textOf(options, "ca");
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `--ca: ${file} cannot be read`, { cause });
  }
}

function secondsOf(options: Options): number {
  const text = textOf(options, "tokenDays");
  if (text === undefined) return fleetLimits.agentTokenSeconds;
  const days = Number(text);
  if (Number.isSafeInteger(days) && days >= 1 && days <= 3_650) return days * 86_400;
  throw wrong(`--token-days: ${JSON.stringify(text)} is not a whole number from 1 to 3650`);
}

function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function wrong(message: string): SetpointError {
  return new SetpointError("config.invalid", message, {
    suggestion: "see setpoint agent-manifest --help",
  });
}
