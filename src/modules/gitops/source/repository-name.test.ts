import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheKey, comparableUrl, hostOf, sourceName } from "./repository-name.ts";

const fields = { repoURL: "https://git.example/Jane/shop.git", targetRevision: "", credential: "" };

test("only the host is compared in lower case", () => {
  assert.equal(
    comparableUrl("https://GIT.example:8443/Jane/Shop.git/"),
    "https://git.example:8443/Jane/Shop",
  );
  assert.equal(comparableUrl("git@GIT.example:Jane/Shop"), "git@git.example:Jane/Shop");
  assert.equal(comparableUrl("local://Shop.git"), "local://Shop.git", "the name of a folder");
  assert.notEqual(
    comparableUrl("https://git.example/a&b"),
    comparableUrl("https://git.example/ab"),
  );
});

test("deployments share a source when URL, revision and credential are equal", () => {
  const name = sourceName(fields);
  assert.match(name, /^git-[0-9a-f]{40}$/);
  assert.equal(sourceName({ ...fields, repoURL: "https://GIT.example/Jane/shop" }), name);
  for (const other of [
    { ...fields, targetRevision: "main" },
    { ...fields, credential: "jane" },
    { ...fields, repoURL: "https://git.example/jane/shop.git" },
  ]) {
    assert.notEqual(sourceName(other), name);
  }
});

test("a cache belongs to a tenant and a credential", () => {
  const key = cacheKey("jane", fields.repoURL, "one");
  assert.notEqual(cacheKey("bob", fields.repoURL, "one"), key);
  assert.notEqual(cacheKey("jane", fields.repoURL, "two"), key);
});

test("the host of a URL", () => {
  assert.equal(hostOf("https://Git.Example:8443/a"), "git.example");
  assert.equal(hostOf("ssh://git@git.example/a"), "git.example");
  assert.equal(hostOf("git@git.example:a"), "git.example");
  assert.equal(hostOf("https://[::1]:1/a"), "[::1]");
  assert.equal(hostOf("none"), "");
  assert.equal(hostOf("local://Platform"), "local:");
});
