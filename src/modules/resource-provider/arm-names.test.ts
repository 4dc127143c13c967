// Stored names of resources: the same for paths that differ in case alone, and for no others.
import assert from "node:assert/strict";
import { it } from "node:test";
import { assert as check, property, string } from "fast-check";
import { subdomainProblems } from "../../kernel/names.ts";
import { groupDigest, namespaceOf, plainLocation, storedName } from "./arm-names.ts";
import type { ArmPlace } from "./resource-id.ts";

function place(name: string, group = "g"): ArmPlace {
  return { subscription: "s", group, provider: "A.B", types: ["c"], names: [name] };
}

it("are good names that ignore case and show what they are of", () => {
  assert.match(storedName(place("My Oven")), /^my-oven-[0-9a-f]{20}$/);
  assert.equal(storedName(place("OVEN", "G")), storedName(place("oven", "g")));
  assert.notEqual(storedName(place("oven", "g1")), storedName(place("oven", "g2")));
  assert.equal(namespaceOf("ABC"), "sub-abc");
  assert.equal(groupDigest("X"), groupDigest("x"));
  assert.equal(plainLocation("West Europe"), "westeurope");
});

it("are good names for any text", () => {
  check(
    property(string(), (name) => {
      const stored = storedName(place(name));
      assert.deepEqual(subdomainProblems(stored), []);
      assert.ok(stored.length <= 63);
    }),
  );
});
