import assert from "node:assert/strict";
import { test } from "node:test";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import type { ApiClient } from "./api-client.ts";
import { findKind, pathTo } from "./find-kind.ts";
import { findResource } from "./resource-argument.ts";

function resource(plural: string, kind: string, scope: string, ...shortNames: string[]): Json {
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope,
    singularResource: kind.toLowerCase(),
    verbs: ["get", "list"],
    shortNames,
  };
}

function group(name: string, version: string, ...resources: Json[]): Json {
  return { metadata: { name }, versions: [{ version, resources }] };
}

const review = { ...(resource("reviews", "Review", "Cluster") as object), verbs: ["create"] };
const answers: Readonly<Record<string, Json>> = {
  "/api": { items: [group("", "v1", resource("services", "Service", "Namespaced", "svc"))] },
  "/apis": {
    items: [
      group("example.com", "v2", resource("databases", "Database", "Namespaced", "db")),
      group("net.example", "v1", resource("services", "Service", "Cluster"), review),
      group("broken", "v1", "nonsense", {}),
    ],
  },
};

const client: ApiClient = {
  namespace: "team",
  get: async (path) => answers[path] ?? null,
  patch: async () => null,
  post: async () => null,
  delete: () => Promise.reject(new Error("nothing is deleted")),
  lines: () => {
    throw new Error("nothing is streamed");
  },
};

test("a kind is found by all its names, with or without its group", async () => {
  const texts = ["databases", "database", "Database", "db", "databases.example.com"];
  for (const text of [...texts, "db.example.com", "databases.v2.example.com"]) {
    const found = await findKind(client, text);
    assert.equal(
      pathTo(found, "team", "orders"),
      "/apis/example.com/v2/namespaces/team/databases/orders",
    );
  }
});

test("of two with one name the server's first counts, and the group decides", async () => {
  assert.equal(pathTo(await findKind(client, "svc"), "n", "a"), "/api/v1/namespaces/n/services/a");
  const other = await findKind(client, "services.net.example");
  assert.equal(pathTo(other, "n", "a/b"), "/apis/net.example/v1/services/a%2Fb");
});

test("a kind that is not there may be one of an unusable module", async () => {
  const reason = "the module figs.ts cannot be loaded (line 1): not today";
  const answering = (operations: () => Promise<Json>): ApiClient => ({
    ...client,
    get: async (path) =>
      path.startsWith("/operations") ? await operations() : (answers[path] ?? null),
  });
  const broken = answering(async () => ({ unusableModules: [reason] }));
  await assert.rejects(findKind(broken, "fig"), (error: SetpointError) => {
    const may = "it may be a kind of a module that is not usable";
    assert.equal(error.message, `the server has no kind "fig"; ${may}: ${reason}`);
    assert.match(error.suggestion ?? "", /setpoint doctor --module FILE/);
    return true;
  });
  const refusing = answering(() => Promise.reject(new SetpointError("request.forbidden", "no")));
  await assert.rejects(findKind(refusing, "fig"), { message: 'the server has no kind "fig"' });
});

test("a kind that is not there is named in the error", async () => {
  for (const text of ["nothing", "reviews", "databases.example.org", ""]) {
    await assert.rejects(
      findKind(client, text),
      (error) =>
        isSetpointError(error, "resource.not_found") &&
        error.message.includes(JSON.stringify(text)),
    );
  }
});

test("a resource is KIND/NAME or KIND NAME", async () => {
  const path = "/apis/example.com/v2/namespaces/team/databases/orders";
  assert.equal((await findResource(client, ["db/orders"], undefined)).path, path);
  assert.equal((await findResource(client, ["db", "orders"], undefined)).path, path);
  const other = await findResource(client, ["db/orders"], "other");
  assert.equal(other.path, path.replace("team", "other"));
  for (const words of [["db"], ["db/"], ["/orders"], ["db/a/b"], ["db", "a", "b"]]) {
    await assert.rejects(findResource(client, words, undefined), (error) =>
      isSetpointError(error, "config.invalid"),
    );
  }
});
