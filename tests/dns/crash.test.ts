// The server is killed while PowerDNS is in the middle of a request, before and after it has
// acted. A server started on the same data ends in the same state, and PowerDNS has no record set
// that no DnsRecord wants.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { findPostgres } from "../../tools/peers.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { Moment, ShortLeases } from "../peers/crash-steps.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { startDnsRig, zoneName, zonePath } from "./rig.ts";
import type { DnsRig } from "./rig.ts";

for (const store of ["SQLite", "PostgreSQL"] as const) {
  const skip = store === "PostgreSQL" && findPostgres() === undefined;
  describe(`a server that is killed during a request to PowerDNS (${store})`, { skip }, () => {
    let leases: ShortLeases;
    let postgres: Postgres | undefined;
    let rig: DnsRig;
    before(async () => {
      if (store === "PostgreSQL") postgres = await startPostgres();
      leases = await shortLeases();
      const { args } = leases;
      rig = await startDnsRig({
        args,
        ...(postgres === undefined ? {} : { store: postgres.url() }),
      });
    });
    after(async () => {
      await rig?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      await leases?.[Symbol.asyncDispose]();
    });

    const nameOf = (moment: Moment): string => `crash-${wordOf(moment)}`;
    const hostOf = (moment: Moment): string => `${nameOf(moment)}.dinosaurs.example`;
    const during = async (changetype: string, act: (name: string) => Promise<void>) =>
      await killDuring(
        rig,
        moments.map((moment) => ({
          match: { method: "PATCH", body: `{"name":"${hostOf(moment)}."` },
          moment,
          act: async () => await act(nameOf(moment)),
        })),
      ).then(() => assert.ok(rig.proxy.writes({ body: changetype }).length >= moments.length));
    const spec = (name: string): JsonObject => {
      return { zone: "public", name, type: "A", values: ["192.0.2.1"] };
    };
    /** The names at the server that have the mark of Setpoint. */
    const marked = async (): Promise<readonly string[]> => {
      const { json } = await rig.powerDns.ask("GET", zonePath);
      const { rrsets } = json as { readonly rrsets: readonly JsonObject[] };
      const own = rrsets.filter((each) => JSON.stringify(each["comments"]).includes("setpoint"));
      return own.map((each) => textAt(each, "name")).toSorted();
    };

    it("while record sets are created ends with each of them, marked as its own", async () => {
      await during("REPLACE", async (name) => await rig.records.create(name, spec(name)));
      for (const moment of moments) {
        await rig.records.ready(nameOf(moment));
        await rig.resolves(hostOf(moment), "A", ["192.0.2.1"]);
      }
      assert.deepEqual(await marked(), moments.map((moment) => `${hostOf(moment)}.`).toSorted());
    });

    it("while record sets are changed ends with the wanted values", async () => {
      const values = { spec: { values: ["192.0.2.2"] } };
      await during("REPLACE", async (name) => await rig.records.patch(name, values));
      for (const moment of moments) {
        await rig.records.ready(nameOf(moment));
        await rig.resolves(hostOf(moment), "A", ["192.0.2.2"]);
      }
    });

    it("while record sets are deleted ends with none of them", async () => {
      await during("DELETE", async (name) => await rig.records.delete(name));
      for (const moment of moments) {
        await rig.records.gone(nameOf(moment));
        await rig.resolves(hostOf(moment), "A", []);
      }
      assert.deepEqual(await marked(), []);
    });

    it("while a DnsRecord is created and deleted at once leaves no record set", async () => {
      await during("REPLACE", async (name) => await rig.records.create(`${name}-both`, spec(name)));
      for (const moment of moments) await rig.records.delete(`${nameOf(moment)}-both`);
      for (const moment of moments) await rig.records.gone(`${nameOf(moment)}-both`);
      assert.deepEqual(await marked(), []);
      const { json } = await rig.powerDns.ask("GET", `${zonePath}?rrset_name=${zoneName}`);
      assert.equal((json as { readonly name: string }).name, zoneName);
    });
  });
}
