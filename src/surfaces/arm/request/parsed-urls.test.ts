import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { namesOf } from "../../../modules/resource-provider/arm-names.ts";
import { armQuery, parseArmPath } from "../protocol/arm-path.ts";
import { ParsedUrls } from "./parsed-urls.ts";

const stones = "/subscriptions/s/resourceGroups/g/providers/Example.Quarry/stones";

test("a URL is read once, and as it would be read alone", () => {
  const urls = new ParsedUrls();
  const url = `${stones}/One?api-version=1&$Top=2`;
  const asked = urls.of("GET", url);
  assert.equal(urls.of("GET", url), asked);
  const path = parseArmPath(url);
  assert.deepEqual({ path: asked.path, query: asked.query }, { path, query: armQuery(url) });
  assert.ok(path?.kind === "resource");
  assert.deepEqual(asked.names, namesOf(path));
  assert.equal(urls.of("GET", stones).names, undefined);
});

test("URLs that differ in case alone keep their own case", () => {
  const urls = new ParsedUrls();
  const [one, other] = [urls.of("GET", `${stones}/one`), urls.of("GET", `${stones}/ONE`)];
  assert.notDeepEqual(one.path, other.path);
  assert.deepEqual(one.names, other.names);
});

test("whatever was asked before, a URL means the same", () => {
  const urls = new ParsedUrls();
  const segment = fc.constantFrom("subscriptions", "providers", "a", "%41", "..", "", "locations");
  const url = fc.array(segment, { maxLength: 9 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(fc.array(url, { maxLength: 20 }), (asked) => {
      for (const each of asked) assert.deepEqual(urls.of("GET", each).path, parseArmPath(each));
    }),
  );
});

test("those that were not asked for lately are forgotten, and long ones at once", () => {
  const urls = new ParsedUrls();
  const first = urls.of("GET", stones);
  for (let i = 0; i < 5_000; i += 1) urls.of("GET", `${stones}/s${i}`);
  assert.notEqual(urls.of("GET", stones), first);
  const long = `${stones}/${"x".repeat(2_000)}`;
  assert.notEqual(urls.of("GET", long), urls.of("GET", long));
});

test("what is written is not kept", () => {
  const urls = new ParsedUrls();
  assert.notEqual(urls.of("PUT", stones), urls.of("PUT", stones));
  assert.deepEqual(urls.of("PUT", stones), urls.of("GET", stones));
});

test("what is asked for all the time is kept", () => {
  const urls = new ParsedUrls();
  const first = urls.of("GET", stones);
  for (let i = 0; i < 5_000; i += 1) {
    urls.of("GET", `${stones}/s${i}`);
    assert.equal(urls.of("GET", stones), first);
  }
});
