// Requests to the Resource Manager surface of a real server: who may ask, under which ids, with
// which bodies; subscriptions, lists, and what a provider says about itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { text as readText } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, oven, ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { giveRole, newUser, userWith } from "./users.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("a request", () => {
  it("has an id of its own, a date, and its own id again where it asks for that", async () => {
    const headers = { "x-ms-client-request-id": "mine", "x-ms-return-client-request-id": "True" };
    const one = await server.get("none", headers);
    const two = await server.get("none", { "x-ms-client-request-id": "mine" });
    assert.match(String(one.headers["x-ms-request-id"]), uuid);
    assert.notEqual(one.headers["x-ms-request-id"], two.headers["x-ms-request-id"]);
    assert.equal(one.headers["x-ms-client-request-id"], "mine");
    assert.equal(two.headers["x-ms-client-request-id"], undefined);
    assert.ok(!Number.isNaN(Date.parse(String(one.headers.date))));
    assert.match(String(one.headers["content-type"]), /^application\/json/);
  });

  it("without credentials is refused before its body is read", async () => {
    const body = "x".repeat(2_000_000);
    for (const [authorization, message] of [
      ["", "The request has no credentials."],
      [
        "Bearer wrong",
        "The credentials are not valid: malformed token: it is neither a JWT nor a known token.",
      ],
    ] as const) {
      const reply = await server.request("PUT", oven("x"), body, {
        authorization,
        "content-type": "text/plain",
      });
      assert.equal(reply.status, 401, reply.text);
      assert.equal(codeOf(reply), "AuthenticationFailed");
      assert.equal(pickText(reply.json, "error.message"), message);
      assert.match(String(reply.headers["x-ms-request-id"]), uuid);
    }
  });

  it("of a user needs a role on the kind in the namespace of the subscription", async () => {
    const viewer = await newUser(server, "viewer");
    const refused = await server.get("x", viewer);
    assert.equal(refused.status, 403, refused.text);
    assert.equal(codeOf(refused), "AuthorizationFailed");
    const message = pickText(refused.json, "error.message");
    assert.match(message, /^The user 'system:serviceaccount:default:viewer' may not GET '\/sub/);
    assert.ok(
      message.includes("/ovens/x'. A role must allow the verb 'get' on 'ovens' of"),
      message,
    );
    assert.match(message, /the API group 'bakery.tests.dev' in the namespace 'sub-.*, named 'x-/);
    await giveRole(server, "viewer", [{ ...onOvens, verbs: ["get"] }]);
    assert.equal((await server.get("x", viewer)).status, 404);
    assert.equal((await server.put("x", {}, {}, viewer)).status, 403);
    // Nobody acts for others here.
    const acting = { ...viewer, "impersonate-user": "viewer" };
    assert.equal((await server.get("x", acting)).status, 404);
  });

  it("with a body that cannot be read is refused in the right words", async () => {
    const json = { "content-type": "application/json" };
    const cases: readonly (readonly [string, Readonly<Record<string, string>>, number, string])[] =
      [
        ["{", json, 400, "InvalidRequestContent"],
        ["", json, 400, "InvalidRequestContent"],
        ["[]", json, 400, "InvalidRequestContent"],
        ["null", json, 400, "InvalidRequestContent"],
        ["3", json, 400, "InvalidRequestContent"],
        [`{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`, json, 400, "InvalidRequestContent"],
        ['{"properties":{"size":1,"size":2}}', json, 400, "InvalidRequestContent"],
        ['{"properties":[]}', json, 400, "MultipleErrorsOccurred"],
        ["a: b", { "content-type": "application/yaml" }, 415, "UnsupportedMediaType"],
        ["{}", { "content-type": "nonsense" }, 415, "UnsupportedMediaType"],
        [`{"x":"${"y".repeat(1_048_576)}"}`, json, 413, "RequestContentTooLarge"],
      ];
    for (const [body, headers, status, code] of cases) {
      const reply = await server.request("PUT", oven("unread"), body, headers);
      assert.equal(reply.status, status, `${body.slice(0, 40)}: ${reply.text}`);
      assert.equal(codeOf(reply), code, body.slice(0, 40));
      const message = pickText(reply.json, "error.message");
      assert.match(message, /^[A-Z].*\.$/s);
      assert.ok(!message.includes('"'), message);
    }
    assert.equal((await server.get("unread")).status, 404);
  });
  it("to a host that is none is refused before anything is changed", async () => {
    const list = `${ovens}?$top=1&${version}`;
    const odd = ["%%%", "a b", "[::1", "x:99999", "a/../b?c#d", "evil.example/x?y="];
    for (const host of odd) {
      for (const [method, path, body] of [
        ["GET", list, ""],
        ["PUT", oven("hosted"), '{"location":"westeurope"}'],
      ] as const) {
        const reply = await requestTo(host, method, path, body);
        assert.equal(reply.status, 400, `${method} ${host}: ${reply.text}`);
        assert.match(reply.text, /"code":"InvalidHeaderValue".*"target":"Host"/);
      }
    }
    assert.equal((await server.get("hosted")).status, 404);
    for (const host of ["oven_1.example", "10.0.0.1:7443", "[::1]:443"]) {
      const reply = await requestTo(host, "GET", list, "");
      assert.equal(reply.status, 200, `${host}: ${reply.text}`);
    }
  });
});

