import assert from "node:assert/strict";
import { test } from "node:test";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { chooseType } from "./choose-type.ts";
import type { QuotaChecked, TypeChoiceInput } from "./choose-type.ts";
import type { QuotaRefusal } from "./protocol.ts";

const offering = readOffering(sampleOffering());
const paidOnly = { ...offering, types: offering.types.filter(({ quota }) => quota !== "none") };

function chosen(given: Partial<TypeChoiceInput>): string {
  const input = { offering, checked: unavailable, onOutage: "refuse", ...given } as const;
  const result = chooseType(input);
  return "name" in result && "units" in result ? result.name : `${result.code}: ${result.message}`;
}

const unavailable: QuotaChecked = { kind: "unavailable" };
const allowed: QuotaChecked = answered({ kind: "allowed" });
const refused = (code: QuotaRefusal["code"], message: string): QuotaChecked =>
  answered({ kind: "refused", code, message });

function answered(answer: { readonly kind: "allowed" } | QuotaRefusal): QuotaChecked {
  return { kind: "answered", types: new Map([["standard", answer]]) };
}

test("a caller with a quota gets its type, and others a type that needs none", () => {
  assert.equal(chosen({ checked: allowed }), "standard");
  assert.equal(chosen({ checked: refused("insufficient", "") }), "eval");
});

test("a caller without a quota is refused where every type needs one", () => {
  const given = { offering: paidOnly };
  assert.match(
    chosen({ ...given, checked: refused("exceeded", "5 of 5") }),
    /^fleet.quota_exceeded: the quota is used up: 5 of 5$/,
  );
  assert.match(
    chosen({ ...given, checked: refused("insufficient", "") }),
    /^fleet.quota_insufficient: there is no quota for the instance$/,
  );
});

test("an outage refuses creations, or leaves the types without a quota", () => {
  assert.match(chosen({}), /^fleet.quota_unavailable: the quota service of dinosaurs cannot/);
  assert.equal(chosen({ onOutage: "withoutQuota" }), "eval");
  const none = chosen({ offering: paidOnly, onOutage: "withoutQuota" });
  assert.match(none, /^fleet.quota_unavailable/);
});
