// Resources through the Resource Manager surface of a real server: bodies, states, conditions. The
// numbers are the lines of docs/conformance/arm.md.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, oven, ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

describe("a PUT", () => {
  it("creates with 201, the target in its properties, and a state that is not final", async () => {
    const reply = await server.put("one", { size: 3, model: "x" }, { tags: { a: "b" } });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(pick(reply.json, "id"), `${ovens}/one`);
    assert.equal(pick(reply.json, "name"), "one");
    assert.equal(pick(reply.json, "type"), "Example.Bakery/ovens");
    assert.equal(pick(reply.json, "location"), "westeurope");
    assert.deepEqual(pick(reply.json, "tags"), { a: "b" });
    assert.equal(pick(reply.json, "properties.size"), 3);
    assert.equal(pick(reply.json, "properties.provisioningState"), "Creating");
    const url = String(reply.headers["azure-asyncoperation"]);
    assert.ok(url.startsWith(`${server.url}/subscriptions/${subscription}/providers/`), url);
    assert.equal(reply.headers.etag, pick(reply.json, "etag"));
    const shown = await server.settled("one");
    assert.match(pickText(shown.json, "properties.url"), /^https:\/\/oven\//);
  });

  it("replaces with 200, and what is left out is gone", async () => {
    const doors = { left: "a", right: "b" };
    await server.made("replaced", { size: 1, doors }, { tags: { a: "b" } });
    const reply = await server.put("replaced", { size: 2, doors: { left: "c" } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(pick(reply.json, "properties.provisioningState"), "Updating");
    assert.deepEqual(pick(reply.json, "properties.doors"), { left: "c" });
    assert.deepEqual(pick(reply.json, "tags"), {});
    await server.settled("replaced");
  });

  it("of what was read changes nothing: secrets stay, read-only fields are ignored", async () => {
    const first = await server.made("same", { size: 1, secretCode: "1234" }, { tags: { a: "b" } });
    assert.equal(pick(first.json, "properties.secretCode"), undefined);
    const again = await server.request("PUT", oven("same"), first.json);
    assert.equal(again.status, 200, again.text);
    assert.equal(again.headers["azure-asyncoperation"], undefined);
    assert.equal(again.headers.etag, first.headers.etag);
    const edited = { ...(first.json as object), properties: { size: 2 } };
    const put = await server.request("PUT", oven("same"), edited);
    assert.equal(put.status, 200, put.text);
    await server.settled("same");
    const codes = await server.request("POST", `${ovens}/same/listCodes?${version}`);
    assert.deepEqual(codes.json, { secretCode: "1234" });
  });

  it("leaves alone what another api-version wrote", async () => {
    const path = `${ovens}/young?api-version=2026-02-01`;
    const body = { location: "westeurope", properties: { size: 1, later: "kept" } };
    assert.equal((await server.request("PUT", path, body)).status, 201);
    const shown = await server.settled("young");
    assert.equal(pick(shown.json, "properties.later"), undefined);
    assert.equal((await server.put("young", { size: 2 })).status, 200);
    await server.settled("young");
    const newer = await server.request("GET", path);
    assert.equal(pick(newer.json, "properties.later"), "kept");
    assert.equal(pick(newer.json, "properties.size"), 2);
  });

  it("refuses another provisioningState than the one there is", async () => {
    await server.made("stated", { size: 1 });
    const same = await server.put("stated", { size: 1, provisioningState: "Succeeded" });
    assert.equal(same.status, 200, same.text);
    const other = await server.put("stated", { size: 1, provisioningState: "Failed" });
    assert.equal(other.status, 400);
    assert.equal(pick(other.json, "error.target"), "properties.provisioningState");
    const created = await server.put("unstated", { provisioningState: "Failed" });
    assert.equal(created.status, 400);
    assert.equal((await server.get("unstated")).status, 404);
  });

  it("tells all that is wrong at once and stores nothing", async () => {
    const reply = await server.request("PUT", oven("wrong"), {
      id: "/subscriptions/x",
      name: "other",
      type: "a/b",
      location: "mars",
      tags: { "a<b": "x", long: "y".repeat(257) },
      properties: { size: 1_000, mode: 3 },
    });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(codeOf(reply), "MultipleErrorsOccurred");
    const targets = pickList(reply.json, "error.details").map((each) => pick(each, "target"));
    const expected = ["id", "name", "type", "location", "tags.a<b", "tags.long"];
    assert.deepEqual(targets.slice(0, 6), expected);
    assert.ok(targets.includes("properties.mode"), String(targets));
    assert.equal((await server.get("wrong")).status, 404);
  });

  it("refuses a change of what is fixed, and another location", async () => {
    await server.made("fixed", { size: 1, model: "x" });
    const model = await server.put("fixed", { size: 1, model: "y" });
    assert.equal(model.status, 400, model.text);
    assert.equal(codeOf(model), "PropertyChangeNotAllowed");
    assert.equal(pick(model.json, "error.target"), "properties.model");
    const moved = await server.put("fixed", { size: 1, model: "x" }, { location: "eastus" });
    assert.equal(codeOf(moved), "InvalidResourceLocation");
    const same = await server.put("fixed", { size: 1, model: "x" }, { location: "WEST europe" });
    assert.equal(same.status, 200, same.text);
    assert.equal(pick(same.json, "location"), "westeurope");
    const none = await server.request("PUT", oven("placeless"), { properties: {} });
    assert.equal(codeOf(none), "LocationRequired");
  });

  it("refuses tags beyond the limits", async () => {
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`tag${at}`, ""]));
    const long = { ["k".repeat(513)]: "" };
    for (const tags of [many, long, { a: 1 }, [], "x", { "a/b": "" }, { "\u0001": "" }]) {
      const reply = await server.put("tagged", {}, { tags });
      assert.equal(reply.status, 400, reply.text);
    }
    assert.equal((await server.get("tagged")).status, 404);
  });

  it("takes tags up to the limits", async () => {
    const tags = Object.fromEntries(
      Array.from({ length: 15 }, (_, at) => [
        `${at}${"k".repeat(512)}`.slice(0, 512),
        "v".repeat(256),
      ]),
    );
    assert.equal(Object.keys(tags).length, 15);
    const reply = await server.put("tagged-fully", {}, { tags });
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(pick((await server.settled("tagged-fully")).json, "tags"), tags);
  });

  it("refuses sku, identity and others by name, and takes back what it showed", async () => {
    const refused = await server.put("plain", {}, { sku: { name: "S1" }, zones: ["1"] });
    assert.equal(refused.status, 400, refused.text);
    const targets = pickList(refused.json, "error.details").map((each) => pick(each, "target"));
    assert.deepEqual(targets, ["sku", "zones"]);
    assert.equal((await server.get("plain")).status, 404);
    const shown = await server.made("plain", { size: 1 });
    const identity = { type: "None" };
    const back = { ...(shown.json as object), identity, sku: null };
    assert.equal((await server.request("PUT", oven("plain"), back)).status, 200);
    const patched = await server.patch("plain", { identity: { type: "SystemAssigned" } });
    assert.equal(pick(patched.json, "error.target"), "identity");
  });
});

