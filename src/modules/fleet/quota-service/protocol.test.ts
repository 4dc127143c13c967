import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as check, anything, integer, property } from "fast-check";
import type { Json } from "../../../kernel/json.ts";
import { checkCall, isReleased, readCheck, readReservation, releaseCall } from "./protocol.ts";
import { reserveCall } from "./protocol.ts";

const subject = { offering: "dinosaurs", organisation: "acme", user: "alice", account: "7" };
const question = { ...subject, types: [{ name: "standard", units: 2 }] };

test("the requests of the protocol name the subject, the types and the key", () => {
  assert.deepEqual(checkCall(question), { method: "POST", path: "/check", body: question });
  const body = { ...subject, type: "standard", units: 2, instance: { name: "rex" } };
  assert.deepEqual(reserveCall({ key: "a/b", ...body }), {
    method: "PUT",
    path: "/reservations/a%2Fb",
    body,
  });
  assert.deepEqual(releaseCall("a"), { method: "DELETE", path: "/reservations/a" });
});

test("a check answers for each type, and a type that it leaves out is refused", () => {
  const allowed = { status: 200, json: { types: [{ name: "standard", allowed: true }] } };
  assert.equal(readCheck(allowed, question)?.get("standard")?.kind, "allowed");
  const silent = readCheck({ status: 200, json: {} }, question)?.get("standard");
  assert.deepEqual(silent, { kind: "refused", code: "insufficient", message: "" });
  const full = [{ name: "standard", allowed: false, reason: "exceeded", message: "5\nof 5" }];
  const refused = readCheck({ status: 200, json: { types: full } }, question)?.get("standard");
  assert.deepEqual(refused, { kind: "refused", code: "exceeded", message: "5 of 5" });
  assert.equal(readCheck({ status: 404, json: {} }, question), undefined);
});

test("a reservation is reserved, refused or released, and any other answer is none", () => {
  const reserved = { kind: "reserved", subscription: "s1" };
  const json = { subscription: "s1" };
  assert.deepEqual(readReservation({ status: 201, json }), reserved);
  assert.deepEqual(readReservation({ status: 200, json }), reserved);
  assert.equal(readReservation({ status: 403, json: undefined })?.kind, "refused");
  assert.equal(readReservation({ status: 410, json: undefined })?.kind, "released");
  for (const status of [202, 204, 301, 400, 401, 404, 409]) {
    assert.equal(readReservation({ status, json }), undefined, `${status}`);
  }
});

test("what does not exist is released", () => {
  for (const status of [200, 202, 204, 404, 410]) assert.ok(isReleased({ status }), `${status}`);
  for (const status of [301, 400, 401, 403, 409]) assert.ok(!isReleased({ status }), `${status}`);
});

test("no answer of a service makes reading it fail, and texts are bounded", () => {
  check(
    property(integer({ min: 100, max: 599 }), anything(), (status, json) => {
      const answer = { status, json: json as Json };
      readCheck(answer, question);
      const read = readReservation(answer);
      if (read?.kind === "refused") assert.ok(read.message.length <= 310);
    }),
  );
});