/** With any text as its host. */
async function requestTo(
  host: string,
  method: string,
  path: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(server.url);
  const authorization = `Bearer ${server.token}`;
  const sending = httpsRequest({
    hostname,
    port,
    method,
    path,
    ca: server.ca,
    servername: "localhost",
    agent: false,
    headers: { host, authorization, "content-type": "application/json" },
  });
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await readText(response) };
}

describe("the resource manager", () => {
  it("is told by its certificate, and believed in what only it may say", async () => {
    const systemData = { createdBy: "customer-1", createdByType: "User" };
    const headers = {
      referer: "https://management.example.com/subscriptions/x?y=z",
      "x-ms-arm-resource-system-data": JSON.stringify(systemData),
    };
    const body = { location: "westeurope", properties: { size: 1 } };
    const made = await server.asManager("PUT", oven("managed"), body, headers);
    assert.equal(made.status, 201, made.text);
    const url = String(made.headers["azure-asyncoperation"]);
    assert.ok(url.startsWith("https://management.example.com/subscriptions/"), url);
    assert.equal(pick(made.json, "systemData.createdBy"), "customer-1");
    assert.equal(pick(made.json, "systemData.lastModifiedByType"), "User");
    await server.settled("managed");
    const put = await server.put("managed", { size: 2 }, {}, headers);
    assert.ok(String(put.headers["azure-asyncoperation"]).startsWith(server.url));
    assert.equal(pick(put.json, "systemData.createdBy"), "customer-1");
    assert.notEqual(pick(put.json, "systemData.lastModifiedBy"), "customer-1");
    const refused = await server.put("managed", { size: 1_000 });
    assert.notEqual(refused.status, 200);
    const shown = await server.settled("managed");
    assert.deepEqual(pick(shown.json, "systemData"), pick(put.json, "systemData"));
  });

  it("does not see the versions that are for operators", async () => {
    const hidden = await server.asManager("GET", forOperators("managed"));
    assert.equal(hidden.status, 400, hidden.text);
    assert.deepEqual(hidden.json, unknownVersion);
    assert.equal((await server.request("GET", forOperators("managed"))).status, 200);
  });
});

const onOvens = { apiGroups: ["bakery.tests.dev"], resources: ["ovens"] };
const operatorsVersion = "2026-01-01-preview";

function forOperators(path: string): string {
  return `${ovens}/${path}?api-version=${operatorsVersion}`;
}

/** What is told of a version that there is not. */
const unknownVersion = {
  error: {
    code: "InvalidApiVersionParameter",
    message:
      `The api-version '${operatorsVersion}' is invalid for the type 'Example.Bakery/ovens'; ` +
      "the supported versions are '2026-01-01, 2026-02-01'.",
  },
};

