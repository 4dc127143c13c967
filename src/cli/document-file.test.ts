// Files are taken as kubectl takes them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { documentsIn, documentsOf } from "./document-file.ts";

const named = (text: string): readonly unknown[] =>
  documentsOf(text, "file.yaml").map(({ kind }) => kind);

it("finds each resource of a file", () => {
  assert.deepEqual(named("kind: A\n"), ["A"]);
  assert.deepEqual(named("---\nkind: A\n--- # the second\nkind: B\n---\n# nothing\n"), ["A", "B"]);
  assert.deepEqual(named("--- {kind: A}\r\n---\r\nkind: B\r\n"), ["A", "B"]);
  assert.deepEqual(named('{"kind":"List","items":[{"kind":"A"},{"kind":"B"}]}'), ["A", "B"]);
  assert.deepEqual(named("kind: A\ntext: |\n  ---\n  x\n"), ["A"]);
});

it("says which file is wrong, and how", () => {
  const failing =
    (text: string): (() => unknown) =>
    () =>
      documentsOf(text, "file.yaml");
  assert.throws(failing("kind: A\nspec: 1\nspec: 2\n"), /file\.yaml: .*"spec" already set/);
  assert.throws(failing("kind: [\n"), /file\.yaml: yaml: line 2: /);
  assert.throws(failing("just words\n"), /file\.yaml does not contain a resource/);
  assert.throws(() => documentsIn("/no/such/file"), /cannot be read: ENOENT/);
});
