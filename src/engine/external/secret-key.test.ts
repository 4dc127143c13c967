import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Context } from "../reconciler.ts";
import { outcomeInside } from "../run/run-ended.ts";
import { secretKey } from "./secret-key.ts";

function contextWith(data: JsonObject | undefined): Pick<Context, "references"> {
  const secret = data === undefined ? undefined : ({ data } as unknown as Resource);
  return { references: { get: async () => secret } };
}

const reference = { namespace: "ops", name: "dns", key: "key" };
const encoded = (text: string): string => Buffer.from(text).toString("base64");

test("a key is decoded, without the white space of editors", async () => {
  const context = contextWith({ key: encoded("k1 k2\n") });
  assert.equal(await secretKey(context, reference), "k1 k2");
});

test("a run without the key waits for the Secret", async () => {
  const cases: readonly (readonly [JsonObject | undefined, string, boolean])[] = [
    [undefined, "the Secret ops/dns does not exist", false],
    [{}, "the Secret ops/dns has no key key", true],
    [{ key: encoded(" ") }, "the Secret ops/dns has no key key", true],
  ];
  for (const [data, message, isThere] of cases) {
    const error = await secretKey(contextWith(data), reference).catch((thrown: unknown) => thrown);
    const on = [{ kind: "secrets", namespace: "ops", name: "dns", isThere }];
    assert.deepEqual(outcomeInside(error), { kind: "waiting", on, message });
  }
});

test("a key that cannot be sent in a header is refused without its value", async () => {
  const context = contextWith({ key: encoded("a\nb") });
  const error = await secretKey(context, reference).catch((thrown: unknown) => thrown);
  const message =
    "the key key of the Secret ops/dns contains characters other than printable ASCII";
  const outcome = { kind: "failed", retry: "never", reason: "SecretInvalid", message };
  assert.deepEqual(outcomeInside(error), outcome);
});
