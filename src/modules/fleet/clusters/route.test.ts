import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "../../../kernel/arbitraries.ts";
import { fleetLimits } from "../limits.ts";
import { foreignRouter, readRoutes } from "./route.ts";

test("routes are read in the normal form of DNS names", () => {
  const given = [
    { name: "admin", prefix: "admin", router: "Router.Apps.EU-1.example.com." },
    { router: "router.apps.eu-1.example.com" },
  ];
  assert.deepEqual(readRoutes(given).routes, [
    { name: "admin", prefix: "admin", router: "router.apps.eu-1.example.com" },
    { name: "default", prefix: "", router: "router.apps.eu-1.example.com" },
  ]);
  const [named] = readRoutes([{ prefix: "web", router: "a.example.com" }]).routes;
  assert.equal(named?.name, "web");
  assert.deepEqual(readRoutes(null), { routes: [], problem: undefined });
});

for (const route of [
  7,
  {},
  { router: "localhost" },
  { router: "a..example.com" },
  { router: "*.example.com" },
  { router: "10.0.0.1 example.com" },
  { router: `${"a".repeat(64)}.example.com` },
  { router: `${"a.".repeat(127)}example.com` },
  { prefix: "Admin", router: "r.example.com" },
  { prefix: "a.b", router: "r.example.com" },
  { prefix: 5, router: "r.example.com" },
]) {
  test(`the route ${JSON.stringify(route).slice(0, 60)} is invalid`, () => {
    const valid = { prefix: "x", router: "r.example.com" };
    const { routes, problem } = readRoutes([valid, route]);
    assert.deepEqual(routes, []);
    assert.match(problem ?? "", /^routes\[1\] is not/);
  });
}

test("two routes with one prefix, and too many routes, are unusable", () => {
  const route = { prefix: "a", router: "r.example.com" };
  assert.match(readRoutes([route, route]).problem ?? "", /routes\[1\] repeats the prefix/);
  const many = Array.from({ length: fleetLimits.maxRoutesPerInstance + 1 }, (_, at) => ({
    ...route,
    prefix: `p${at}`,
  }));
  assert.match(readRoutes(many).problem ?? "", /more than 32 routes/);
  assert.equal(readRoutes(many.slice(1)).problem, undefined);
});

test("a router outside of the domain of the cluster is found", () => {
  const to = (router: string) =>
    foreignRouter([{ name: "", prefix: "", router }], "apps.eu-1.example.com");
  assert.equal(to("router.apps.eu-1.example.com"), undefined);
  assert.equal(to("ingress.eu-1.example.com"), undefined);
  assert.equal(to("eu-1.example.com"), undefined);
  assert.equal(to("evil-eu-1.example.com"), "evil-eu-1.example.com");
  assert.equal(to("eu-1.example.com.evil.org"), "eu-1.example.com.evil.org");
  assert.equal(foreignRouter([{ name: "", prefix: "", router: "a.b" }], ""), "a.b");
});

test("any input is read into valid routes or a problem", () => {
  fc.assert(
    fc.property(fc.oneof(anyJson, fc.array(anyJson)), (given) => {
      const { routes, problem } = readRoutes(given);
      if (problem !== undefined) assert.deepEqual(routes, []);
      for (const { router } of routes) assert.match(router, /^[-a-z0-9.]{1,253}$/);
    }),
  );
});
