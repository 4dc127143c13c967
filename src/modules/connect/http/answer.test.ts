import assert from "node:assert/strict";
import { test } from "node:test";
import { connectLimits } from "../limits.ts";
import { readAnswer } from "./answer.ts";
import { ExchangeFailed } from "./exchange.ts";

function answer(text: string, type = "application/json"): ReturnType<typeof readAnswer> {
  return readAnswer({ status: 200, headers: { "content-type": type }, body: Buffer.from(text) });
}

test("a response with too many keys in one object is refused before it is parsed", () => {
  const keys = (count: number): string =>
    `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",")}`;
  const most = connectLimits.maxAnswerKeys;
  assert.notEqual(answer(`{"a":[${keys(most)}}]}`).json, undefined);
  // The text is not JSON: it would have been returned as a text after an attempt to parse it.
  assert.throws(
    () => answer(keys(most + 1)),
    (error) => {
      assert.ok(error instanceof ExchangeFailed);
      assert.equal(error.reason, "AnswerTooLarge");
      assert.match(error.message, /an object in the response has more than 100,000 keys/);
      return true;
    },
  );
});

test("JSON behind megabytes of spaces is found without its media type", () => {
  const spaces = " ".repeat(9_000_000);
  assert.deepEqual(answer(`${spaces}{"a":1}`, "text/plain").json, { a: 1 });
  assert.equal(answer(spaces, "text/plain").json, undefined);
});
