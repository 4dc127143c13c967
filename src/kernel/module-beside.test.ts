import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleBeside } from "./module-beside.ts";

test("a module beside an emitted module has the extension .js", () => {
  const url = moduleBeside("file:///usr/lib/setpoint/dist/app/pool.js", "./worker");
  assert.equal(url.href, "file:///usr/lib/setpoint/dist/app/worker.js");
});

test("a module beside a source file has the extension .ts", () => {
  const url = moduleBeside("file:///clone/src/app/pool.ts", "../cli/main");
  assert.equal(url.href, "file:///clone/src/cli/main.ts");
});