describe("paths", () => {
  it("are found in any case, with doubled slashes, and show the case last written", async () => {
    await server.made("Cased", { size: 1 });
    const odd =
      `//SUBSCRIPTIONS/${subscription}//resourcegroups/BREAD/Providers/example.bakery/` +
      `OVENS/cASED?API-Version=2026-01-01`;
    const read = await server.request("GET", odd);
    assert.equal(read.status, 200, read.text);
    assert.equal(pick(read.json, "name"), "Cased");
    const body = { location: "westeurope", properties: { size: 2 } };
    assert.equal((await server.request("PUT", odd, body)).status, 200);
    const shown = await server.settled("Cased");
    assert.equal(pick(shown.json, "name"), "cASED");
    assert.match(pickText(shown.json, "id"), /resourceGroups\/BREAD\//);
    const same = await server.put("Cased", { size: 2 });
    assert.equal(same.status, 200, same.text);
    assert.equal(pick(same.json, "name"), "Cased", "also where nothing else is changed");
    assert.equal(pick((await server.get("cased")).json, "id"), `${ovens}/Cased`);
  });

  it("that nobody serves are told apart", async () => {
    const group = `/subscriptions/${subscription}/resourceGroups/Bread`;
    const cases: readonly (readonly [string, number, string])[] = [
      [`${ovens}/none?${version}`, 404, "ResourceNotFound"],
      [`${ovens}/none`, 400, "MissingApiVersionParameter"],
      [`${ovens}/none?api-version=2020-01-01`, 400, "InvalidApiVersionParameter"],
      [`${group}/providers/Example.Nothing/ovens/x?${version}`, 404, "InvalidResourceNamespace"],
      [`${group}/providers/Example.Bakery/cakes/x?${version}`, 404, "InvalidResourceType"],
      [`/subscriptions/12/resourceGroups/b/providers/Example.Bakery/ovens/x?${version}`, 400, ""],
      [`${ovens}/a%3Ab?${version}`, 400, "InvalidResourceName"],
      [`${ovens}/a%2Fb?${version}`, 400, "InvalidResourceName"],
      [`${ovens}/a%01b?${version}`, 400, "InvalidResourceName"],
      [`${ovens}/a%C3%28?${version}`, 400, "InvalidResourceName"],
      [`${ovens}/%ff?${version}`, 400, "InvalidResourceName"],
      [`${ovens}/..?${version}`, 404, "NotFound"],
      [`${ovens}/${"x".repeat(261)}?${version}`, 400, "InvalidResourceName"],
      ["/subscriptions", 404, "NotFound"],
      ["/providers/x", 404, "NotFound"],
    ];
    for (const [path, status, code] of cases) {
      const reply = await server.request("GET", path);
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
      if (code !== "") assert.equal(codeOf(reply), code, path);
      assert.match(String(reply.headers["x-ms-request-id"]), /^[0-9a-f-]{36}$/);
    }
  });

  it("have names within the limits of the Resource Manager", async () => {
    const inGroup = (group: string): string => `${ovens.replace("Bread", group)}/x?${version}`;
    const refused: readonly (readonly [string, string])[] = [
      [`${ovens}/ends.?${version}`, "InvalidResourceName"],
      [`${ovens}/ends%20?${version}`, "InvalidResourceName"],
      [inGroup("ends."), "InvalidResourceGroupName"],
      [inGroup("a%20b"), "InvalidResourceGroupName"],
      [inGroup("a%25b"), "InvalidResourceGroupName"],
      [inGroup("g".repeat(91)), "InvalidResourceGroupName"],
      ...["<", ">", "%", "&", ":", "\\", "?"].map(
        (char) =>
          [`${ovens}/a${encodeURIComponent(char)}b?${version}`, "InvalidResourceName"] as const,
      ),
    ];
    for (const [path, code] of refused) {
      const body = { location: "westeurope", properties: {} };
      const reply = await server.request("PUT", path, body);
      assert.equal(reply.status, 400, `${path}: ${reply.text}`);
      assert.equal(codeOf(reply), code, path);
    }
    const good = ["n".repeat(260), "a.b", "a%20b", "%C3%BC", "-_()"];
    for (const path of [
      ...good.map((name) => `${ovens}/${name}?${version}`),
      inGroup("g".repeat(90)),
      inGroup("a.b_-()"),
      inGroup("%C3%BC1"),
    ]) {
      const body = { location: "westeurope", properties: {} };
      const reply = await server.request("PUT", path, body);
      assert.equal(reply.status, 201, `${path}: ${reply.text}`);
    }
  });

  it("say which methods they have", async () => {
    const reply = await server.request("POST", oven("x"), {});
    assert.equal(reply.status, 405);
    assert.equal(codeOf(reply), "MethodNotAllowed");
    assert.match(String(reply.headers["x-ms-request-id"]), /^[0-9a-f-]{36}$/);
  });
});

describe("a PATCH", () => {
  it("of what is not there is 404", async () => {
    const reply = await server.patch("nowhere", { tags: {} });
    assert.equal(reply.status, 404);
    assert.equal(codeOf(reply), "ResourceNotFound");
  });

  it("merges properties, where null takes away, and replaces tags as a whole", async () => {
    const doors = { left: "a", right: "b" };
    await server.made("merged", { size: 1, doors }, { tags: { a: "1", b: "2" } });
    const reply = await server.patch("merged", {
      tags: { c: "3" },
      properties: { doors: { left: null } },
    });
    assert.equal(reply.status, 202, reply.text);
    assert.match(String(reply.headers.location), /operationResults/);
    assert.match(String(reply.headers["azure-asyncoperation"]), /operationsStatus/);
    const shown = await server.settled("merged");
    assert.deepEqual(pick(shown.json, "tags"), { c: "3" });
    assert.deepEqual(pick(shown.json, "properties.doors"), { right: "b" });
    assert.equal(pick(shown.json, "properties.size"), 1);
    const result = await server.request(
      "GET",
      String(reply.headers.location).slice(server.url.length),
    );
    assert.equal(result.status, 200);
    assert.deepEqual(result.json, shown.json);
  });

  it("of tags alone is answered at once with the whole resource", async () => {
    await server.made("tagged-only", { size: 1 });
    const reply = await server.patch("tagged-only", { tags: { x: "y" } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(pick(reply.json, "properties.provisioningState"), "Succeeded");
    assert.deepEqual(pick(reply.json, "tags"), { x: "y" });
  });

  it("cannot change location, name or type", async () => {
    await server.made("rooted", { size: 1 });
    for (const body of [{ location: "eastus" }, { name: "x" }, { type: "a/b" }, { id: "/x" }]) {
      const reply = await server.patch("rooted", body);
      assert.equal(reply.status, 400, reply.text);
    }
  });
});

describe("conditions", () => {
  it("follow the table for PUT", async () => {
    const put = (size: number, headers: RequestHeaders): Promise<Reply> =>
      server.put("etag", { size }, {}, headers);
    for (const match of ["*", '"1"']) {
      const absent = await put(1, { "if-match": match });
      assert.equal(absent.status, 412, absent.text);
    }
    assert.equal((await put(1, { "if-none-match": "*" })).status, 201);
    const first = await server.settled("etag");
    const old = String(first.headers.etag);
    for (const unmet of [
      { "if-none-match": "*" },
      { "if-none-match": old },
      { "if-none-match": `"1", ${old}` },
      { "if-match": '"1"' },
    ]) {
      const refused = await put(9, unmet);
      assert.equal(refused.status, 412, `${JSON.stringify(unmet)}: ${refused.text}`);
      assert.equal(codeOf(refused), "PreconditionFailed");
      assert.ok(pickText(refused.json, "error.message").includes(old), refused.text);
    }
    assert.equal((await put(9, { "if-match": "*" })).status, 200);
    const second = await server.settled("etag");
    assert.equal((await put(8, { "if-match": old })).status, 412);
    assert.equal((await put(8, { "if-match": String(second.headers.etag) })).status, 200);
    await server.settled("etag");
    assert.equal((await put(7, { "if-none-match": old })).status, 200);
    const absent = await server.put("etag-new", {}, {}, { "if-none-match": '"1"' });
    assert.equal(absent.status, 201, absent.text);
  });

  it("follow the table for PATCH, DELETE and GET", async () => {
    const patch = (headers: RequestHeaders): Promise<Reply> =>
      server.patch("etag2", { tags: { a: JSON.stringify(headers) } }, headers);
    const remove = (headers: RequestHeaders): Promise<Reply> =>
      server.request("DELETE", oven("etag2"), undefined, headers);
    const others = { "if-match": '"1"' };
    for (const condition of [
      others,
      { "if-match": "*" },
      { "if-none-match": "*" },
      { "if-none-match": '"1"' },
    ]) {
      assert.equal((await patch(condition)).status, 404);
      assert.equal((await remove(condition)).status, 204);
    }
    const shown = await server.made("etag2", {});
    const etag = String(shown.headers.etag);
    for (const unmet of [others, { "if-none-match": "*" }, { "if-none-match": etag }]) {
      assert.equal((await patch(unmet)).status, 412, JSON.stringify(unmet));
      assert.equal((await remove(unmet)).status, 412, JSON.stringify(unmet));
    }
    assert.equal((await server.get("etag2")).headers.etag, etag, "nothing has changed");
    assert.equal((await server.get("etag2", { "if-none-match": etag })).status, 304);
    // Clients that wait for a creation send its headers again when they read the result.
    assert.equal((await server.get("etag2", { "if-none-match": "*" })).status, 200);
    for (const met of [{ "if-match": etag }, { "if-match": "*" }, { "if-none-match": etag }]) {
      const patched = await patch(met);
      assert.equal(patched.status, 200, `${JSON.stringify(met)}: ${patched.text}`);
    }
    const last = await server.get("etag2");
    assert.equal((await remove({ "if-match": String(last.headers.etag) })).status, 202);
    await server.made("etag3", {});
    const star = { "if-match": "*" };
    assert.equal((await server.request("DELETE", oven("etag3"), undefined, star)).status, 202);
  });
});

describe("nested resources", () => {
  it("need no location, and follow the rules with one", async () => {
    await server.made("around", { size: 1 });
    const put = (name: string, more: object): Promise<Reply> =>
      server.request("PUT", `${ovens}/around/recipes/${name}?${version}`, {
        properties: {},
        ...more,
      });
    const none = await put("none", {});
    assert.equal(none.status, 201, none.text);
    assert.equal(pick(none.json, "location"), undefined);
    assert.match(String(none.headers["azure-asyncoperation"]), /\/locations\/global\/operations/);
    const some = await put("some", { location: "East US" });
    assert.equal(pick(some.json, "location"), "East US");
    assert.match(String(some.headers["azure-asyncoperation"]), /\/locations\/eastus\/operations/);
    assert.equal(
      codeOf(await put("other", { location: "mars" })),
      "LocationNotAvailableForResourceType",
    );
  });

  it("need the one around them, are listed in it, and go with it", async () => {
    const recipe = `${ovens}/nest/recipes/bread?${version}`;
    const body = { properties: { text: "flour" } };
    const early = await server.request("PUT", recipe, body);
    assert.equal(early.status, 404);
    assert.equal(codeOf(early), "ParentResourceNotFound");
    assert.match(pickText(early.json, "error.message"), /'Example\.Bakery\/ovens\/nest' not found/);
    await server.made("nest", { size: 1 });
    const none = await server.request("GET", recipe);
    assert.match(
      pickText(none.json, "error.message"),
      /'Example\.Bakery\/ovens\/nest\/recipes\/bread' under resource group 'Bread'/,
    );
    const made = await server.request("PUT", recipe, body);
    assert.equal(made.status, 201, made.text);
    assert.equal(pick(made.json, "id"), `${ovens}/nest/recipes/bread`);
    assert.equal(pick(made.json, "type"), "Example.Bakery/ovens/recipes");
    const listed = await server.request("GET", `${ovens}/nest/recipes?${version}`);
    assert.equal(pickList(listed.json, "value").length, 1);
    const inSubscription = `${ovens.replace("/resourceGroups/Bread", "")}/nest/recipes?${version}`;
    const nowhere = await server.request("GET", inSubscription);
    assert.equal(nowhere.status, 404);
    assert.equal(codeOf(nowhere), "NotFound", "resources are inside of others in a group alone");
    await server.request("DELETE", oven("nest"));
    await waitUntil("the recipe to be gone", async () => {
      return (await server.request("GET", recipe)).status === 404;
    });
  });
});
