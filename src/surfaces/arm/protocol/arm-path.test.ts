// Paths of the Resource Manager: what they name, in any case and with any characters.
import assert from "node:assert/strict";
import { it } from "node:test";
import { array, assert as check, constantFrom, oneof, property, string } from "fast-check";
import { idOfPlace, parentOf, shortId } from "../../../modules/resource-provider/resource-id.ts";
import { prefixTable } from "../../http/prefix-table.ts";
import { armPrefixes, isArmPath, isDocumentPath, parseArmPath, placeOfId } from "./arm-path.ts";
import { nameProblems } from "../protocol/name-rules.ts";

const sub = "11111111-2222-3333-4444-555555555555";

it("names a nested resource in messages like the end of its id", () => {
  const face = { provider: "Example.N", type: "pars/kids" };
  assert.equal(shortId(face, { names: ["b", "k"] }), "Example.N/pars/b/kids/k");
});

it("finds a resource in any case and keeps the case of its names", () => {
  const path = parseArmPath(`//SUBSCRIPTIONS/${sub}/ResourceGroups/My.Group/providers/A.B/c/D?x=y`);
  assert.deepEqual(path, {
    kind: "resource",
    subscription: sub,
    group: "My.Group",
    provider: "A.B",
    types: ["c"],
    names: ["D"],
  });
  assert.ok(path?.kind === "resource");
  assert.equal(idOfPlace(path), `/subscriptions/${sub}/resourceGroups/My.Group/providers/A.B/c/D`);
});

it("tells nested resources, collections and their holders apart", () => {
  const base = `/subscriptions/${sub}/resourceGroups/g/providers/A.B`;
  const nested = parseArmPath(`${base}/c/1/d/2`);
  assert.ok(nested?.kind === "resource");
  assert.deepEqual(nested.types, ["c", "d"]);
  assert.deepEqual(parentOf(nested)?.names, ["1"]);
  assert.equal(parseArmPath(`${base}/c/1/d`)?.kind, "collection");
  assert.equal(parseArmPath(`/subscriptions/${sub}/providers/A.B/c`)?.kind, "collection");
});

it("knows the paths that every provider has", () => {
  const base = `/subscriptions/${sub}/providers/A.B`;
  const kinds = {
    "/providers/A.B/operations": "operations",
    [`/subscriptions/${sub}`]: "subscription",
    [`${base}/locations/x/operationsStatus/1`]: "operationStatus",
    [`${base}/locations/x/operationresults/1`]: "operationResult",
    [`${base}/checkNameAvailability`]: "nameCheck",
    [`${base}/locations/x/checkNameAvailability`]: "nameCheck",
    [`/subscriptions/${sub}/resourcegroups/g/providers/A.B/deployments/d/preflight`]: "preflight",
    [`/subscriptions/${sub}/resourcegroups/g/moveResources`]: "move",
  };
  for (const [path, kind] of Object.entries(kinds)) {
    assert.equal(parseArmPath(path)?.kind, kind, path);
  }
});

it("takes no steps, and leaves what cannot be a name to those who look at names", () => {
  const base = `/subscriptions/${sub}/resourceGroups/g/providers/A.B/c`;
  for (const name of ["..", ".", "%2e", "%2E%2e"]) {
    assert.equal(parseArmPath(`${base}/${name}`), undefined, name);
  }
  const odd = { "a%2Fb": "a/b", "%00": "\0", "%ff": "%ff", "%0a": "\n", "%E2%28": "%E2%28" };
  for (const [name, meant] of Object.entries(odd)) {
    const path = parseArmPath(`${base}/${name}`);
    assert.ok(path?.kind === "resource", name);
    assert.deepEqual(path.names, [meant]);
    assert.notEqual(nameProblems(path).length, 0, name);
  }
});

it("takes an id as it is written, and nothing else for one", () => {
  const base = `/subscriptions/${sub}/resourceGroups/g/providers/A.B/c`;
  for (const name of ["h", "h#b", "h%23b", "h?x=y", "a b", "é"]) {
    assert.deepEqual(placeOfId(`${base}/${name}`)?.names, [name]);
  }
  for (const id of [
    `${base}//h`,
    `/${base}/h`,
    `${base}/h/`,
    `${base}/.`,
    `${base}/..`,
    `${base}/a\nb`,
    `${base}/\ud800`,
    base,
    base.slice(1),
    "",
  ]) {
    assert.equal(placeOfId(id), undefined, id);
  }
  check(
    property(string(), (name) => {
      const place = placeOfId(`${base}/${name}`);
      if (place !== undefined) assert.equal(idOfPlace(place), `${base}/${name}`);
    }),
  );
});

it("never throws, whatever a path is", () => {
  const others = { name: "others", prefixes: [{ path: "/" }] };
  const table = prefixTable([others, { name: "arm", prefixes: armPrefixes }]);
  const words = constantFrom("subscriptions", "Providers", "resourceGroups", "swagger", "api", "");
  const segment = oneof(words, string({ maxLength: 6 }));
  check(
    property(string(), (text) => {
      parseArmPath(text);
      parseArmPath(`/subscriptions/${sub}/${text}`);
      placeOfId(text);
    }),
  );
  check(
    property(array(segment, { minLength: 1 }), (segments) => {
      const path = `/${segments.join("/")}`;
      assert.equal(isArmPath(path), isArmPath(path.toUpperCase()) || isDocumentPath(path));
      assert.equal(table.find(path).name === "arm", isArmPath(path), path);
    }),
  );
});
