// 60 OidcClients are created, rotated and half of them deleted, while the server is killed again
// and again. In the end the provider has exactly the clients that OidcClients want, and the
// credentials in every Secret work.
import assert from "node:assert/strict";
import { it } from "node:test";
import { shortLeases } from "../peers/crash-steps.ts";
import { killUnderLoad, untilStatus } from "../peers/kills-under-load.ts";
import { clientSpec, startOidcRig } from "./rig.ts";

const lives = 60;
const isKept = (index: number): boolean => index % 2 === 1;

it("kill -9 during many creations and deletions leaves no client behind", async () => {
  await using leases = await shortLeases();
  await using rig = await startOidcRig({ setpoint: { args: leases.args } });
  const { clients } = rig;
  const kills = await killUnderLoad({
    server: rig.server,
    lives,
    parallel: 12,
    killEvery: 15,
    live: async (index) => {
      const name = `c${index}`;
      const spec = clientSpec(`${name}-oidc`);
      await untilStatus(`${name} created`, () => clients.tryCreate(name, spec), 201, 409);
      const patch = { spec: { rotation: index % 3, clientName: name } };
      await untilStatus(`${name} changed`, () => clients.tryPatch(name, patch), 200);
      if (isKept(index)) return;
      await untilStatus(`${name} deleted`, () => clients.tryDelete(name), 200, 202, 404);
    },
  });
  assert.equal(kills, 3);
  const ids: string[] = [];
  for (let index = 0; index < lives; index += 1) {
    const name = `c${index}`;
    if (!isKept(index)) {
      await clients.gone(name);
      continue;
    }
    const { status } = await clients.ready(name);
    assert.deepEqual([status?.pending, status?.unconfirmed], [undefined, undefined]);
    ids.push((await rig.working(`${name}-oidc`)).clientId);
  }
  assert.deepEqual(rig.provider.registeredClients().toSorted(), ids.toSorted());
});
