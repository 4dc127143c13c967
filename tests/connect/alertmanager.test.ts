// Silences of a real Alertmanager, a service that does nothing as others do: the id is its own, is
// not in the answer under that name, and changes when a silence is changed; a change is sent to the
// collection; what is deleted is still there, expired. The binding says so in a few lines.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { alertmanagerBase, startAlertmanager } from "../peers/alertmanager.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";
import { condition, Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const silences = new Resources(() => rig.server, { apiVersion, kind: "Silence" });
const text = { type: "string" };

const silenceKind = definition("Silence", {
  type: "object",
  required: ["matchers", "startsAt", "endsAt", "createdBy", "comment"],
  properties: {
    matchers: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          name: text,
          value: text,
          isRegex: { type: "boolean" },
          isEqual: { type: "boolean" },
        },
      },
    },
    startsAt: text,
    endsAt: text,
    createdBy: text,
    comment: text,
  },
});

const silenceBinding = restKind("silences", {
  connection: "alerts",
  item: "/silence/{silenceID}",
  collection: "/silences",
  identity: { kind: "server", field: "/id", parameter: "silenceID" },
  operations: {
    read: { method: "GET" },
    list: { method: "GET" },
    create: { method: "POST" },
    replace: { method: "POST", path: "/silences" },
    delete: { method: "DELETE" },
  },
  fields: [
    { path: "/id", class: "update-only", from: "override" },
    { path: "/status", class: "read-only", from: "override" },
    { path: "/updatedAt", class: "read-only", from: "override" },
  ],
  ready: "observed.status.state in ['active', 'pending']",
  gone: "observed.status.state == 'expired'",
  resyncSeconds: 3_600,
});

before(async () => {
  rig = await startRig(startAlertmanager, ({ url }) => [
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "alerts" },
      spec: { baseUrl: `${url}${alertmanagerBase}`, timeoutSeconds: 15 },
    },
    silenceKind,
    silenceBinding,
  ]);
});
afterEach(() => rig.proxy.clear());
after(async () => await rig?.[Symbol.asyncDispose]());

interface Silence {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

const silence = (comment: string, more: JsonObject = {}): JsonObject => ({
  matchers: [{ name: "job", value: comment, isRegex: false }],
  // A beginning in the past becomes now, which is nobody's wish.
  startsAt: "2900-01-01T00:00:00Z",
  endsAt: "2999-01-01T00:00:00Z",
  createdBy: "tests",
  comment,
  ...more,
});
const all = async (comment: string): Promise<readonly Silence[]> => {
  const { json } = await rig.service.ask("GET", `${alertmanagerBase}/silences`);
  return (json as readonly Silence[]).filter((each) => each.comment.startsWith(comment));
};
const alive = async (comment: string): Promise<readonly Silence[]> =>
  (await all(comment)).filter(({ status }) => status.state !== "expired");

describe("a silence", () => {
  it("is made, known by the id that the service gave it, and left in peace", async () => {
    await silences.create("made", silence("made"));
    const one = await silences.ready("made");
    const [only] = await alive("made");
    assert.equal(one.status?.connect?.id, only?.id);
    const written = rig.proxy.writes().length;
    for (let round = 0; round < 3; round++) await silences.reconcile("made");
    assert.equal(rig.proxy.writes().length, written);
  });

  it("is changed in its place, or followed under the id that the change gives it", async () => {
    await silences.create("changed", silence("changed"));
    const old = await silences.ready("changed");
    await silences.patch("changed", { spec: { comment: "changed once" } });
    await silences.ready("changed");
    assert.deepEqual(
      (await alive("changed")).map(({ comment }) => comment),
      ["changed once"],
    );
    const matchers = [{ name: "job", value: "another", isRegex: false }];
    await silences.patch("changed", { spec: { matchers } });
    const now = await silences.ready("changed");
    assert.notEqual(now.status?.connect?.id, old.status?.connect?.id);
    assert.deepEqual(
      (await alive("changed")).map(({ id }) => id),
      [now.status?.connect?.id],
    );
    await silences.reconcile("changed");
    assert.equal((await alive("changed")).length, 1);
  });

  it("that expired is as good as gone", async () => {
    await silences.create("gone", silence("gone"));
    const one = await silences.ready("gone");
    await silences.delete("gone");
    await silences.gone("gone");
    const [only, ...more] = await all("gone");
    assert.deepEqual(more, []);
    assert.equal(only?.id, one.status?.connect?.id);
    assert.equal(only?.status.state, "expired");
  });

  it("whose creation was not answered is found by looking, and made once", async () => {
    const rule = rig.proxy.on({ method: "POST", path: "/silences" }, { kind: "lose" }, 1);
    await silences.create("lost", silence("lost"));
    await rule.hit();
    const one = await silences.ready("lost");
    const found = await all("lost");
    assert.equal(found.length, 1);
    assert.equal(one.status?.connect?.id, found[0]?.id);
  });

  it("that the service refuses tells why", async () => {
    await silences.create("refused", silence("refused", { endsAt: "2000-01-01T00:00:00Z" }));
    const one = await silences.until("refused", "refused", (each) => {
      return condition(each, "Synced")?.status === "False";
    });
    assert.match(condition(one, "Synced")?.message ?? "", /end/i);
    assert.deepEqual(await all("refused"), []);
  });
});
