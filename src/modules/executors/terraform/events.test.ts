import assert from "node:assert/strict";
import { it } from "node:test";
import { readEvent } from "./events.ts";

it("events of Terraform are read, and a line that is not JSON is text", () => {
  const diagnostic = {
    "@message": "Error: no",
    type: "diagnostic",
    diagnostic: {
      severity: "error",
      summary: "Invalid value",
      detail: "must be x",
      range: { filename: "main.tf", start: { line: 3 } },
      address: "terraform_data.a",
    },
  };
  assert.equal(
    readEvent(JSON.stringify(diagnostic)).text,
    "error: Invalid value: must be x (terraform_data.a, main.tf:3)",
  );
  const hook = { resource: { addr: "terraform_data.a" }, action: "create", id_value: "7" };
  const applied = { "@message": "done", type: "apply_complete", hook };
  assert.deepEqual(readEvent(JSON.stringify(applied)), {
    event: { kind: "applied", address: "terraform_data.a", id: "7" },
    text: "done",
  });
  const read = { ...applied, hook: { ...hook, action: "read" } };
  assert.equal(readEvent(JSON.stringify(read)).event.kind, "other");
  assert.deepEqual(readEvent("panic: oh"), { event: { kind: "other" }, text: "panic: oh" });
});
