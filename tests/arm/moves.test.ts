// Resources are moved between the resource groups of a subscription: their ids change, and they
// stay what they are. Either all resources of a request move, or none does.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { codeOf, onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { goneAt, inGroup, jarIn, madeAt, patience, read, settledAt } from "./pantry.ts";
import { storedOf, write } from "./pantry.ts";
import { waitUntil } from "../peers/wait.ts";

let server: ArmServer;

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly ids: readonly unknown[];
  readonly verb?: "moveResources" | "validateMoveResources";
  readonly headers?: Readonly<Record<string, string>>;
}

async function move({
  from,
  to,
  ids,
  verb = "moveResources",
  headers = {},
}: Asked): Promise<Reply> {
  const path = `/subscriptions/${subscription}/resourceGroups/${from}/${verb}?${version}`;
  const target = to.startsWith("/") ? to : groupId(to);
  const body = { targetResourceGroup: target, resources: ids };
  return await server.request("POST", path, body, headers);
}

function groupId(name: string): string {
  return `/subscriptions/${subscription}/resourceGroups/${name}`;
}

async function namesIn(group: string): Promise<readonly unknown[]> {
  const { json } = await server.request("GET", `${inGroup(group, "jars")}?${version}`);
  return pickList(json, "value").map((each) => pick(each, "name"));
}

