import assert from "node:assert/strict";
import { it } from "node:test";
import { nameParameter } from "./type-names.ts";

it("a parameter is named after one resource of its type", () => {
  const types = {
    ovens: "ovenName",
    mailboxes: "mailboxName",
    addresses: "addressName",
    branches: "branchName",
    caches: "cacheName",
    databases: "databaseName",
    policies: "policyName",
    glass: "glassName",
    staff: "staffName",
  };
  for (const [type, name] of Object.entries(types)) assert.equal(nameParameter(type), name);
});
