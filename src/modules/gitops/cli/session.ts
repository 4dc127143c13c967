// What the commands have in common: the deployment, its changes, and durations as typed.

import type { CommandCall, ServerClient } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { deploymentsKind, gitopsVersion, syncRunsKind } from "../names.ts";

export interface Session {
  readonly server: ServerClient;
  readonly namespace: string;
  readonly name: string;
  /** Of the deployment in the API of Kubernetes. */
  readonly path: string;
  /** A route of the deployment. */
  readonly route: (word: string) => string;
}

export function sessionOf(call: CommandCall): Session {
  const server = call.server();
  const namespace = call.namespace ?? server.namespace;
  const [name = ""] = call.args;
  const place = `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return {
    server,
    namespace,
    name,
    path: `${listPath(namespace)}/${encodeURIComponent(name)}`,
    route: (word) => `/api/v1/gitops/deployments/${place}/${word}`,
  };
}

export function listPath(namespace: string, plural = "gitopsdeployments"): string {
  return `/apis/${gitopsVersion}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export async function readDeployment({ server, path }: Session): Promise<JsonObject> {
  return objectOf(await server.get(path));
}

export function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The deployment now and after each change, or that of a SyncRun. */
export async function* deploymentStates(
  session: Session,
  syncRun = "",
): AsyncGenerator<JsonObject, void, undefined> {
  const { server, namespace } = session;
  const followed =
    syncRun === ""
      ? { kind: deploymentsKind, name: session.name }
      : { kind: syncRunsKind, name: syncRun };
  const query = new URLSearchParams({ namespace, ...followed });
  let isFirst = true;
  for await (const change of server.lines(`/api/v1/changes?${query.toString()}`)) {
    const isNews = isFirst || textAt(change, "type") !== "bookmark";
    isFirst = false;
    if (isNews) yield await readDeployment(session);
  }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function timeoutMs({ options }: CommandCall): number {
  const text = typeof options["timeout"] === "string" ? options["timeout"] : "5m";
  const [, count = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0) return ms;
  throw new SetpointError("config.invalid", `--timeout ${text} is not a duration`, {
    suggestion: "write a number and a unit, such as 90s or 10m",
  });
}

export function optionOf({ options }: CommandCall, name: string): string {
  const value = options[name];
  return typeof value === "string" ? value : "";
}

export function shortCommit(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 10) : revision;
}