onEachStore(
  "a move",
  (started) => {
    before(() => {
      server = started();
    });

    it("gives new ids to a resource and all inside of it, and makes nothing anew", async () => {
      const [old, moved] = [jarIn("Cellar", "plums"), jarIn("Attic", "plums")];
      const first = await madeAt(server, old, { size: 2, code: "1234" });
      await madeAt(server, `${old}/labels/front`, { text: "plums" });
      await madeAt(server, `${old}/labels/front/words/one`, { text: "p" });
      const stored = await storedOf(server, "jars", old);
      const codes = await server.request("POST", `${old}/listCodes?${version}`);
      const reply = await move({ from: "cellar", to: "Attic", ids: [old] });
      assert.equal(reply.status, 200, reply.text);
      for (const inside of ["", "/labels/front", "/labels/front/words/one"]) {
        assert.equal((await read(server, `${old}${inside}`)).status, 404, inside);
        const shown = await read(server, `${moved}${inside}`);
        assert.equal(pick(shown.json, "id"), `${moved}${inside}`, shown.text);
        assert.equal(pick(shown.json, "properties.provisioningState"), "Succeeded");
      }
      const shown = await read(server, moved);
      assert.equal(pick(shown.json, "properties.serial"), pick(first.json, "properties.serial"));
      assert.equal(pick(shown.json, "properties.size"), 2);
      assert.notEqual(shown.headers.etag, first.headers.etag);
      const same = await storedOf(server, "jars", moved);
      assert.equal(pick(same, "metadata.uid"), pick(stored, "metadata.uid"));
      assert.equal(pick(same, "metadata.name"), pick(stored, "metadata.name"));
      const again = await server.request("POST", `${moved}/listCodes?${version}`);
      assert.equal(pick(again.json, "code"), "1234");
      assert.deepEqual(again.json, codes.json);
      assert.ok(!(await namesIn("Cellar")).includes("plums"));
      assert.ok((await namesIn("ATTIC")).includes("plums"));
      const labels = await server.request("GET", `${moved}/labels?${version}`);
      assert.equal(pick(pickList(labels.json, "value")[0], "id"), `${moved}/labels/front`);
      const changed = await write(server, moved, { size: 3 });
      assert.equal(changed.status, 200, changed.text);
      const after = await settledAt(server, moved);
      assert.equal(pick(after.json, "properties.serial"), pick(first.json, "properties.serial"));
      await server.request("DELETE", `${moved}?${version}`);
      await goneAt(server, moved);
      await goneAt(server, `${moved}/labels/front/words/one`);
    });

    it("is a creation for systemData", async () => {
      const [old, moved] = [jarIn("Cellar", "dated"), jarIn("Attic", "dated")];
      const first = await madeAt(server, old);
      const told = { createdBy: "mover", createdByType: "User", createdAt: "2026-05-05T00:00:00Z" };
      const path = `${groupId("Cellar")}/moveResources?${version}`;
      const body = { targetResourceGroup: groupId("Attic"), resources: [old] };
      const headers = { "x-ms-arm-resource-system-data": JSON.stringify(told) };
      const reply = await server.asManager("POST", path, body, headers);
      assert.equal(reply.status, 200, reply.text);
      const shown = await read(server, moved);
      assert.notEqual(pick(first.json, "systemData.createdBy"), "mover");
      assert.equal(pick(shown.json, "systemData.createdBy"), "mover");
      assert.equal(pick(shown.json, "systemData.createdAt"), told.createdAt);
    });

    it("leaves the old path to others, and can be taken back once it is free", async () => {
      const [here, there] = [jarIn("Cellar", "pears"), jarIn("Attic", "pears")];
      const first = await madeAt(server, here);
      assert.equal((await move({ from: "Cellar", to: "Attic", ids: [here] })).status, 200);
      const second = await madeAt(server, here);
      const serials = [first, second].map(({ json }) => pick(json, "properties.serial"));
      assert.notEqual(serials[0], serials[1]);
      assert.equal(pick((await read(server, there)).json, "properties.serial"), serials[0]);
      const taken = await move({ from: "Attic", to: "Cellar", ids: [there] });
      assert.equal(taken.status, 409, taken.text);
      assert.equal(codeOf(taken), "ResourceAlreadyExists");
      await server.request("DELETE", `${here}?${version}`);
      await goneAt(server, here);
      assert.equal((await move({ from: "Attic", to: "Cellar", ids: [there] })).status, 200);
      assert.equal(pick((await read(server, here)).json, "properties.serial"), serials[0]);
      assert.equal((await read(server, there)).status, 404);
    });

    it("that is refused changes nothing, of none of its resources", async () => {
      const [good, other] = [jarIn("Cellar", "good"), jarIn("Cellar", "other")];
      const [held, stone] = [jarIn("Cellar", "held"), inGroup("Cellar", "stones/stone")];
      const first = await madeAt(server, good);
      await madeAt(server, `${good}/labels/front`);
      await madeAt(server, other);
      await madeAt(server, jarIn("Attic", "other"));
      await madeAt(server, stone);
      assert.equal((await write(server, held, { mode: "held" })).status, 201);
      const stranger = groupId("Attic").replace(
        subscription,
        "99999999-2222-3333-4444-555555555555",
      );
      const many = Array.from({ length: 801 }, (_, at) => jarIn("Cellar", `jar${at}`));
      const cases: readonly (readonly [string, readonly unknown[], number, string])[] = [
        ["Attic", [good, other], 409, "ResourceAlreadyExists"],
        ["Attic", [good, held], 409, "AnotherOperationInProgress"],
        ["Attic", [good, stone], 409, "ResourceMoveNotSupported"],
        [stranger, [good], 409, "ResourceMoveNotSupported"],
        ["Attic", [good, jarIn("Cellar", "nobody")], 404, "ResourceNotFound"],
        ["Attic", [good, `${good}/labels/nobody`], 404, "ResourceNotFound"],
        ["Attic", [`${good}/labels/front`], 400, "InvalidRequestContent"],
        ["Attic", [good, jarIn("Attic", "other")], 400, "InvalidRequestContent"],
        ["Attic", many, 400, "InvalidRequestContent"],
        ["Attic", [], 400, "InvalidRequestContent"],
        ["Attic", [good, 3], 400, "InvalidRequestContent"],
        ["Attic", ["nonsense"], 400, "InvalidRequestContent"],
        ["cellar", [good], 400, "InvalidRequestContent"],
        ["/nonsense", [good], 400, "InvalidRequestContent"],
        ["Attic.", [good], 400, "InvalidResourceGroupName"],
      ];
      for (const [to, ids, status, code] of cases) {
        for (const verb of ["validateMoveResources", "moveResources"] as const) {
          const reply = await move({ from: "Cellar", to, ids, verb });
          assert.equal(reply.status, status, `${to}: ${reply.text}`);
          assert.equal(codeOf(reply), code, to);
        }
      }
      const isAsBefore = async (): Promise<void> => {
        const { json } = await read(server, good);
        assert.deepEqual(pick(json, "systemData"), pick(first.json, "systemData"));
      };
      await isAsBefore();
      assert.equal((await read(server, jarIn("Attic", "good"))).status, 404);
      const valid = { from: "Cellar", to: "Attic", ids: [good, `${good}/labels/front`] };
      const asked = await move({ ...valid, verb: "validateMoveResources" });
      assert.equal(asked.status, 204, asked.text);
      await isAsBefore();
      assert.equal((await move(valid)).status, 200);
      await server.request("DELETE", `${held}?${version}`);
    });

    it("takes ids as they are written, and no other resource for the one they name", async () => {
      const [short, long] = [jarIn("Cellar", "h"), jarIn("Cellar", "h%23b")];
      for (const id of [short, long]) await madeAt(server, id);
      for (const id of [`${short}?x=y`, `${short}/`, `${short}#c`, long]) {
        const reply = await move({ from: "Cellar", to: "Attic", ids: [id] });
        assert.ok(reply.status === 400 || reply.status === 404, `${id}: ${reply.text}`);
      }
      const reply = await move({ from: "Cellar", to: "Attic", ids: [jarIn("Cellar", "h#b")] });
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await read(server, short)).status, 200, "it was not named");
      assert.equal((await read(server, long)).status, 404);
      assert.equal((await read(server, jarIn("Attic", "h%23b"))).status, 200);
    });

    it("needs a role for each resource", async () => {
      const id = jarIn("Cellar", "guarded");
      await madeAt(server, id);
      const token = await tokenOf("mover");
      const namespace = `sub-${subscription}`;
      await allow("mover", namespace, { apiGroups: ["pantry.tests.dev"], verbs: ["get"] });
      const headers = { authorization: `Bearer ${token}` };
      const asked = { from: "Cellar", to: "Attic", ids: [id], headers };
      const held = jarIn("Cellar", "kept-secret");
      assert.equal((await write(server, held, { mode: "held" })).status, 201);
      await madeAt(server, jarIn("Attic", "guarded"));
      const missing = jarIn("Cellar", "no-such-jar");
      // What is there, and how it is, is no business of theirs.
      for (const ids of [[id], [held], [missing], [id, missing]]) {
        for (const verb of ["validateMoveResources", "moveResources"] as const) {
          const refused = await move({ ...asked, ids, verb });
          assert.equal(refused.status, 403, refused.text);
          assert.equal(codeOf(refused), "AuthorizationFailed");
        }
      }
      await server.request("DELETE", `${held}?${version}`);
      await server.request("DELETE", `${jarIn("Attic", "guarded")}?${version}`);
      await goneAt(server, jarIn("Attic", "guarded"));
      assert.equal((await read(server, id)).status, 200);
      await allow("mover", namespace, { apiGroups: ["pantry.tests.dev"], verbs: ["update"] });
      await waitUntil(
        "the role to count",
        async () => (await move(asked)).status === 200,
        patience,
      );
    });

    it("comes to the same when the request is repeated under its client request id", async () => {
      const [id, moved] = [jarIn("Cellar", "twice"), jarIn("Attic", "twice")];
      await madeAt(server, id);
      const headers = { "x-ms-client-request-id": "move-twice" };
      const asked = { from: "Cellar", to: "Attic", ids: [id] };
      assert.equal((await move({ ...asked, headers })).status, 200);
      const { json } = await read(server, moved);
      assert.equal((await move({ ...asked, headers })).status, 200);
      const again = await read(server, moved);
      assert.deepEqual(pick(again.json, "systemData"), pick(json, "systemData"));
      const other = await move({ ...asked, headers: { "x-ms-client-request-id": "another" } });
      assert.equal(other.status, 404, other.text);
      assert.equal((await move(asked)).status, 404);
    });

    it("takes along what is created inside at the same moment", async () => {
      const [old, moved] = [jarIn("Cellar", "busy"), jarIn("Attic", "busy")];
      await madeAt(server, old);
      const labels = Array.from({ length: 20 }, (_, at) => `/labels/label${at}`);
      const all = labels.map(async (label) => await write(server, `${old}${label}`, { text: "x" }));
      const moving = waitUntil(
        "the move",
        async () => {
          const reply = await move({ from: "Cellar", to: "Attic", ids: [old] });
          // A label that is being created holds it back.
          assert.ok(reply.status === 200 || reply.status === 409, reply.text);
          return reply.status === 200;
        },
        patience,
      );
      const replies = await Promise.all(all);
      await moving;
      for (const [at, { status, text }] of replies.entries()) {
        assert.ok(status === 201 || status === 404, text);
        const inside = await read(server, `${moved}${labels[at]}`);
        assert.equal(inside.status, status === 201 ? 200 : 404, inside.text);
        assert.equal((await read(server, `${old}${labels[at]}`)).status, 404);
      }
    });

    it("and a creation that come to the same path at once leave one resource there", async () => {
      const names = Array.from({ length: 24 }, (_, at) => `rival${at}`);
      await Promise.all(names.map((name) => madeAt(server, jarIn("Loft", name), { size: 1 })));
      const rivals = names.map(async (name) => {
        const to = jarIn("Shed", name);
        const moving = move({ from: "Loft", to: "Shed", ids: [jarIn("Loft", name)] });
        const [moved, made] = await Promise.all([moving, write(server, to, { size: 2 })]);
        assert.ok([200, 409].includes(moved.status), moved.text);
        assert.ok([200, 201, 409].includes(made.status), made.text);
        // Whoever came second changed what was there, or was refused.
        const stayed = (await read(server, jarIn("Loft", name))).status === 200;
        assert.equal(stayed, moved.status === 409, moved.text);
        assert.equal(made.status === 201, moved.status === 409, made.text);
      });
      await Promise.all(rivals);
      const there = (await namesIn("Shed")).map(String);
      assert.deepEqual(there.toSorted(), names.toSorted());
    });

    it("is one commit, however much is inside", async () => {
      const [old, moved] = [jarIn("Store", "full"), jarIn("Shop", "full")];
      await madeAt(server, old);
      const labels = Array.from({ length: 60 }, (_, at) => `${old}/labels/label${at}`);
      for (let at = 0; at < labels.length; at += 20) {
        const some = labels.slice(at, at + 20);
        await Promise.all(some.map((label) => write(server, label, { text: "x" })));
      }
      for (const label of labels) await settledAt(server, label);
      const reply = await move({ from: "Store", to: "Shop", ids: [old] });
      assert.equal(reply.status, 200, reply.text);
      const { json } = await server.request("GET", `${moved}/labels?$top=1000&${version}`);
      const ids = pickList(json, "value").map((each) => pickText(each, "id"));
      assert.equal(ids.length, labels.length);
      assert.ok(ids.every((id) => id.startsWith(`${moved}/`)));
    });
  },
  ["pantry"],
);

async function tokenOf(name: string): Promise<string> {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  assert.equal((await server.request("POST", accounts, account)).status, 201);
  const asked = await server.request("POST", `${accounts}/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3_600 },
  });
  const roles = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: ["arm.setpoint.dev"], resources: ["subscriptions"], verbs: ["get"] }];
  const subjects = [{ kind: "ServiceAccount", name, namespace: "default" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  await server.request("POST", `${roles}/clusterroles`, { metadata: { name }, rules });
  const binding = { metadata: { name }, subjects, roleRef };
  await server.request("POST", `${roles}/clusterrolebindings`, binding);
  return pickText(asked.json, "status.token");
}

async function allow(user: string, namespace: string, rule: object): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const subjects = [{ kind: "ServiceAccount", name: user, namespace: "default" }];
  const made = await server.request("POST", `${rbac}/roles`, {
    metadata: { generateName: `${user}-` },
    rules: [{ resources: ["*"], ...rule }],
  });
  const name = pickText(made.json, "metadata.name");
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const bound = await server.request("POST", `${rbac}/rolebindings`, {
    metadata: { name },
    subjects,
    roleRef,
  });
  assert.equal(bound.status, 201, bound.text);
}
