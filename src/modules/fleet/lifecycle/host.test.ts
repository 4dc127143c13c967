import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf, routeDomain } from "./host.ts";

const parts = {
  name: "a-dinosaur-with-a-long-name",
  id: "C9ABC",
  domain: undefined,
  clusterDomain: "apps.eu-1.example.com",
  product: "dinosaurs",
};

test("a host has ten characters of the name, the id and the domain of the cluster", () => {
  assert.equal(hostOf(parts), "a-dinosaur-c9abc.dinosaurs.eu-1.example.com");
});

test("a host is below the domain of the Offering if it has one", () => {
  const host = hostOf({ ...parts, domain: "dinosaurs.example" });
  assert.equal(host, "a-dinosaur-c9abc.dinosaurs.example");
});

test("the first part of a host is one DNS label", () => {
  const host = hostOf({ ...parts, name: "1.2_x", id: "-é-" });
  assert.match(host, /^[a-z]([a-z0-9-]*[a-z0-9])?\.dinosaurs\.eu-1\.example\.com$/);
});

test("the domain of a route is the host with the prefix of the route", () => {
  assert.equal(routeDomain("rex.example", ""), "rex.example");
  assert.equal(routeDomain("rex.example", "admin-server"), "admin-server-rex.example");
});
