import assert from "node:assert/strict";
import { test } from "node:test";
import { treeFiles } from "./tree-listing.ts";

const limits = { maxFiles: 3, maxBytes: 100, maxFileBytes: 60 };
const id = "0123456789012345678901234567890123456789";

function listed(...entries: readonly (readonly [mode: string, size: string, name: string])[]) {
  const lines = entries.map(([mode, size, name]) => `${mode} blob ${id} ${size}\t${name}\0`);
  return treeFiles(Buffer.from(lines.join("")), "deploy", limits);
}

test("files are sorted, and relative to the root of the repository", () => {
  assert.deepEqual(listed(["100755", "     10", "b.sh"], ["100644", "7", "a/ü.yaml"]), [
    { path: "deploy/a/ü.yaml", blobId: id, bytes: 7, isExecutable: false },
    { path: "deploy/b.sh", blobId: id, bytes: 10, isExecutable: true },
  ]);
});

test("what a program could follow out of a folder is refused", () => {
  for (const [mode, name, why] of [
    ["120000", "a", /symbolic link/],
    ["160000", "a", /submodule/],
    ["100644", "../a", /not allowed/],
    ["100644", "b/./a", /not allowed/],
    ["100644", "b/.GIT/config", /\.git/],
    ["100644", "b\\a", /character/],
    ["100644", "a\nb", /character/],
    ["100644", "a".repeat(256), /too long/],
  ] as const) {
    const found = listed([mode, "1", name]);
    assert.ok("kind" in found, name);
    assert.equal(found.reason, "UnsafeTree");
    assert.match(found.message, why);
  }
  const notText = Buffer.from(`100644 blob ${id} 1\t\xff\0`, "latin1");
  assert.partialDeepStrictEqual(treeFiles(notText, "", limits), { reason: "UnsafeTree" });
});

test("the bounds count files, all bytes, and the bytes of one file", () => {
  const small = ["100644", "1"] as const;
  assert.ok(!("kind" in listed([...small, "a"], [...small, "b"], [...small, "c"])));
  for (const entries of [
    ["a", "b", "c", "d"].map((name) => ["100644", "1", name] as const),
    [["100644", "61", "a"] as const],
    [["100644", "60", "a"] as const, ["100644", "41", "b"] as const],
  ]) {
    assert.partialDeepStrictEqual(listed(...entries), { reason: "TooLarge" });
  }
});
