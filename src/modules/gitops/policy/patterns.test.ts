import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesText, matchesUrl, urlPlace } from "./patterns.ts";

const matches = (pattern: string, url: string, compared: "exact" | "any" = "exact"): boolean => {
  const place = urlPlace(url);
  return place !== undefined && matchesUrl(pattern, place, compared);
};

describe("patterns of policies", () => {
  it("match with * for any characters", () => {
    assert.equal(matchesText("*", ""), true);
    assert.equal(matchesText("a*b*c", "a-b-b-c"), true);
    assert.equal(matchesText("a*a", "a"), false, "no character is used twice");
    assert.equal(matchesText("team-*", "team"), false);
    assert.equal(matchesText("shop", "shop-2"), false);
  });

  it("match a repository in each of its spellings", () => {
    const pattern = "https://git.example/jane/*";
    assert.equal(matches(pattern, "https://git.example/jane/shop.git"), true);
    assert.equal(matches(pattern, "https://GIT.example:443/jane/a/b/"), true);
    assert.equal(matches(pattern, "https://user@git.example/jane/shop"), true);
    assert.equal(
      matches("https://git.example/jane/shop", "https://git.example/jane//shop.git"),
      true,
    );
    assert.equal(matches("ssh://git.example/*", "git@git.example:jane/shop"), true);
    assert.equal(matches("git@git.example:jane/*", "ssh://git@git.example:22/jane/shop"), true);
    assert.equal(matches("https://git.example", "https://git.example/any"), true);
    assert.equal(matches("https://api.example:6443/*", "https://api.example:6443"), true);
  });

  it("do not match what only looks like it", () => {
    const pattern = "https://git.example/jane/*";
    for (const url of [
      "https://git.example/jane/../bob/shop",
      "https://git.example/jane/%2e%2e/bob/shop",
      "https://git.example/jane/..%2fbob/shop",
      "https://git.example/jane\\..\\bob",
      "https://git.example@evil.example/jane/shop",
      "https://git.example.evil.example/jane/shop",
      "https://git.example:8443/jane/shop",
      "http://git.example/jane/shop",
      "https://git.example/jane/shop?x=/jane/",
      "https://git.example/jane/%",
      "not a URL",
    ]) {
      assert.equal(matches(pattern, url), false, url);
    }
    assert.equal(matches("https://*.example/jane", "https://evil.test/x.example/jane"), false);
  });

  it("deny a path in any case and encoding", () => {
    const denied = "https://git.example/bob/*";
    assert.equal(matches(denied, "https://git.example/BOB/secret", "any"), true);
    assert.equal(matches(denied, "https://git.example/%62ob/secret", "any"), true);
  });
});
