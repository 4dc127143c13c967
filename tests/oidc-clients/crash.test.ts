// The server is killed while the provider is in the middle of a request, before and after it has
// acted. With a provider that derives the client_id from the software_id nothing is left behind:
// the provider has exactly the clients that OidcClients want, and every Secret has working
// credentials.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { findPostgres } from "../../tools/peers.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { Moment, ShortLeases } from "../peers/crash-steps.ts";
import type { Match } from "../peers/fault-proxy.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { condition } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { clientSpec, startOidcRig } from "./rig.ts";
import type { OidcRig } from "./rig.ts";

const nameOf = (moment: Moment): string => `crash-${wordOf(moment)}`;
const names = moments.map(nameOf);

for (const store of ["SQLite", "PostgreSQL"] as const) {
  const skip = store === "PostgreSQL" && findPostgres() === undefined;
  describe(`a server that is killed during a request to a provider (${store})`, { skip }, () => {
    let leases: ShortLeases;
    let postgres: Postgres | undefined;
    let rig: OidcRig;
    before(async () => {
      if (store === "PostgreSQL") postgres = await startPostgres();
      leases = await shortLeases();
      const database = postgres === undefined ? {} : { store: postgres.url() };
      rig = await startOidcRig({ setpoint: { args: leases.args, ...database } });
    });
    after(async () => {
      await rig?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      await leases?.[Symbol.asyncDispose]();
    });

    const during = async (match: (name: string) => Match, act: (name: string) => Promise<void>) =>
      await killDuring(
        rig,
        moments.map((moment) => {
          const name = nameOf(moment);
          return { match: match(name), moment, act: async () => await act(name) };
        }),
      );
    const create = async (name: string): Promise<void> => {
      await rig.clients.create(name, clientSpec(`${name}-oidc`, { clientName: name }));
    };
    const named = (name: string): string => `"client_name":"${name}"`;
    /** The ids of the clients that the OidcClients have. */
    const wanted = async (): Promise<readonly string[]> => {
      const ids = names.map(async (name) => (await rig.working(`${name}-oidc`)).clientId);
      return (await Promise.all(ids)).toSorted();
    };
    const idOf = async (name: string): Promise<string> => {
      return (await rig.clients.present(name)).status?.clientId ?? "";
    };

    it("while clients are registered ends with one client for each", async () => {
      await during((name) => ({ method: "POST", body: named(name) }), create);
      for (const name of names) {
        const { status } = await rig.clients.ready(name);
        assert.deepEqual([status?.pending, status?.unconfirmed], [undefined, undefined]);
      }
      assert.deepEqual(rig.provider.registeredClients().toSorted(), await wanted());
    });

    it("while clients are changed ends with the wanted metadata", async () => {
      await during(
        (name) => ({ method: "PUT", body: named(`${name}-new`) }),
        async (name) => await rig.clients.patch(name, { spec: { clientName: `${name}-new` } }),
      );
      for (const name of names) {
        await rig.clients.ready(name);
        const stored = rig.provider.registeredClient(await idOf(name));
        assert.equal(stored?.["client_name"], `${name}-new`);
      }
      assert.deepEqual(rig.provider.registeredClients().toSorted(), await wanted());
    });

    it("while a new secret is registered ends with the new client only", async () => {
      const earlier = await wanted();
      await during(
        (name) => ({ method: "POST", body: named(`${name}-new`) }),
        async (name) => await rig.clients.patch(name, { spec: { rotation: 1 } }),
      );
      for (const name of names) await rig.clients.ready(name);
      const now = await wanted();
      assert.equal(
        now.some((id) => earlier.includes(id)),
        false,
      );
      assert.deepEqual(rig.provider.registeredClients().toSorted(), now);
    });

    it("while the old client of a rotation is deleted ends without it", async () => {
      const ids = new Map<string, string>();
      for (const name of names) ids.set(name, await idOf(name));
      await during(
        (name) => ({ method: "DELETE", path: `/reg/${ids.get(name)}` }),
        async (name) => await rig.clients.patch(name, { spec: { rotation: 2 } }),
      );
      for (const name of names) await rig.clients.ready(name);
      assert.deepEqual(rig.provider.registeredClients().toSorted(), await wanted());
    });

    it("while a client is changed and then deleted leaves no client", async () => {
      // The provider has given the client another token, which was lost.
      await rig.clients.create("brief", clientSpec("brief-oidc", { clientName: "brief" }));
      await rig.clients.ready("brief");
      await killDuring(rig, [
        {
          match: { method: "PUT", body: named("brief-new") },
          moment: "hold answer",
          act: async () => await rig.clients.patch("brief", { spec: { clientName: "brief-new" } }),
        },
      ]);
      await rig.clients.delete("brief");
      await rig.clients.gone("brief");
      assert.deepEqual(rig.provider.registeredClients().toSorted(), await wanted());
    });

    it("while a registration is lost and then deleted leaves no client", async () => {
      await killDuring(rig, [
        {
          match: { method: "POST", body: named("lost") },
          moment: "hold answer",
          act: async () => {
            await rig.clients.create("lost", clientSpec("lost-oidc", { clientName: "lost" }));
          },
        },
      ]);
      await rig.clients.delete("lost");
      await rig.clients.gone("lost");
      assert.deepEqual(rig.provider.registeredClients().toSorted(), await wanted());
    });

    it("while a registration is lost and then rotated leaves one client", async () => {
      await killDuring(rig, [
        {
          match: { method: "POST", body: named("twice") },
          moment: "hold answer",
          act: async () => {
            await rig.clients.create("twice", clientSpec("twice-oidc", { clientName: "twice" }));
          },
        },
      ]);
      await rig.clients.patch("twice", { spec: { rotation: "next" } });
      await rig.clients.ready("twice");
      const { clientId } = await rig.working("twice-oidc");
      const expected = [...(await wanted()), clientId].toSorted();
      await waitUntil("the first client to be deleted", () => {
        return rig.provider.registeredClients().length === expected.length;
      });
      assert.deepEqual(rig.provider.registeredClients().toSorted(), expected);
      await rig.clients.delete("twice");
      await rig.clients.gone("twice");
    });

    it("while clients are deleted ends with none of them", async () => {
      const ids = new Map<string, string>();
      for (const name of names) ids.set(name, await idOf(name));
      await during(
        (name) => ({ method: "DELETE", path: `/reg/${ids.get(name)}` }),
        async (name) => await rig.clients.delete(name),
      );
      for (const name of names) await rig.clients.gone(name);
      assert.deepEqual(rig.provider.registeredClients(), []);
    });
  });
}

