import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertProperty, property, string } from "fast-check";
import { canonicalValue, contentOf, valueOfContent } from "./record-values.ts";

test("addresses have one form, and only addresses are accepted", () => {
  assert.equal(canonicalValue("A", "192.0.2.1"), "192.0.2.1");
  for (const text of ["192.0.2", "192.0.2.256", "192.0.02.1", "::1", "a.example", ""]) {
    assert.equal(canonicalValue("A", text), undefined, text);
  }
  assert.equal(canonicalValue("AAAA", "2001:DB8:0:0::1"), "2001:db8::1");
  for (const text of ["2001:db8", "fe80::1%eth0", "192.0.2.1", "[::1]"]) {
    assert.equal(canonicalValue("AAAA", text), undefined, text);
  }
});

test("the target of a CNAME record is fully qualified, with or without its last dot", () => {
  assert.equal(canonicalValue("CNAME", "Router.Example"), "router.example.");
  assert.equal(canonicalValue("CNAME", "router.example."), "router.example.");
  assert.equal(canonicalValue("CNAME", "not a name"), undefined);
});

test("a text is sent as quoted strings of at most 255 bytes", () => {
  assert.equal(contentOf("TXT", 'a "b" \\ ä;'), '"a \\"b\\" \\\\ \\195\\164;"');
  const long = contentOf("TXT", "x".repeat(300));
  assert.equal(long, `"${"x".repeat(255)}" "${"x".repeat(45)}"`);
});

test("a text that was sent is read back, whatever it contains", () => {
  const texts = string({ unit: "grapheme", minLength: 1, maxLength: 600 });
  assertProperty(property(texts, (text) => valueOfContent("TXT", contentOf("TXT", text)) === text));
});

test("a content that another client wrote otherwise is read as it is", () => {
  assert.equal(valueOfContent("TXT", '"a" "b"'), "ab");
  for (const content of ["unquoted", '"open', '"a"b', '"\\', ""]) {
    assert.equal(valueOfContent("TXT", content), content);
  }
  assert.equal(valueOfContent("A", "not an address"), "not an address");
  assert.equal(valueOfContent("CNAME", "ROUTER.example."), "router.example.");
});
