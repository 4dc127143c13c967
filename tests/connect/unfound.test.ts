// Kinds whose RestKind names objects as an import may guess it, and a real service that names them
// otherwise. The server is killed around the creation as well. The service counts its objects:
// there is never a second one, and none is left behind by a deletion that reports success.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { startQuirkyService } from "../peers/quirky-service.ts";
import type { QuirkyService } from "../peers/quirky-service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import { apiVersion, definition } from "./powerdns-kinds.ts";
import { operations, quirkyBinding, text } from "./quirky-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, Resources } from "./rig.ts";
import { thingsConnection } from "./things-kinds.ts";

const stack = new AsyncDisposableStack();
let service: QuirkyService;
let proxy: FaultProxy;
let server: Setpoint;

const schema = { type: "object", properties: { name: text, color: text, user: text, role: text } };
const { list, create, delete: remove } = operations;
const listed = {
  identity: { kind: "composite", fields: { user: "/user", role: "/role" } },
  item: "/grants/{user}/{role}",
  operations: { list, create, delete: remove },
};

before(async () => {
  const nameless = ({ name = "", color = "" }: JsonObject): JsonObject => ({ name, color });
  const number = (_object: JsonObject, count: number): string => `n-${count}`;
  service = stack.use(
    await startQuirkyService({
      tokens: { id: number },
      places: { id: number, shows: nameless, hasLocation: true },
      links: { id: number, shows: nameless },
      grants: {
        id: (object) => `${textAt(object, "user")}/${textAt(object, "role")}`,
        shows: (object) => object,
        hasItem: false,
      },
    }),
  );
  proxy = stack.use(await startFaultProxy({ target: () => service.url }));
  const leases = stack.use(await shortLeases());
  server = stack.use(await startSetpoint({ args: leases.args }));
  await applyDocument(
    server,
    thingsConnection("quirky", { baseUrl: proxy.url, timeoutSeconds: 5 }),
  );
  for (const kind of ["Token", "Place", "Link", "Grant"]) {
    await applyDocument(server, definition(kind, schema));
  }
  for (const plural of ["tokens", "places", "links"]) {
    await applyDocument(server, quirkyBinding(plural));
  }
  await applyDocument(server, quirkyBinding("grants", listed));
});
after(async () => await stack.disposeAsync());

const of = (kind: string): Resources => new Resources(() => server, { apiVersion, kind });
const stored = (plural: string): readonly JsonObject[] => [
  ...(service.objects.get(plural)?.values() ?? []),
];
const named = (plural: string, name: string): number =>
  stored(plural).filter((object) => object["name"] === name).length;

describe("a service that assigns other ids than the RestKind expects", () => {
  for (const [kind, plural] of [
    ["Token", "tokens"],
    ["Place", "places"],
  ] as const) {
    it(`is followed by the id in its response (${plural}), and the object deleted`, async () => {
      const resources = of(kind);
      await resources.create("followed", { name: "followed", color: "red" });
      const ready = await resources.ready("followed");
      assert.match(ready.status?.connect?.id ?? "", /^n-\d+$/);
      await resources.reconcile("followed");
      assert.equal(named(plural, "followed"), 1);
      await resources.delete("followed");
      await resources.gone("followed");
      assert.equal(named(plural, "followed"), 0);
    });
  }

  it("gets one object where no response shows its id, and the condition says why", async () => {
    const links = of("Link");
    await links.create("lonely", { name: "lonely" });
    const stopped = await links.says("lonely", "Synced", "IdentityMismatch");
    assert.match(condition(stopped, "Synced")?.message ?? "", /identity\.field \(\/name\)/);
    for (let run = 0; run < 3; run += 1) await links.reconcile("lonely");
    await server.kill9();
    await server.start();
    await links.reconcile("lonely");
    assert.equal(named("links", "lonely"), 1);
    await links.delete("lonely");
    await links.says("lonely", "Synced", "IdentityMismatch");
    assert.equal(named("links", "lonely"), 1);
    // A user names the object, and the deletion goes on.
    const [id] = [...(service.objects.get("links") ?? [])].find(([, object]) => {
      return object["name"] === "lonely";
    }) ?? [""];
    await links.patch("lonely", { connect: { id } });
    await links.gone("lonely");
    assert.equal(named("links", "lonely"), 0);
  });

  it("gets one object though the server is killed around its creation", async () => {
    const [links, tokens] = [of("Link"), of("Token")];
    const name = (moment: string): string => `killed-${wordOf(moment)}`;
    await killDuring(
      { proxy, server },
      moments.flatMap((moment) =>
        [links, tokens].map((resources) => ({
          match: {
            method: "POST",
            path: resources === links ? "/links" : "/tokens",
            body: `"${name(moment)}"`,
          },
          moment,
          act: async () => await resources.create(name(moment), { name: name(moment) }),
        })),
      ),
    );
    for (const moment of moments) {
      await links.says(name(moment), "Synced", "IdentityMismatch");
      assert.equal(named("links", name(moment)), 1, moment);
      // Found by its response, or not at all where the response was lost.
      await tokens.until(name(moment), "settled", (one) => {
        const synced = condition(one, "Synced");
        const isStopped = synced?.reason === "IdentityMismatch";
        return isStopped || condition(one, "Ready")?.status === "True";
      });
      assert.equal(named("tokens", name(moment)), 1, moment);
    }
  });
});

describe("a service with a list only and several fields that name an object", () => {
  const grants = of("Grant");
  const has = (user: string, role: string): boolean =>
    stored("grants").some((object) => object["user"] === user && object["role"] === role);

  it("has its objects found by every field, and deleted", async () => {
    await grants.create("ann-admin", { user: "ann", role: "admin" });
    await grants.create("ann-guest", { user: "ann", role: "guest" });
    await grants.create("bob-admin", { user: "bob", role: "admin" });
    for (const name of ["ann-admin", "ann-guest", "bob-admin"]) await grants.ready(name);
    assert.equal(stored("grants").length, 3);
    await grants.delete("ann-guest");
    await grants.gone("ann-guest");
    assert.deepEqual(
      [has("ann", "admin"), has("ann", "guest"), has("bob", "admin")],
      [true, false, true],
    );
  });

  it("has an object deleted only once the list does not contain it", async () => {
    await grants.create("kept", { user: "eve", role: "admin" });
    await grants.ready("kept");
    const lie = { kind: "answer", answer: { status: 204 } } as const;
    const rule = proxy.on({ method: "DELETE", path: "/grants/eve/admin" }, lie, 2);
    await grants.delete("kept");
    await rule.hit(2);
    assert.equal(has("eve", "admin"), true);
    await grants.gone("kept");
    assert.equal(has("eve", "admin"), false);
  });

  it("has its objects created once though the server is killed meanwhile", async () => {
    await killDuring(
      { proxy, server },
      moments.map((moment) => ({
        match: { method: "POST", path: "/grants", body: `"${wordOf(moment)}"` },
        moment,
        act: async () => {
          await grants.create(wordOf(moment), { user: wordOf(moment), role: "admin" });
        },
      })),
    );
    for (const moment of moments) {
      await grants.ready(wordOf(moment));
      const sent = proxy.done({ method: "POST", path: "/grants", body: `"${wordOf(moment)}"` });
      assert.equal(sent.filter(({ status }) => status === 201).length, 1, moment);
    }
  });
});
