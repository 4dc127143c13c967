// The clients of this process, one for each connection as it is now: when a Connection or a Secret
// that it names changes, the next run gets a new one, and the old is closed once it is out of use.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import { openClient } from "./client.ts";
import type { ClientPorts, RestClient } from "./client.ts";
import { connectionSettings } from "./connection.ts";
import type { SecretsByName } from "./connection.ts";

export interface ClientKey {
  readonly name: string;
  readonly spec: JsonObject;
  readonly secrets: SecretsByName;
  /** Differs when anything above does. */
  readonly version: string;
}

export interface SystemLimits {
  readonly calls?: number;
  readonly timeoutMs?: number;
  readonly consecutiveFailures?: number;
  readonly openFirstMs?: number;
}

export interface Clients extends Disposable {
  get(key: ClientKey): RestClient;
}

/** A run may still use an old client for as long as one request may take. */
const closesAfterMs = 120_000;

export function openClients(ports: ClientPorts): Clients {
  const open = new Map<string, { readonly version: string; readonly client: RestClient }>();
  const closing = new Map<RestClient, () => void>();
  const retire = (client: RestClient): void => {
    const cancel = ports.timers.after(closesAfterMs, () => {
      closing.delete(client);
      client[Symbol.dispose]();
    });
    closing.set(client, cancel);
  };
  return {
    get: ({ name, spec, secrets, version }) => {
      const known = open.get(name);
      if (known?.version === version) return known.client;
      const client = openClient(connectionSettings(name, spec, secrets), ports);
      if (known !== undefined) retire(known.client);
      open.set(name, { version, client });
      return client;
    },
    [Symbol.dispose]: () => {
      for (const [client, cancel] of closing) {
        cancel();
        client[Symbol.dispose]();
      }
      for (const { client } of open.values()) client[Symbol.dispose]();
      open.clear();
      closing.clear();
    },
  };
}

/** How the engine is to treat the system behind a connection. */
export function systemLimits(spec: JsonObject): SystemLimits {
  const calls = numberAt(spec, "concurrency");
  const timeout = numberAt(spec, "timeoutSeconds");
  const failures = numberAt(spec, "breaker", "failures");
  const openSeconds = numberAt(spec, "breaker", "openSeconds");
  return {
    ...(calls === undefined ? {} : { calls }),
    ...(timeout === undefined ? {} : { timeoutMs: (timeout + 10) * 1_000 }),
    ...(failures === undefined ? {} : { consecutiveFailures: failures }),
    ...(openSeconds === undefined ? {} : { openFirstMs: openSeconds * 1_000 }),
  };
}
