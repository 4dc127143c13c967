import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prefixOfRoute, prefixesOf } from "./route-prefix.ts";
import { createRouter } from "./router.ts";
import { sampleRoute } from "./sample-routes.ts";

const get = sampleRoute({ path: "/api/v1/things/{kind}/{name}" });
const put = sampleRoute({ path: "/api/v1/things/{kind}/{name}", method: "PUT" });
const exact = sampleRoute({ path: "/api/v1/things/all/{name}" });
const router = createRouter([get, put, exact]);

describe("the router", () => {
  it("finds a route and decodes its parameters once", () => {
    const match = router.find("GET", "/api/v1/things/a%2Fb/%2541");
    assert.deepEqual(match, { kind: "found", route: get, path: { kind: "a/b", name: "%41" } });
    assert.equal(router.find("HEAD", "/api/v1/things/a/b").kind, "found");
  });

  it("prefers a literal segment to a parameter", () => {
    const match = router.find("GET", "/api/v1/things/all/x");
    assert.deepEqual(match, { kind: "found", route: exact, path: { name: "x" } });
  });

  it("tries a parameter where the literal segment leads to no route", () => {
    const deep = sampleRoute({ path: "/api/v1/things/{kind}/{name}/parts" });
    const both = createRouter([get, exact, deep]);
    const match = both.find("GET", "/api/v1/things/all/x/parts");
    assert.deepEqual(match, { kind: "found", route: deep, path: { kind: "all", name: "x" } });
  });

  it("names the methods that a path has", () => {
    const match = router.find("DELETE", "/api/v1/things/a/b");
    assert.deepEqual(match, { kind: "other-method", allowed: ["GET", "HEAD", "PUT"] });
  });

  it("finds nothing for other paths", () => {
    const paths = ["/api/v1/things", "/api/v1/things/a/", "/api/v1/things/a/b/c", "/", ""];
    for (const path of [...paths, "/api/v1/things/%zz/b", "/api/v1/things//b"]) {
      assert.deepEqual(router.find("GET", path), { kind: "none" }, path);
    }
  });

  it("refuses a table with a mistake", () => {
    const mistakes = [
      [get, get],
      [get, sampleRoute({ path: "/api/v1/things/{other}/{name}" })],
      [sampleRoute({ path: "api/v1/x" })],
      [sampleRoute({ path: "/api/v1/x/{a}/{a}" })],
      [sampleRoute({ path: "/api/v1/x/a{b}" })],
    ];
    for (const routes of mistakes) {
      const paths = routes.map(({ path }) => path).join(" ");
      assert.throws(() => createRouter(routes), { name: "AssertionError" }, paths);
    }
  });
});

describe("a router of mounted routes", () => {
  const root = sampleRoute({ path: "/" });
  const one = sampleRoute({ path: "/things/{id}" });
  const mounted = createRouter([root, one], "/api/x_mgmt/v1");
  const kindOf = (path: string): string => mounted.find("GET", path).kind;

  it("finds paths below its base, and the base itself", () => {
    const match = mounted.find("GET", "/api/x_mgmt/v1/things/7");
    assert.deepEqual(match, { kind: "found", route: one, path: { id: "7" } });
    const atBase = { kind: "found", route: root, path: {} };
    assert.deepEqual(mounted.find("GET", "/api/x_mgmt/v1"), atBase);
    assert.deepEqual(mounted.find("GET", "//api/x_mgmt/v1"), atBase);
    assert.equal(mounted.find("PUT", "/api/x_mgmt/v1").kind, "other-method");
  });

  it("finds nothing beside its base", () => {
    const paths = ["/things/7", "/api/x_mgmt/v10/things/7", "/api/y_mgmt/v1/things/7", "/", ""];
    for (const path of paths) assert.equal(kindOf(path), "none", path);
  });
});

describe("the prefix of a route", () => {
  it("is a word of /api/v1 that Kubernetes does not have", () => {
    assert.equal(prefixOfRoute("/api/v1/history/{kind}/{name}"), "/api/v1/history");
    assert.equal(prefixOfRoute("/api/v1/openapi.json"), "/api/v1/openapi.json");
    for (const path of [
      "/api/v1/pods",
      "/api/v1/{word}",
      "/api/v1",
      "/api/v2/x",
      "/api/x_mgmt/v1/x",
      "/x",
    ]) {
      assert.equal(prefixOfRoute(path), undefined, path);
    }
    assert.deepEqual(prefixesOf([get, put]), ["/api/v1/things"]);
    for (const path of ["/api/v1/pods/{name}", "/apis/x"]) {
      const notServed = [get, sampleRoute({ path })];
      assert.throws(() => prefixesOf(notServed), { name: "AssertionError" }, path);
    }
  });
});
