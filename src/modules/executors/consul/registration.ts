// Registers this server at a Consul agent with a check that expires: the process reports that it
// works every few seconds, and Consul shows the service as critical when the reports stop. A stop
// deregisters it. After a restart of the agent, which may have lost the service, the next report is
// refused and the server registers itself again.

import { readFile } from "node:fs/promises";
import type { CallJson, HttpFailure, JsonAnswer } from "../../../adapters/http/port.ts";
import type { ModuleLog } from "../../../contract/ports.ts";
import type { Ids } from "../../../kernel/ids.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { executorLimits } from "../limits.ts";
import type { Registration } from "./registration-config.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface RegistrationPorts {
  readonly callJson: CallJson;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: ModuleLog;
}

export function registerServer(
  registration: Registration,
  ports: RegistrationPorts,
): AsyncDisposable {
  const stop = new AbortController();
  const id = `${registration.service}-${ports.ids.uid()}`;
  const agent = agentCalls(registration, ports, id);
  const keeping = keepRegistered(agent, ports, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await keeping;
      // A server that stops does not wait long for an agent that does not answer.
      await agent.deregister(AbortSignal.timeout(executorLimits.consulStopMs));
    },
  };
}

interface AgentCalls {
  register(signal: AbortSignal): Promise<boolean>;
  report(signal: AbortSignal): Promise<boolean>;
  deregister(signal: AbortSignal): Promise<boolean>;
}

function agentCalls(
  registration: Registration,
  { callJson, log }: RegistrationPorts,
  id: string,
): AgentCalls {
  const { service, tags, address, port } = registration;
  const put = async (path: string, body: Json, signal: AbortSignal): Promise<boolean> => {
    const answer = await sendTo(registration, callJson, { path, body, signal });
    if (answer.kind === "json" && answer.status === 200) return true;
    const problem = answer.kind === "failure" ? answer.message : `status ${answer.status}`;
    if (!signal.aborted) log.warn({ path, problem }, "Consul agent refused the registration");
    return false;
  };
  const seconds = executorLimits.consulCheckSeconds;
  return {
    register: (signal) => {
      const Check = {
        CheckID: `service:${id}`,
        Name: "setpoint is running",
        TTL: `${seconds}s`,
        Status: "passing",
        DeregisterCriticalServiceAfter: "60m",
      };
      const place = {
        ...(address === "" ? {} : { Address: address }),
        ...(port ? { Port: port } : {}),
      };
      const body = { ID: id, Name: service, Tags: [...tags], ...place, Check };
      return put("/v1/agent/service/register?replace-existing-checks=true", body, signal);
    },
    report: (signal) => put(`/v1/agent/check/pass/service:${id}`, {}, signal),
    deregister: (signal) => put(`/v1/agent/service/deregister/${id}`, {}, signal),
  };
}

async function keepRegistered(
  agent: AgentCalls,
  { timers, log }: RegistrationPorts,
  signal: AbortSignal,
): Promise<void> {
  const pauseMs = (executorLimits.consulCheckSeconds * 1_000) / 3;
  let isRegistered = false;
  while (!signal.aborted) {
    const wasRegistered = isRegistered;
    isRegistered = isRegistered ? await agent.report(signal) : await agent.register(signal);
    if (isRegistered && !wasRegistered) log.info({}, "server registered in Consul");
    // A refused report is followed by a registration at once.
    if (wasRegistered && !isRegistered) continue;
    await timers.sleep(pauseMs, signal).catch(() => undefined);
  }
}

interface AgentRequest {
  readonly path: string;
  readonly body: Json;
  readonly signal: AbortSignal;
}

/** The files are read each time, so that a new token is used without a restart. */
async function sendTo(
  { url, tokenFile, caFile }: Registration,
  callJson: CallJson,
  { path, body, signal }: AgentRequest,
): Promise<JsonAnswer | HttpFailure> {
  const token = tokenFile === "" ? "" : (await readFile(tokenFile, "utf8")).trim();
  return await callJson({
    method: "PUT",
    url: new URL(`${withoutTrailing(url, "/")}${path}`),
    ...(token === "" ? {} : { headers: { "x-consul-token": token } }),
    body,
    ca: caFile === "" ? undefined : await readFile(caFile, "utf8"),
    timeoutMs: executorLimits.callTimeoutMs,
    maxBytes: 65_536,
    signal,
  });
}
