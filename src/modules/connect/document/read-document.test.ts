import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpAnswer, HttpFailure, OpenHttp } from "../../../adapters/http/port.ts";
import { documentReader } from "./read-document.ts";

/** A network in which each name has one address; the answer names the URL. */
function networkOf(addresses: Readonly<Record<string, string>>): OpenHttp {
  return ({ refuseAddress } = {}) => ({
    send: async ({ place, target }): Promise<HttpAnswer | HttpFailure> => {
      assert(place.kind === "origin");
      const host = new URL(place.origin).hostname;
      const why = refuseAddress?.(addresses[host] ?? host, host);
      const body = Buffer.from(`${place.origin}${target}`);
      const answer: HttpAnswer = { kind: "answer", status: 200, headers: {}, body };
      const refusal = { reason: "refused", phase: "connecting", isUnsent: true, code: "" } as const;
      return await Promise.resolve(
        why === undefined ? answer : { kind: "failure", ...refusal, message: why },
      );
    },
    stream: () => assert.fail(),
    events: () => assert.fail(),
    webSocket: () => assert.fail(),
    [Symbol.dispose]: () => undefined,
  });
}

test("a name with an inner address is refused, unless the document itself is there", async () => {
  const network = networkOf({ "docs.example": "10.0.0.7", "other.example": "93.184.215.14" });
  const fromOutside = documentReader("https://other.example/openapi.json", network);
  const own = "https://other.example/types.json?a=b";
  assert.equal(await fromOutside(own), own);
  await assert.rejects(fromOutside("https://docs.example/types.json"), {
    message: "docs.example is in a private network",
  });
  const fromInside = documentReader("https://docs.example/openapi.json", network);
  const inner = "https://docs.example/types.json";
  assert.equal(await fromInside(inner), inner);
  // A person wrote the address down.
  assert.equal(await fromOutside("http://127.0.0.1/x.json"), "http://127.0.0.1/x.json");
});
