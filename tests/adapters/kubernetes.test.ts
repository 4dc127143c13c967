// The Kubernetes client against a real API over TLS, which is another Setpoint server.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { kubeWith } from "../../src/adapters/kubernetes/client.ts";
import { kubernetesContract } from "../../src/adapters/kubernetes/contract/suite.ts";
import { KubeError } from "../../src/adapters/kubernetes/port.ts";
import type { KubeClient } from "../../src/adapters/kubernetes/port.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";

const plainAccess = {
  authority: undefined,
  isInsecure: false,
  serverName: undefined,
  certificate: undefined,
};
let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(async () => await server[Symbol.asyncDispose]());

function open(token: string): KubeClient {
  const { url, ca } = server;
  const access = { ...plainAccess, server: url, authority: ca };
  const openKube = kubeWith(httpWith(systemTimers));
  return openKube({ access, token: () => token, fieldManager: "contract" });
}

kubernetesContract("a Setpoint server", async () => open(server.token));

describe("a Kubernetes client", () => {
  it("reports a wrong token as a refusal that a new token can end", async () => {
    using client = open("wrong");
    const { signal } = new AbortController();
    await assert.rejects(client.get("/api/v1/namespaces/default", signal), (error) => {
      return error instanceof KubeError && error.status === 401 && !error.isFinal;
    });
  });

  it("reports a server that cannot be reached with status 0", async () => {
    const openKube = kubeWith(httpWith(systemTimers));
    const access = { ...plainAccess, server: "http://127.0.0.1:1" };
    using client = openKube({ access, token: () => undefined, fieldManager: "contract" });
    const { signal } = new AbortController();
    await assert.rejects(client.get("/api/v1/namespaces/default", signal), (error) => {
      return error instanceof KubeError && error.status === 0 && !error.isFinal;
    });
  });
});
