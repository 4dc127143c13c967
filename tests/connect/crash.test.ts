// The server is killed at each step of the life of an object, with the service in the middle of
// what it was asked for; a server started on the same data ends in the same state, and the service
// was never asked to make anything twice.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findPostgres } from "../../tools/peers.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import {
  apiVersion,
  keyBinding,
  keyKind,
  powerDnsConnection,
  zoneBinding,
  zoneKind,
} from "./powerdns-kinds.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { Moment, ShortLeases, Step } from "../peers/crash-steps.ts";
import { Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  const skip = kind === "PostgreSQL" && findPostgres() === undefined;
  describe(`a server that is killed (${kind})`, { skip }, () => {
    let leases: ShortLeases;
    let postgres: Postgres | undefined;
    let rig: Rig;
    const zones = new Resources(() => rig.server, { apiVersion, kind: "Zone" });
    const keys = new Resources(() => rig.server, { apiVersion, kind: "TsigKey" });

    before(async () => {
      if (kind === "PostgreSQL") postgres = await startPostgres();
      leases = await shortLeases();
      const { args } = leases;
      const options = { args, ...(postgres === undefined ? {} : { store: postgres.url() }) };
      rig = await startRig(
        startPowerDns,
        ({ url }) => [
          // How long a creation that was not answered is looked for is a multiple of it.
          ...powerDnsConnection({ url, timeoutSeconds: 5 }),
          zoneKind,
          zoneBinding,
          keyKind,
          keyBinding,
        ],
        options,
      );
    });
    after(async () => {
      await rig?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      await leases?.[Symbol.asyncDispose]();
    });

    const live = async (path: string): Promise<JsonObject | undefined> => {
      const { status, json } = await rig.service.ask("GET", `${powerDnsServer}${path}`);
      return status === 404 ? undefined : (json as JsonObject);
    };
    const made = (body: string): number =>
      rig.proxy.writes({ method: "POST", body }).filter(({ status }) => status === 201).length;
    const zone = (moment: Moment): string => `zone-${wordOf(moment)}`;
    const key = (moment: Moment): string => `key-${wordOf(moment)}`;

    it("while things are made ends with each of them made once, under its id", async () => {
      await killDuring(
        rig,
        moments.flatMap((moment): readonly Step[] => [
          {
            match: { method: "POST", body: `"${zone(moment)}.test."` },
            moment,
            act: async () => {
              const spec = { name: `${zone(moment)}.test.`, kind: "Native" };
              await zones.create(zone(moment), spec);
            },
          },
          {
            match: { method: "POST", body: `"${key(moment)}"` },
            moment,
            act: async () => {
              await keys.create(key(moment), { name: key(moment), algorithm: "hmac-sha256" });
            },
          },
        ]),
      );
      for (const moment of moments) {
        await zones.ready(zone(moment));
        assert.equal(made(`"${zone(moment)}.test."`), 1, moment);
        const one = await keys.ready(key(moment));
        assert.equal(one.status?.connect?.id, `${key(moment)}.`);
        assert.equal(made(`"${key(moment)}"`), 1, moment);
      }
    });

    it("while things are changed ends with what was wanted", async () => {
      await killDuring(
        rig,
        moments.map((moment) => ({
          match: { method: "PUT", path: `/${zone(moment)}.test.` },
          moment,
          act: async () => await zones.patch(zone(moment), { spec: { account: "us" } }),
        })),
      );
      for (const moment of moments) {
        await zones.ready(zone(moment));
        assert.equal((await live(`/zones/${zone(moment)}.test.`))?.["account"], "us", moment);
      }
    });

    it("while things are deleted ends with none of them", async () => {
      await killDuring(
        rig,
        moments.flatMap((moment): readonly Step[] => [
          {
            match: { method: "DELETE", path: `/${zone(moment)}.test.` },
            moment,
            act: async () => await zones.delete(zone(moment)),
          },
          {
            match: { method: "DELETE", path: `/${key(moment)}.` },
            moment,
            act: async () => await keys.delete(key(moment)),
          },
        ]),
      );
      for (const moment of moments) {
        await zones.gone(zone(moment));
        await keys.gone(key(moment));
        assert.equal(await live(`/zones/${zone(moment)}.test.`), undefined, moment);
        assert.equal(await live(`/tsigkeys/${key(moment)}.`), undefined, moment);
      }
    });
  });
}