describe("an operator", () => {
  it("alone learns that there are versions for operators", async () => {
    await server.made("hidden", { size: 1 });
    const every = ["get", "list", "create", "update", "patch", "delete"];
    const resources = ["ovens", "ovens/listcodes"];
    const customer = await userWith(server, "customer-1", [
      { ...onOvens, resources, verbs: every },
    ]);
    const admin = { ...onOvens, resources: ["ovens/admin"], verbs: ["get"] };
    const reader = await userWith(server, "reader", [admin]);
    const body = { location: "westeurope", properties: { size: 2 } };
    const json = { "content-type": "application/json" };
    for (const [method, path] of [
      ["GET", "hidden"],
      ["PUT", "hidden"],
      ["PATCH", "hidden"],
      ["DELETE", "hidden"],
      ["POST", "hidden/listCodes"],
      ["GET", ""],
    ] as const) {
      const sent = method === "GET" ? undefined : body;
      const url = forOperators(path).replace("/?", "?");
      const told = await server.request(method, url, sent, { ...json, ...customer });
      assert.equal(told.status, 400, `${method}: ${told.text}`);
      assert.deepEqual(told.json, unknownVersion);
      if (method === "GET") continue;
      // Who may see it is told which verb is missing.
      const missing = await server.request(method, url, sent, { ...json, ...reader });
      assert.equal(missing.status, 403, `${method}: ${missing.text}`);
      assert.match(pickText(missing.json, "error.message"), /'ovens\/admin'/);
    }
    const shown = await server.request("GET", forOperators("hidden"), undefined, reader);
    assert.equal(shown.status, 200, shown.text);
  });

  it("changes a resource without being told as the one who changed it", async () => {
    const systemData = { createdBy: "customer-1", createdByType: "User" };
    const headers = { "x-ms-arm-resource-system-data": JSON.stringify(systemData) };
    const body = { location: "westeurope", properties: { size: 1 } };
    const made = await server.asManager("PUT", oven("tended"), body, headers);
    assert.equal(made.status, 201, made.text);
    const old = await server.settled("tended");
    const path = forOperators("tended");
    const changed = await server.request("PATCH", path, { properties: { size: 2 } });
    assert.equal(changed.status, 202, changed.text);
    const now = await server.settled("tended");
    assert.equal(pick(now.json, "properties.size"), 2);
    assert.deepEqual(pick(now.json, "systemData"), pick(old.json, "systemData"));
  });
});

