import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArmVersion } from "./arm-face.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { bodySchema } from "./body-schema.ts";
import { hiddenBetween, withShared } from "./hidden-properties.ts";

const rule = "x-setpoint-field-rule";
const text = { type: "string" };
const secretCode = { path: "/spec/code", rule: "secret" } as const;

function version(apiVersion: string, properties: JsonObject, more = {}): ArmVersion {
  return { apiVersion, schema: { type: "object", properties }, ...more };
}

test("what the kind or a sibling hides is hidden in each version of the stored shape", () => {
  const fixed = version("2026-01-01", { code: { ...text, [rule]: "create-only" }, pin: text });
  const other = version("2026-02-01", { code: text, pin: { ...text, [rule]: "write-only" } });
  const own = version("2026-03-01", { code: text, pin: text }, { fromStored: () => ({}) });
  const status = { path: "/status/url", rule: "secret" } as const;
  const fields = { path: "/spec/size", rule: "create-only" } as const;
  const [one, two, three] = withShared([fixed, other, own], [secretCode, status, fields]);
  const code = { path: "/code", rule: "secret" };
  assert.deepEqual(one?.hidden, [{ path: "/pin", rule: "write-only" }, code]);
  assert.deepEqual(two?.hidden, [code]);
  assert.equal(three, own, "what its functions make of a path is theirs to say");
  const all = withShared([fixed, own], [secretCode], () => true);
  assert.deepEqual(all[1]?.hidden, [code]);
});

test("a version that hides nothing besides stays the one that it was", () => {
  const hiding = version("2026-01-01", { code: { ...text, [rule]: "secret" } });
  assert.equal(withShared([hiding], [secretCode])[0], hiding);
});

test("what is fixed and hidden is kept, not shown, and not told when it is changed", () => {
  const fixed = version("2026-01-01", { code: { ...text, [rule]: "create-only" }, n: text });
  const [made = fixed] = withShared([fixed], [secretCode]);
  const body = bodySchema(made);
  assert.ok(body.hasHidden);
  assert.deepEqual(body.show({ code: "hush", n: "1" }), { n: "1" });
  const before = { code: "hush", n: "1" };
  assert.deepEqual(body.accept({ n: "2" }, before), {
    properties: { n: "2", code: "hush" },
    unknown: [],
    problems: [],
  });
  for (const wanted of [{ code: "other" }, { code: null }]) {
    const { problems } = body.accept(wanted, before);
    assert.deepEqual(
      problems.map(({ target }) => target),
      ["properties.code"],
    );
    assert.ok(!JSON.stringify(problems).includes("hush"));
  }
});

test("a message that is computed from a secret gives way to the fixed one", () => {
  const schema = {
    type: "object",
    properties: { code: { ...text, [rule]: "secret" }, n: { type: "integer" } },
    "x-kubernetes-validations": [
      { rule: "self.n < 5", messageExpression: "'for ' + self.code", message: "n is too large" },
    ],
  };
  const body = bodySchema({ apiVersion: "2026-01-01", schema });
  const wordsOf = (before: JsonObject): string =>
    JSON.stringify(body.accept({ n: 7 }, before).problems);
  assert.match(wordsOf({ code: "hush", n: 1 }), /n is too large\./);
  assert.doesNotMatch(wordsOf({ code: "hush", n: 1 }), /hush/);
});

test("what functions make of a secret is found by what they do not make without it", () => {
  const whole = { a: { code: "x", open: 1 }, gone: { b: [1] }, same: [1, 2], list: [1, 2] };
  const shown = { a: { open: 1 }, same: [1, 2], list: [1] };
  assert.deepEqual(
    hiddenBetween(whole, shown).map(({ path }) => path),
    ["/a/code", "/gone", "/gone/b", "/list"],
  );
  assert.deepEqual(hiddenBetween(whole, whole), []);
});
