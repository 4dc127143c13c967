// 60 DnsRecords are created, changed and half of them deleted, while the server is killed again and
// again. In the end PowerDNS has exactly the record sets that DnsRecords want.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { shortLeases } from "../peers/crash-steps.ts";
import { killUnderLoad, untilStatus } from "../peers/kills-under-load.ts";
import { startDnsRig, zonePath } from "./rig.ts";

const lives = 60;
const isKept = (index: number): boolean => index % 2 === 1;

it("kill -9 during many creations and deletions leaves no record set behind", async () => {
  await using leases = await shortLeases();
  await using rig = await startDnsRig({ args: leases.args });
  const { records } = rig;
  const kills = await killUnderLoad({
    server: rig.server,
    lives,
    parallel: 12,
    killEvery: 15,
    live: async (index) => {
      const name = `r${index}`;
      const spec = { zone: "public", name, type: "A", values: [`192.0.2.${index}`] };
      await untilStatus(`${name} created`, () => records.tryCreate(name, spec), 201, 409);
      const patch = { spec: { ttl: 60 } };
      await untilStatus(`${name} changed`, () => records.tryPatch(name, patch), 200);
      if (isKept(index)) return;
      await untilStatus(`${name} deleted`, () => records.tryDelete(name), 200, 202, 404);
    },
  });
  assert.equal(kills, 3);
  for (let index = 0; index < lives; index += 1) {
    if (isKept(index)) await records.ready(`r${index}`);
    else await records.gone(`r${index}`);
  }
  const { json } = await rig.powerDns.ask("GET", zonePath);
  const { rrsets } = json as { readonly rrsets: readonly JsonObject[] };
  const found = rrsets.filter((each) => textAt(each, "type") === "A");
  const wanted = Array.from({ length: lives }, (_, index) => index).filter(isKept);
  assert.deepEqual(
    found.map((each) => `${textAt(each, "name")} ${String(each["ttl"] as number)}`).toSorted(),
    wanted.map((index) => `r${index}.dinosaurs.example. 60`).toSorted(),
  );
});