describe("a subscription", () => {
  const other = "22222222-2222-3333-4444-555555555555";
  const place = `/subscriptions/${other}?api-version=2.0`;
  const inOther = ovens.replace(subscription, other);
  const body = { location: "eastus", properties: { size: 1 } };

  const state = async (name: string): Promise<Reply> =>
    await server.request("PUT", place, { state: name, unknown: { kept: [1] } });

  it("is told in any order of states, with fields that nobody knows", async () => {
    for (const name of ["Unregistered", "Registered", "Registered", "Deleted", "Registered"]) {
      const reply = await state(name);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.json, { state: name, unknown: { kept: [1] } });
    }
    const bad = await state("Happy");
    assert.equal(bad.status, 400);
    assert.equal(pick(bad.json, "error.target"), "state");
    const version3 = await server.request("PUT", place.replace("2.0", "3.0"), { state: "Warned" });
    assert.equal(version3.status, 400);
  });

  it("lets pass what its state allows", async () => {
    const ask = async (method: string, name: string, sent?: object): Promise<Reply> => {
      const headers = { "content-type": "application/json" };
      return await server.request(method, `${inOther}/${name}?${version}`, sent, headers);
    };
    const names = ["Warned", "Suspended", "Unregistered", "Deleted"];
    // Whose removal takes its time, so that there is something to ask for in each state.
    const held = { ...body, properties: { mode: "held" } };
    for (const name of [...names, "kept"]) {
      assert.equal((await ask("PUT", name, held)).status, 201);
      await waitUntil(`${name} to be made`, async () => {
        const { json } = await ask("GET", name);
        return pick(json, "properties.provisioningState") === "Succeeded";
      });
    }
    assert.equal((await ask("PATCH", "kept", { tags: { a: "b" } })).status, 200);
    for (const name of names) {
      await state(name);
      for (const refused of [
        await ask("PUT", "another", body),
        await ask("PUT", name, body),
        await ask("PATCH", name, { tags: { a: "b" } }),
        await ask("POST", `${name}/listCodes`),
        ...(name === "Unregistered" || name === "Deleted" ? [await ask("DELETE", name)] : []),
      ]) {
        assert.equal(refused.status, 400, refused.text);
        assert.equal(codeOf(refused), "InvalidSubscriptionState");
      }
      const one = await ask("GET", "kept");
      assert.equal(one.status, 200, one.text);
      assert.equal(pick(one.json, "name"), "kept");
      const list = await server.request("GET", `${inOther}?${version}`);
      assert.ok(pickList(list.json, "value").some((each) => pick(each, "name") === "kept"));
      if (name === "Unregistered" || name === "Deleted") continue;
      assert.equal((await ask("DELETE", name)).status, 202);
    }
    await state("Registered");
  });

  it("whose namespace somebody deleted is not known until it is told of again", async () => {
    const lost = "44444444-2222-3333-4444-555555555555";
    const told = `/subscriptions/${lost}?api-version=2.0`;
    const one = `${ovens.replace(subscription, lost)}/one?${version}`;
    const registered = { state: "Registered" };
    assert.equal((await server.request("PUT", told, registered)).status, 200);
    await server.request("DELETE", `/api/v1/namespaces/sub-${lost}`);
    await waitUntil("the namespace to be gone", async () => {
      const { status } = await server.request("GET", told);
      return status === 404;
    });
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const headers = { "content-type": "application/json" };
      const reply = await server.request(method, one, body, headers);
      assert.equal(reply.status, 404, reply.text);
      assert.equal(codeOf(reply), "SubscriptionNotFound");
    }
    assert.equal((await server.request("PUT", told, registered)).status, 200);
    assert.equal((await server.request("PUT", one, body)).status, 201);
  });

  it("that is deleted takes its resources along", async () => {
    const path = `${inOther}/along?${version}`;
    assert.equal((await server.request("PUT", path, body)).status, 201);
    const recipe = `${inOther}/along/recipes/bread?${version}`;
    assert.equal((await server.request("PUT", recipe, { properties: {} })).status, 201);
    const left = async (): Promise<readonly unknown[]> => {
      const reply = await server.request("GET", `${inOther}?${version}`);
      return pickList(reply.json, "value").map((each) => pick(each, "name"));
    };
    assert.ok((await left()).includes("along"));
    await state("Deleted");
    const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${other}/ovens`;
    for (const item of pickList((await server.request("GET", kube)).json, "items")) {
      const metadata = { annotations: { "tests.dev/go": "true" } };
      await server.request("PATCH", `${kube}/${pickText(item, "metadata.name")}`, { metadata });
    }
    await waitUntil("its resources to be gone", async () => (await left()).length === 0);
    for (const gone of [path, recipe]) {
      assert.equal((await server.request("GET", gone)).status, 404);
    }
  });

  it("that nobody told of has no resources, and takes none", async () => {
    const unknown = ovens.replace(subscription, "33333333-2222-3333-4444-555555555555");
    const listed = await server.request("GET", `${unknown}?${version}`);
    assert.equal(listed.status, 200);
    assert.deepEqual(listed.json, { value: [] });
    assert.equal((await server.request("GET", `${unknown}/x?${version}`)).status, 404);
    const put = await server.request("PUT", `${unknown}/x?${version}`, body);
    assert.equal(put.status, 404);
    assert.equal(codeOf(put), "SubscriptionNotFound");
  });
});

describe("a list", () => {
  it("goes in pages by nextLink, of a group and of the subscription", async () => {
    const pages = ovens.replace("Bread", "Pages");
    const names = ["p1", "p2", "p3", "p4", "p5"];
    for (const name of names) {
      const body = { location: "eastus", properties: {} };
      const made = await server.request("PUT", `${pages}/${name}?${version}`, body);
      assert.equal(made.status, 201, made.text);
    }
    const seen = new Set<unknown>();
    let next: string | undefined = `${pages}?${version}&$top=2&$filter=x%20eq%20'a?y'&z=1`;
    let count = 0;
    while (next !== undefined) {
      const page: Reply = await server.request("GET", next);
      assert.equal(page.status, 200, page.text);
      for (const each of pickList(page.json, "value")) seen.add(pick(each, "name"));
      const link: unknown = pick(page.json, "nextLink");
      if (link !== undefined) assert.match(pickText(page.json, "nextLink"), /filter=x.*y.*&z=1/);
      next = typeof link === "string" ? link.slice(server.url.length) : undefined;
      count += 1;
    }
    assert.deepEqual(seen, new Set(names));
    assert.ok(count >= 3);
    const all = `/subscriptions/${subscription}/providers/Example.Bakery/ovens?${version}`;
    const whole = await server.request("GET", all);
    const found = new Set(pickList(whole.json, "value").map((each) => pick(each, "name")));
    assert.ok(names.every((name) => found.has(name)));
    assert.equal(pick(whole.json, "nextLink"), undefined);
  });

  it("goes on by the tokens that it has given out, and by none that somebody made", async () => {
    const other = "77777777-2222-3333-4444-555555555555";
    const told = { state: "Registered" };
    await server.request("PUT", `/subscriptions/${other}?api-version=2.0`, told);
    const body = { location: "eastus", properties: {} };
    const listed = ovens.replace("Bread", "Tokens");
    for (const name of ["t1", "t2", "t3"]) {
      const made = await server.request("PUT", `${listed}/${name}?${version}`, body);
      assert.equal(made.status, 201, made.text);
    }
    const first = await server.request("GET", `${listed}?${version}&$top=1`);
    const [, token = ""] = /\$skipToken=([\w-]+)/.exec(pickText(first.json, "nextLink")) ?? [];
    const next = `${version}&$skipToken=${token}`;
    assert.equal((await server.request("GET", `${listed}?${next}&$top=2`)).status, 200);
    const whole = `/subscriptions/${subscription}/providers/Example.Bakery/ovens`;
    const forged = Buffer.from(
      JSON.stringify({ kind: "ovens.bakery.tests.dev", revision: 1, name: "0" }),
    ).toString("base64url");
    const wrong = [
      `${listed.replace(subscription, other)}?${next}`,
      `${listed.replace("Tokens", "Bread")}?${next}`,
      `${whole}?${next}`,
      `${listed}?${version}&$skipToken=${forged}`,
    ];
    for (const path of wrong) {
      const reply = await server.request("GET", path);
      assert.equal(reply.status, 400, `${path}: ${reply.text}`);
      assert.equal(codeOf(reply), "InvalidSkipToken");
    }
  });

  it("refuses tokens and page sizes that are none", async () => {
    for (const query of ["$top=0", "$top=x", "$skipToken=abc", "$skipToken=e30", "$skiptoken="]) {
      const reply = await server.request("GET", `${ovens}?${version}&${query}`);
      assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    }
  });
});

describe("a provider", () => {
  it("lists its operations, the registration among them", async () => {
    const reply = await server.request("GET", `/providers/example.bakery/operations?${version}`);
    assert.equal(reply.status, 200, reply.text);
    const names = new Set(pickList(reply.json, "value").map((each) => pick(each, "name")));
    assert.ok(names.has("Example.Bakery/register/action"));
    assert.ok(names.has("Example.Bakery/ovens/write"));
    assert.ok(names.has("Example.Bakery/ovens/listCodes/action"));
    for (const each of pickList(reply.json, "value")) {
      assert.equal(pick(each, "isDataAction"), false);
      assert.equal(pick(each, "display.provider"), "Example.Bakery");
    }
  });

  it("tells whether a name is free", async () => {
    await server.made("taken", {});
    const base = `/subscriptions/${subscription}/providers/Example.Bakery`;
    const ask = (name: string): Promise<Reply> =>
      server.request("POST", `${base}/checkNameAvailability?${version}`, {
        name,
        type: "Example.Bakery/ovens",
      });
    assert.deepEqual((await ask("free")).json, { nameAvailable: true });
    assert.equal(pick((await ask("TAKEN")).json, "reason"), "AlreadyExists");
    for (const name of ["", "a/b", "a\u0000b", "a\nb", ".", "..", "a.", "x".repeat(261)]) {
      assert.equal(pick((await ask(name)).json, "reason"), "Invalid", JSON.stringify(name));
    }
    const body = { name: "free", type: "Example.Bakery/ovens" };
    const there = (where: string): Promise<Reply> =>
      server.request("POST", `${base}/locations/${where}/checkNameAvailability?${version}`, body);
    assert.deepEqual((await there("westeurope")).json, { nameAvailable: true });
    const mars = await there("mars");
    assert.equal(mars.status, 400, mars.text);
    assert.equal(codeOf(mars), "LocationNotAvailableForResourceType");
  });

  it("refuses requests without an api-version, or with one that there is not", async () => {
    const base = `/subscriptions/${subscription}/providers/Example.Bakery`;
    const group = `/subscriptions/${subscription}/resourceGroups/Bread`;
    const body = { name: "free", type: "Example.Bakery/ovens", resources: [] };
    for (const [method, path] of [
      ["GET", "/providers/Example.Bakery/operations"],
      ["POST", `${base}/checkNameAvailability`],
      ["POST", `${base}/locations/eastus/checkNameAvailability`],
      ["POST", `${base}/deployments/d/preflight`],
      ["POST", `${group}/moveResources`],
      ["POST", `${group}/validateMoveResources`],
    ] as const) {
      const sent = method === "POST" ? body : undefined;
      const none = await server.request(method, path, sent);
      assert.equal(none.status, 400, none.text);
      assert.equal(codeOf(none), "MissingApiVersionParameter", path);
      const bogus = await server.request(method, `${path}?api-version=bogus`, sent);
      assert.equal(bogus.status, 400, bogus.text);
      assert.equal(codeOf(bogus), "InvalidApiVersionParameter", path);
    }
    // The Resource Manager has versions of its own for what it asks of every provider.
    const own = `${base}/deployments/d/preflight?api-version=2020-10-01`;
    assert.equal((await server.request("POST", own, body)).status, 200);
    const admin = "/providers/Example.Bakery/operations?api-version=2026-01-01-preview";
    assert.equal((await server.request("GET", admin)).status, 200);
    assert.equal((await server.asManager("GET", admin)).status, 400);
  });

  it("tells whether a deployment would be accepted, and stores nothing", async () => {
    const base = ovens.replace(/ovens$/, "deployments/d1/preflight");
    const ask = (resources: readonly object[]): Promise<Reply> =>
      server.request("POST", `${base}?${version}`, { resources });
    const good = {
      name: "planned",
      type: "Example.Bakery/ovens",
      apiVersion: "2026-01-01",
      location: "eastus",
      properties: { size: 1 },
    };
    assert.deepEqual((await ask([good])).json, { status: "Succeeded" });
    const bad = await ask([good, { ...good, location: "mars", properties: { size: 1_000 } }]);
    assert.equal(bad.status, 200);
    assert.equal(pick(bad.json, "status"), "Failed");
    const [problem, ...others] = pickList(bad.json, "error.details");
    assert.equal(others.length, 0);
    assert.equal(pick(problem, "target"), "resources[1]");
    assert.deepEqual(
      pickList(problem, "details").map((detail) => pick(detail, "target")),
      ["resources[1].location", "resources[1].properties.size"],
    );
    const nothing = await ask([good, "oven" as unknown as object]);
    const about = pickList(nothing.json, "error.details").map((each) => pick(each, "target"));
    assert.deepEqual(about, ["resources[1]"]);
    assert.equal((await server.get("planned")).status, 404);
    const names = ["", undefined, 5, "a/b", "a//b", "a\u0000b", "a\nb", ".."];
    const nested = { ...good, type: "Example.Bakery/ovens/recipes", location: undefined };
    const isRefused = async (resource: object): Promise<void> => {
      const refused = await ask([{ ...resource, properties: {} }]);
      assert.equal(pick(refused.json, "status"), "Failed", JSON.stringify(resource));
      assert.match(refused.text, /InvalidResourceName/);
    };
    for (const name of names) await isRefused({ ...good, name });
    await isRefused({ ...nested, name: "x" });
    assert.deepEqual((await ask([{ ...nested, name: "o/r", properties: {} }])).json, {
      status: "Succeeded",
    });
    for (const resources of [undefined, "x", {}, Array.from({ length: 801 }, () => good)]) {
      const refused = await server.request("POST", `${base}?${version}`, { resources });
      assert.equal(refused.status, 400, refused.text);
      assert.equal(codeOf(refused), "InvalidRequestContent");
    }
  });

  it("tells of a deployment what PUT says about what is there already", async () => {
    const path = `${ovens.replace(/ovens$/, "deployments/d1/preflight")}?${version}`;
    const ask = async (apiVersion: string, properties: object): Promise<Reply> => {
      const planned = { name: "standing", type: "Example.Bakery/ovens", location: "westeurope" };
      return await server.request("POST", path, {
        resources: [{ ...planned, apiVersion, properties }],
      });
    };
    await server.made("standing", { model: "a", size: 1 });
    const same = await ask("2026-01-01", { model: "a", size: 2 });
    assert.deepEqual(same.json, { status: "Succeeded" });
    const other = await ask("2026-01-01", { model: "b" });
    const put = await server.put("standing", { model: "b" });
    assert.equal(put.status, 400, put.text);
    const [told] = pickList(other.json, "error.details");
    const target = "resources[0]";
    const [detail, ...more] = pickList(put.json, "error.details") as readonly object[];
    assert.equal(more.length, 0);
    const details = [{ ...detail, target: `${target}.${pickText(detail, "target")}` }];
    assert.deepEqual(told, { ...(pick(put.json, "error") as object), target, details });
    assert.equal(pick((await server.get("standing")).json, "properties.size"), 1);
    const manager = await server.asManager("POST", path, {
      resources: [{ name: "x", type: "Example.Bakery/ovens", apiVersion: "2026-01-01-preview" }],
    });
    assert.match(manager.text, /InvalidApiVersionParameter/);
  });

  it("describes itself in Swagger", async () => {
    const reply = await server.request("GET", "/swagger");
    assert.equal(reply.status, 200, reply.text);
    const one = await server.request("GET", "/swagger/Example.Bakery/2026-01-01.json");
    assert.equal(pick(one.json, "swagger"), "2.0");
  });
});
