import assert from "node:assert/strict";
import { test } from "node:test";
import type { KindInfo } from "../../api/kinds.ts";
import { subjectOfDocument } from "./document-subject.ts";

const kind = { id: "databases.shop.example", kind: "Database" } as KindInfo;
const document = (annotations: Record<string, string>) => ({
  apiVersion: "shop.example/v1",
  kind: "Database",
  metadata: { name: "orders", namespace: "shop", uid: "u", annotations },
});

test("an annotation counts unless it is false", () => {
  const paused = subjectOfDocument(kind, document({ "setpoint.dev/paused": "" }), "Paused");
  assert.equal(paused.isPaused, true);
  assert.equal(paused.isProtected, false);
  const off = { "setpoint.dev/paused": "false", "setpoint.dev/deletion-protection": "x" };
  assert.equal(subjectOfDocument(kind, document(off), undefined).isPaused, false);
  assert.equal(subjectOfDocument(kind, document(off), undefined).isProtected, true);
});
