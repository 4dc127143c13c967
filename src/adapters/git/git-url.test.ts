import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefName, parseGitUrl } from "./git-url.ts";

test("URLs of the four forms", () => {
  const partsOf = (text: string): unknown => {
    const url = parseGitUrl(text);
    return url.kind === "url" ? [url.scheme, url.host, url.port] : url.message;
  };
  assert.deepEqual(partsOf("https://Git.Example/a/b.git"), ["https", "git.example", 443]);
  assert.deepEqual(partsOf("https://[::1]:8443/a%20&;b"), ["https", "::1", 8_443]);
  assert.deepEqual(partsOf("ssh://git@git.example:2222/a"), ["ssh", "git.example", 2_222]);
  assert.deepEqual(partsOf("local://platform/shop.git"), ["local", "", 0]);
  assert.deepEqual(partsOf("git@git.example:a/b.git"), ["ssh", "git.example", 22]);
});

test("other URLs are refused, with the reason", () => {
  for (const [text, why] of [
    ["http://git.example/a", /https/],
    ["file:///etc/passwd", /https/],
    ["ext::sh -c id", /spaces/],
    ["ext::sh", /https/],
    ["/srv/a.git", /not a URL/],
    ["https://jane:secret@git.example/a", /credentials/],
    ["https://token@git.example/a", /credentials/],
    ["https://git.example/a?b=c", /query/],
    ["https://git.example", /path/],
    ["ssh://-oProxyCommand=id/a", /not a URL|host|path|user/],
    ["ssh://-o@git.example/a", /user/],
    ["git@-oProxyCommand=id:a", /host/],
    ["git@git.example:-a", /not a URL|https/],
    ["https://git.example/a\nb", /control/],
    ["local://", /after local/],
    ["local:///etc", /after local/],
    ["local://../etc", /after local/],
    ["local://a/.git", /after local/],
    ["local://-a", /after local/],
    ["local://a?b", /after local/],
  ] as const) {
    const problem = parseGitUrl(text);
    assert.equal(problem.kind, "problem", text);
    assert.match(problem.message, why, text);
    assert.doesNotMatch(problem.message, /secret/);
  }
});

test("names of refs", () => {
  for (const ref of ["main", "refs/heads/a-b", "v1.0", "feature/x_y", "ünï"]) {
    assert.equal(isRefName(ref), true, ref);
  }
  for (const ref of [
    "-x",
    "a..b",
    "a b",
    "a~1",
    "a^{}",
    "a:b",
    "*",
    "a.lock",
    "/a",
    "a/",
    "@{u}",
  ]) {
    assert.equal(isRefName(ref), false, ref);
  }
});
