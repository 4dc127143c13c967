// The Consul client against the double, and against a real server when SETPOINT_TEST_CONSUL is its
// URL (and SETPOINT_TEST_CONSUL_TOKEN its token).
import { httpWith } from "../../src/adapters/http/client.ts";
import { jsonCalls } from "../../src/adapters/http/json-calls.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { consulWith } from "../../src/modules/executors/consul/client.ts";
import { consulContract } from "../../src/modules/executors/consul/contract.ts";
import type { ConsulUnderTest } from "../../src/modules/executors/consul/contract.ts";
import { startConsul } from "../peers/consul.ts";

function underTest(url: string, token: string, peer?: AsyncDisposable): ConsulUnderTest {
  const calls = jsonCalls(httpWith(systemTimers));
  const access = { resourceName: "test", url, datacenter: "", token, ca: undefined };
  const { signal } = new AbortController();
  return {
    client: consulWith(calls.call)(access, {
      clock: systemClock,
      outside: async (_system, call) => await call(signal),
    }),
    raw: async (method, path, body) => {
      const headers = { "x-consul-token": token };
      const given = body === undefined ? {} : { body };
      const answer = await fetch(`${url}${path}`, { method, headers, ...given });
      return { status: answer.status, text: await answer.text() };
    },
    [Symbol.asyncDispose]: async () => {
      calls[Symbol.dispose]();
      await peer?.[Symbol.asyncDispose]();
    },
  };
}

consulContract("the double", async () => {
  const peer = await startConsul();
  return underTest(peer.url, peer.token, peer);
});

const real = process.env["SETPOINT_TEST_CONSUL"];
if (real !== undefined) {
  consulContract("a real server", async () =>
    underTest(real, process.env["SETPOINT_TEST_CONSUL_TOKEN"] ?? ""),
  );
}
