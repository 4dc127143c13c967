import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyCharacter } from "./arbitraries.ts";
import { isSetpointError } from "./errors.ts";
import { labelKeyProblems, labelValueProblems } from "./labels.ts";
import { dnsLabelProblems, subdomainProblems } from "./names.ts";
import { ownerUids } from "./owners.ts";
import { compareKeys, formatReference, keyOf, keyText, parseReference } from "./resource.ts";
import type { OwnerReference } from "./resource.ts";
import { formatRevision, parseRevision } from "./revision.ts";

const text = fc.string({ unit: fc.constantFrom("a", "/", "%", "2", "F", "\uffff", "😀") });
const anyKey = fc.record({ kind: text, namespace: text, name: text });

test("two keys have the same text exactly when they are the same key", () => {
  fc.assert(
    fc.property(anyKey, anyKey, (a, b) => {
      const same = a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
      assert.equal(keyText(a) === keyText(b), same);
      assert.equal(compareKeys(a, b) === 0, same);
    }),
    { numRuns: 500 },
  );
});

test("keys are ordered as their UTF-8 bytes are", () => {
  const well = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(well, well, (a, b) => {
      const keys = [a, b].map((name) => ({ kind: "k", namespace: "", name }));
      const [first = assert.fail(), second = assert.fail()] = keys;
      const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareKeys(first, second)), bytes);
    }),
  );
});

test("a reference survives being written and read", () => {
  const part = fc.stringMatching(/^[a-z0-9.-]{1,12}$/);
  const parts = { kind: part, namespace: fc.oneof(fc.constant(""), part), name: part };
  const key = fc.record(parts, { noNullPrototype: true });
  fc.assert(fc.property(key, (k) => assert.deepEqual(parseReference(formatReference(k)), k)));
});

test("a reference without two or three parts cannot be read", () => {
  for (const reference of ["", "a", "a/", "/a", "a//b", "a/b/c/d"]) {
    assert.throws(() => parseReference(reference), isInvalid, reference);
  }
});

test("the key of a cluster-scoped resource has an empty namespace", () => {
  const metadata = { name: "n", uid: "u", generation: 1, creationTimestamp: "" };
  assert.deepEqual(keyOf("nodes", { metadata }), { kind: "nodes", namespace: "", name: "n" });
});

test("names follow RFC 1123", () => {
  for (const name of ["a", "a-b", "a.b", "0", "a".repeat(253)]) {
    assert.deepEqual(subdomainProblems(name), [], name);
  }
  for (const name of ["", "A", "-a", "a-", "a..b", ".a", "a_b", "a\n", "a".repeat(254)]) {
    assert.equal(subdomainProblems(name).length, 1, name);
  }
  assert.deepEqual(dnsLabelProblems("a-b"), []);
  for (const name of ["a.b", "", "a".repeat(64)]) assert.equal(dnsLabelProblems(name).length, 1);
});

test("a hostile name is judged in linear time", () => {
  const before = process.cpuUsage();
  labelKeyProblems(`${"a-".repeat(100_000)}/${"a.".repeat(100_000)}`);
  subdomainProblems("a".repeat(250) + "!");
  assert.ok(process.cpuUsage(before).user < 2_000_000);
});

test("label keys and values follow the Kubernetes syntax", () => {
  for (const key of ["app", "example.dev/App_1.x", "a/b", `${"a".repeat(253)}/${"b".repeat(63)}`]) {
    assert.deepEqual(labelKeyProblems(key), [], key);
  }
  for (const key of ["", "/a", "a/", "A/b", "-a", "a b", "a/b/c", "b".repeat(64)]) {
    assert.notDeepEqual(labelKeyProblems(key), [], key);
  }
  for (const value of ["", "Back_end.1"]) assert.deepEqual(labelValueProblems(value), []);
  assert.match(labelValueProblems("-x").join(), /^a valid label must be an empty/);
  assert.match(labelValueProblems("x".repeat(64)).join(), /no more than 63/);
});

test("an owner that is named twice is one owner", () => {
  const owner: OwnerReference = { apiVersion: "v1", kind: "K", name: "n", uid: "u" };
  const metadata = { name: "n", uid: "x", generation: 1, creationTimestamp: "" };
  const resource = { apiVersion: "v1", kind: "K", metadata };
  assert.deepEqual(ownerUids(resource), []);
  const owned = { ...metadata, ownerReferences: [owner, owner] };
  assert.deepEqual(ownerUids({ ...resource, metadata: owned }), ["u"]);
});

test("every safe whole number survives as a revision's text, and nothing else is read", () => {
  fc.assert(fc.property(fc.maxSafeNat(), (n) => parseRevision(formatRevision(n)) === n));
  for (const bad of ["", "-1", "01", "1.0", "1e3", " 1", "0x1", "9007199254740992", "١"]) {
    assert.throws(() => parseRevision(bad), isInvalid, bad);
  }
  assert.throws(() => formatRevision(-1), { name: "AssertionError" });
});

function isInvalid(error: unknown): boolean {
  return isSetpointError(error, "request.invalid");
}
