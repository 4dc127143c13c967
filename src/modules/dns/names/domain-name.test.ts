import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalName, isWithin, qualifiedName } from "./domain-name.ts";

test("a canonical name is in lower case and ends with one dot", () => {
  for (const text of ["Dinosaurs.Example", "dinosaurs.example."]) {
    assert.equal(canonicalName(text), "dinosaurs.example.");
  }
  assert.equal(canonicalName("_acme-challenge.a_b.example"), "_acme-challenge.a_b.example.");
});

test("a text that is not a domain name has no canonical name", () => {
  const label = "a".repeat(64);
  const long = Array.from({ length: 130 }, () => "a").join(".");
  const texts = ["", ".", "a..b", ".a", "-a.b", "a-.b", "*.a", "a b", "bücher.example", "a/b"];
  for (const text of [...texts, `${label}.example`, long, "a.b..", "a\u0000", "@"]) {
    assert.equal(canonicalName(text), undefined, text);
  }
  assert.equal(canonicalName("a".repeat(63)), `${"a".repeat(63)}.`);
});

test("a name is relative to the zone unless it has a last dot or ends with the zone", () => {
  const zone = "dinosaurs.example.";
  const expected: Readonly<Record<string, string>> = {
    www: "www.dinosaurs.example.",
    "WWW.apps": "www.apps.dinosaurs.example.",
    "www.dinosaurs.example.": "www.dinosaurs.example.",
    "www.dinosaurs.example": "www.dinosaurs.example.",
    "dinosaurs.example": zone,
    "@": zone,
    "www.other.example.": "www.other.example.",
    "www.other.example": "www.other.example.dinosaurs.example.",
  };
  for (const [text, name] of Object.entries(expected)) {
    assert.equal(qualifiedName(text, zone), name, text);
  }
  assert.equal(qualifiedName("a b", zone), undefined);
  assert.equal(qualifiedName("a".repeat(63), "b.".repeat(100)), undefined);
});

test("a name is within a zone by whole labels", () => {
  assert.equal(isWithin("a.b.", "b."), true);
  assert.equal(isWithin("b.", "b."), true);
  assert.equal(isWithin("ab.", "b."), false);
});
