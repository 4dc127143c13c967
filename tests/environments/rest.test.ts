// The REST API of environments against a real server on each store: documents, ids, tags, pages,
// preconditions, idempotency, rights and invalid requests.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { onEachStore } from "../kube/stores.ts";
import { waitUntil } from "../peers/wait.ts";
import { as } from "../rest/databases.ts";

const secret = "sentinel-4711-must-not-be-shown";

onEachStore("the REST API of environments", (server) => {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: RequestHeaders = {},
  ): Promise<Reply> => server().request(method, `/api/v1/${path}`, body, headers);

  const template = (id: string, version: number): unknown => ({
    id: `${id}.v${version}`,
    spec: {
      id,
      version,
      name: "Shop",
      tags: { team: "payments" },
      source: { commit: "0123456789abcdef0123456789abcdef01234567" },
      parameters: {
        size: { type: "integer", default: 1 },
        token: { type: "string", secret: true },
      },
      resources: [
        {
          key: "settings",
          template: {
            apiVersion: "v1",
            kind: "ConfigMap",
            data: { size: "${string(parameters.size)}" },
          },
          readyWhen: "true",
        },
      ],
    },
  });

  const json = { "content-type": "application/json" };

  before(async () => {
    for (const name of ["team", "other"]) {
      await server().request("POST", "/api/v1/namespaces", { metadata: { name } });
    }
    const created = await send("POST", "templates?namespace=team", template("shop", 1));
    assert.equal(created.status, 201, created.text);
  });

  const makeEnvironment = async (body: unknown): Promise<Reply> => {
    const reply = await send("POST", "environments?namespace=team", body);
    assert.equal(reply.status, 201, reply.text);
    return reply;
  };

  it("issues an id for an environment without one, and returns its document", async () => {
    const spec = {
      displayName: "Preview",
      description: "Of one branch",
      tags: { team: "payments", stage: "test" },
      templates: ["shop.v1"],
      entryPoints: [{ name: "web", url: "https://preview.example" }],
      statusEndpoints: [{ name: "web", url: "https://preview.example/health" }],
    };
    const reply = await makeEnvironment({ spec });
    const id = pickText(reply.json, "id");
    assert.match(id, /^environment-[a-z0-9]{5}$/);
    const read = await send("GET", `environments/${id}?namespace=team`);
    assert.equal(read.status, 200);
    assert.equal(read.headers.etag, `"${String(pick(read.json, "revision"))}"`);
    for (const [field, value] of Object.entries(spec)) {
      assert.deepEqual(pick(read.json, `spec.${field}`), value, field);
    }
  });

  it("does not return secret parameters", async () => {
    const spec = { templates: ["shop.v1"], secretParameters: { token: secret } };
    const reply = await makeEnvironment({ id: "hidden", spec });
    const read = await send("GET", "environments/hidden?namespace=team");
    const list = await send("GET", "environments?namespace=team");
    for (const { text } of [reply, read, list]) assert.ok(!text.includes(secret));
  });

  it("filters by tags, and shows one snapshot in all pages", async () => {
    for (const id of ["page-a", "page-b", "page-c"]) {
      await makeEnvironment({ id, spec: { templates: ["shop.v1"], tags: { set: "pages" } } });
    }
    const query = "environments?namespace=team&tags=set=pages";
    const ids = ({ json: page }: Reply): readonly string[] =>
      pickList(page, "items").map((item) => pickText(item, "id"));
    assert.deepEqual(ids(await send("GET", query)), ["page-a", "page-b", "page-c"]);
    const found: string[] = [];
    let cursor = "";
    for (let pages = 0; pages < 20; pages++) {
      const page = await send("GET", `${query}&limit=2${cursor}`);
      assert.equal(page.status, 200, page.text);
      found.push(...ids(page));
      await makeEnvironment({
        id: `page-b${pages}`,
        spec: { templates: ["shop.v1"], tags: { set: "pages" } },
      });
      if (pick(page.json, "next") === undefined) break;
      cursor = `&cursor=${pickText(page.json, "next")}`;
    }
    assert.deepEqual(found, ["page-a", "page-b", "page-c"]);
    const bad = await send("GET", "environments?namespace=team&tags=pages");
    assert.equal(bad.status, 400);
    assert.match(bad.text, /NAME=VALUE/);
  });

  describe("a change", () => {
    before(async () => {
      await makeEnvironment({ id: "changing", spec: { templates: ["shop.v1"] } });
    });

    it("needs If-Match when it replaces the spec, and the current ETag", async () => {
      const path = "environments/changing?namespace=team";
      const body = { spec: { templates: ["shop.v1"], description: "new" } };
      const blind = await send("PUT", path, body, json);
      assert.equal(blind.status, 428, blind.text);
      assert.equal(pickText(blind.json, "code"), "precondition.required");
      // The reconciler writes the status meanwhile, and each write has another ETag.
      const etag = await waitUntil("a change of the version that was read", async () => {
        const { headers } = await send("GET", path);
        const known = headers.etag ?? "";
        const reply = await send("PUT", path, body, { ...json, "if-match": known });
        if (reply.status === 412) return undefined;
        assert.equal(reply.status, 200, reply.text);
        return known;
      });
      const stale = await send("PUT", path, body, { ...json, "if-match": etag });
      assert.equal(stale.status, 412, stale.text);
      assert.equal(pickText((await send("GET", path)).json, "spec.description"), "new");
    });

    it("merges a patch, and a null removes a field", async () => {
      const path = "environments/changing?namespace=team";
      const patch = { spec: { description: null, tags: { a: "b" } } };
      const reply = await send("PATCH", path, patch, json);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(pick(reply.json, "spec.description"), undefined);
      assert.deepEqual(pick(reply.json, "spec.tags"), { a: "b" });
    });
  });

  it("answers a repeated creation with the same document", async () => {
    const body = { spec: { templates: ["shop.v1"] } };
    const headers = { "idempotency-key": "create-once" };
    const first = await send("POST", "environments?namespace=team", body, headers);
    const again = await send("POST", "environments?namespace=team", body, headers);
    assert.equal(first.status, 201, first.text);
    assert.equal(pickText(again.json, "id"), pickText(first.json, "id"));
    const other = { spec: { templates: ["shop.v1"], description: "another" } };
    const refused = await send("POST", "environments?namespace=team", other, headers);
    assert.equal(refused.status, 422, refused.text);
  });

  it("refuses unknown fields, wrong types and wrong media types, and stores nothing", async () => {
    const path = "environments?namespace=team";
    const cases: readonly [unknown, Readonly<Record<string, string>>, number, RegExp][] = [
      [{ id: "bad", spec: { templates: ["shop.v1"], colour: "red" } }, {}, 400, /colour/],
      [{ id: "bad", spec: { templates: "shop.v1" } }, {}, 400, /spec\.templates/],
      [{ id: "bad" }, {}, 400, /spec/],
      ['{"spec":{}}{"spec":{}}', json, 400, /body/],
      ["id: bad", { "content-type": "application/yaml" }, 415, /application\/json/],
    ];
    for (const [body, headers, status, text] of cases) {
      const reply = await send("POST", path, body, headers);
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.text, text);
      assert.equal(reply.headers["content-type"], "application/problem+json");
    }
    assert.equal((await send("GET", "environments/bad?namespace=team")).status, 404);
  });

  it("keeps versions of a template, and refuses to change one", async () => {
    const second = await send("POST", "templates?namespace=team", template("shop", 2));
    assert.equal(second.status, 201, second.text);
    const list = await send("GET", "templates?namespace=team&id=shop");
    const versions = pickList(list.json, "items").map((item) => pick(item, "spec.version"));
    assert.deepEqual(versions, [1, 2]);
    const kube = "/apis/environments.setpoint.dev/v1/namespaces/team/templates/shop.v1";
    const changed = await server().request("PATCH", kube, { spec: { name: "Other" } });
    assert.equal(changed.status, 422, changed.text);
    assert.match(changed.text, /spec/);
  });

  it("follows the rights of the caller", async () => {
    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings";
    const bound = await server().request("POST", bindings, {
      metadata: { name: "readers" },
      subjects: [{ kind: "User", name: "reader", apiGroup: "rbac.authorization.k8s.io" }],
      roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.k8s.io" },
    });
    assert.equal(bound.status, 201, bound.text);
    const get = (path: string): Promise<Reply> => send("GET", path, undefined, as("reader"));
    assert.equal((await get("environments/changing?namespace=team")).status, 200);
    assert.equal((await get("environments?namespace=other")).status, 403);
    const body = { spec: { templates: ["shop.v1"] } };
    const written = await send("POST", "environments?namespace=team", body, as("reader"));
    assert.equal(written.status, 403, written.text);
    const anonymous = await send("GET", "environments?namespace=team", undefined, {
      authorization: "",
    });
    assert.equal(anonymous.status, 401);
  });
});
