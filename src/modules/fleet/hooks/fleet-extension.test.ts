import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fleetExtension, hooksIn, routesIn } from "./fleet-extension.ts";

const problem = (value: unknown): string | undefined => fleetExtension.problem(value, "fleet");

const route = {
  class: "public",
  method: "GET",
  path: "/dinosaurs/{id}/feedings",
  summary: "List the feedings of a dinosaur.",
  answers: { 200: { description: "The feedings." } },
  handle: () => undefined,
};
const entry = { offering: "dinosaurs", hooks: { ready: () => undefined }, routes: [route] };

describe("the extension point fleet", () => {
  it("accepts hooks and routes of an Offering", () => {
    assert.equal(problem([entry, { offering: "birds" }]), undefined);
    const from = { point: "fleet", module: "zoo", file: "/zoo.ts" };
    const other = { ...from, point: "connect", value: [{ kind: "a" }] };
    const given = [{ ...from, value: [entry, { offering: "birds" }] }, other];
    assert.deepEqual(
      hooksIn(given).map(({ module, offering }) => `${module} ${offering}`),
      ["zoo dinosaurs"],
    );
    assert.equal(routesIn(given)[0]?.route.path, route.path);
  });

  it("names what is wrong with an entry", () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{}, "fleet must be a list"],
      [[7], "fleet[0] must have an offering, and hooks or routes"],
      [[{ hooks: {} }], "fleet[0].offering must be the name of an Offering"],
      [
        [{ offering: "a", hook: {} }],
        "fleet[0].hook is not a known field; known fields: offering, hooks, routes",
      ],
      [[{ offering: "a", hooks: 1 }], "fleet[0].hooks must be an object"],
      [[{ offering: "a", hooks: { ready: 1 } }], "fleet[0].hooks.ready must be a function"],
      [
        [{ offering: "a", hooks: { prepared: () => undefined } }],
        "fleet[0].hooks.prepared is not a known hook; known hooks: admit, choose, prepare, " +
          "provisioned, ready, suspend, resume, remove; did you mean prepare?",
      ],
      [[{ offering: "a", routes: {} }], "fleet[0].routes must be a list"],
    ];
    for (const [value, expected] of cases) assert.equal(problem(value), expected);
  });

  it("names what is wrong with a route", () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ clas: "public" }, /routes\[0\]\.clas is not a known field; .*did you mean class\?/],
      [{ class: "private" }, /\.class must be one of public, admin, agent/],
      [{ method: "TRACE" }, /\.method must be one of GET/],
      [{ summary: "" }, /\.summary must be a line of text/],
      [{ handle: "f" }, /\.handle must be a function/],
      [{ path: "/" }, /\.path must begin with a slash and a segment/],
      [{ path: "feedings" }, /\.path must begin with a slash/],
      [{ path: "/a//b" }, /\.path has the segment ""/],
      [{ path: "/a/b c" }, /\.path has the segment "b c"/],
      [{ path: "/{id}/{id}" }, /\.path has a parameter twice/],
      [{ class: "agent" }, /\.path of the class agent must begin with \/\{cluster\}\//],
      [{ body: { type: "object" } }, /\.body is not possible with the method GET/],
      [{ method: "POST", body: "x" }, /\.body must be an object/],
      [{ answers: {} }, /\.answers must describe at least one successful answer/],
      [{ answers: { 404: { description: "d" } } }, /\.answers\.404 must be a status from 200/],
      [{ answers: { 200: {} } }, /\.answers\.200\.description must be a text/],
    ];
    for (const [change, expected] of cases) {
      const found = problem([{ offering: "a", routes: [{ ...route, ...change }] }]);
      assert.match(found ?? "", expected);
    }
  });
});
