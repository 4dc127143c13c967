// The Vault client against the double, and against a real server when SETPOINT_TEST_VAULT is its
// URL and SETPOINT_TEST_VAULT_TOKEN a token that may write below secret/setpoint-contract/.
import { httpWith } from "../../src/adapters/http/client.ts";
import { jsonCalls } from "../../src/adapters/http/json-calls.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { vaultWith } from "../../src/modules/executors/vault/client.ts";
import { vaultContract } from "../../src/modules/executors/vault/contract.ts";
import type { VaultUnderTest } from "../../src/modules/executors/vault/contract.ts";
import { startVault, vaultRootToken } from "../peers/vault.ts";

function underTest(url: string, token: string, peer?: AsyncDisposable): VaultUnderTest {
  const calls = jsonCalls(httpWith(systemTimers));
  const access = { resourceName: "test", url, vaultNamespace: "", ca: undefined };
  const { signal } = new AbortController();
  const door = vaultWith(calls.call)(access, {
    clock: systemClock,
    outside: async (_system, call) => await call(signal),
  });
  return {
    door,
    token,
    [Symbol.asyncDispose]: async () => {
      calls[Symbol.dispose]();
      await peer?.[Symbol.asyncDispose]();
    },
  };
}

vaultContract("the double", async () => {
  const peer = await startVault();
  return underTest(peer.url, vaultRootToken, peer);
});

const real = process.env["SETPOINT_TEST_VAULT"];
if (real !== undefined) {
  vaultContract("a real server", async () =>
    underTest(real, process.env["SETPOINT_TEST_VAULT_TOKEN"] ?? ""),
  );
}