describe("a provider that registers another client for each request", () => {
  let leases: ShortLeases;
  let rig: OidcRig;
  before(async () => {
    leases = await shortLeases();
    rig = await startOidcRig({ setpoint: { args: leases.args }, isIdentified: false });
  });
  after(async () => {
    await rig?.[Symbol.asyncDispose]();
    await leases?.[Symbol.asyncDispose]();
  });

  it("keeps the client of a lost answer, which is counted and named", async () => {
    await killDuring(rig, [
      {
        match: { method: "POST", path: "/reg" },
        moment: "hold answer",
        act: async () => await rig.clients.create("lost", clientSpec("lost-oidc")),
      },
    ]);
    const { status } = await rig.clients.ready("lost");
    assert.equal(status?.unconfirmed, 1);
    assert.equal(status?.pending, undefined);
    const { clientId } = await rig.working("lost-oidc");
    assert.equal(rig.provider.registeredClients().length, 2);
    const softwareId = textAt(status?.registrations?.[clientId], "softwareId");
    const { body } = await rig.server.ask("/api/v1/namespaces/default/events");
    assert.match(body.toString(), new RegExp(`RegistrationUnconfirmed.*${softwareId}`, "s"));
    await rig.clients.delete("lost");
    await rig.clients.gone("lost");
    assert.equal(rig.provider.registeredClients().length, 1);
  });

  it("has nothing more to count when a request was never sent or was refused", async () => {
    rig.proxy.vanish();
    await rig.clients.create("unsent", clientSpec("unsent-oidc"));
    await rig.clients.until("unsent", "failed", (one) => {
      return condition(one, "Synced")?.status === "False";
    });
    rig.proxy.comeBack();
    const { status } = await rig.clients.ready("unsent");
    // The connection was accepted and then closed, so the request may have been read.
    assert.ok((status?.unconfirmed ?? 0) <= 1);
    const refusal = { status: 400, body: '{"error":"invalid_client_metadata"}' };
    const rule = rig.proxy.on({ method: "POST" }, { kind: "answer", answer: refusal }, 1);
    await rig.clients.create("refused", clientSpec("refused-oidc"));
    await rig.clients.says("refused", "Synced", "RequestRefused");
    rule.release();
    const one = await rig.clients.reconcile("refused");
    assert.deepEqual([one.status?.pending, one.status?.unconfirmed], [undefined, undefined]);
  });

  it("has a client that was deleted there registered again, and nothing to count", async () => {
    await rig.clients.create("again", clientSpec("again-oidc"));
    await rig.clients.ready("again");
    const first = await rig.working("again-oidc");
    rig.provider.changeClient(first.clientId, "delete");
    const { status } = await rig.clients.reconcile("again");
    const next = await rig.working("again-oidc");
    assert.notEqual(next.clientId, first.clientId);
    assert.deepEqual(Object.keys(status?.registrations ?? {}), [next.clientId]);
    assert.equal(status?.unconfirmed, undefined);
  });
});
