// Credentials of documents: from arguments and from files, and never in a message.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { documentHeaders } from "./document-credentials.ts";

test("headers, users and tokens become headers, from arguments or from files", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-credentials-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  writeFileSync(file, "from-a-file\n");
  assert.deepEqual(documentHeaders({}), {});
  assert.deepEqual(documentHeaders({ documentHeader: ["X-Api-Key: one", `x-other=@${file}`] }), {
    "x-api-key": "one",
    "x-other": "from-a-file",
  });
  assert.deepEqual(documentHeaders({ documentUser: "ann:b" }), { authorization: "Basic YW5uOmI=" });
  assert.deepEqual(documentHeaders({ documentToken: `@${file}` }), {
    authorization: "Bearer from-a-file",
  });
});

test("a wrong credential is refused without being shown", () => {
  const wrong = [
    { documentHeader: ["hidden-value"] },
    { documentHeader: ["a: hidden-value\nb: c"] },
    { documentUser: "hidden-value" },
    { documentToken: "hidden-value\r\nx: y" },
  ];
  for (const flags of wrong) {
    assert.throws(
      () => documentHeaders(flags),
      (error: Error) => /is not valid/.test(error.message) && !error.message.includes("hidden"),
    );
  }
  assert.throws(
    () => documentHeaders({ documentToken: "@/nowhere" }),
    /\/nowhere .* cannot be read/,
  );
});
