import assert from "node:assert/strict";
import { test } from "node:test";
import { generateSigningKey, readSigningKey } from "../../../intents/auth/signing-key.ts";
import { skipKeyOf, skipPosition, skipToken } from "./skip-token.ts";
import type { ListedBy } from "./skip-token.ts";

const pem = generateSigningKey();
const key = skipKeyOf(readSigningKey(pem).privateKey);
const group = { key: "group", operator: "in", values: ["abc"] } as const;
const list: ListedBy = { kind: "ovens", namespace: "sub-1", labels: [group], owner: "u" };
const at = { revision: 7, namespace: "sub-1", name: "one" };

test("a token leads back to where the page ended, on every server that has the key", () => {
  const token = skipToken(key, list, at);
  assert.deepEqual(skipPosition(key, list, token), at);
  const other = skipKeyOf(readSigningKey(pem).privateKey);
  assert.deepEqual(skipPosition(other, list, token), at);
});

test("a token is good for no other list, and under no other key", () => {
  const token = skipToken(key, list, at);
  const others: readonly ListedBy[] = [
    { ...list, namespace: "sub-2" },
    { ...list, kind: "recipes" },
    { ...list, labels: [{ ...group, values: ["abd"] }] },
    { kind: "ovens", namespace: "sub-1", owner: "u" },
    { ...list, owner: "v" },
  ];
  for (const other of others) assert.equal(skipPosition(key, other, token), undefined);
  const strange = skipKeyOf(readSigningKey(generateSigningKey()).privateKey);
  assert.equal(skipPosition(strange, list, token), undefined);
});

test("a token that somebody has made or changed is none", () => {
  const parts = JSON.parse(
    Buffer.from(skipToken(key, list, at), "base64url").toString("utf8"),
  ) as readonly unknown[];
  const [, , digest] = parts;
  const forged = [
    [6, "one", digest],
    [7, "0", digest],
    [7, "one"],
    [7, "one", ""],
    [7, "one", "AAAA"],
    ["7", "one", digest],
    { revision: 7, name: "one", kind: "ovens" },
    null,
    3,
  ];
  for (const each of forged) {
    const token = Buffer.from(JSON.stringify(each)).toString("base64url");
    assert.equal(skipPosition(key, list, token), undefined, JSON.stringify(each));
  }
  for (const token of ["", "abc", "e30", "%%%"]) {
    assert.equal(skipPosition(key, list, token), undefined, token);
  }
});
