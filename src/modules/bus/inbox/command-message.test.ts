import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { commandOf } from "./command-message.ts";
import type { CommandDelivery } from "./command-message.ts";
import { mappedUsers } from "./mapped-users.ts";

const userOf = mappedUsers(["orders=system:serviceaccount:shop:orders", "ann=jane=doe"]);

function delivery(more: Partial<CommandDelivery> = {}): CommandDelivery {
  return { messageId: "1", type: "a.b", userId: "orders", body: Buffer.from("{}"), ...more };
}

function refusal(more: Partial<CommandDelivery>): string {
  try {
    commandOf(delivery(more), userOf);
    return "accepted";
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    return `${error.code} ${textAt(error.details, "field")}`;
  }
}

describe("a message as a command", () => {
  it("has the user that its sender is mapped to, with the groups of a service account", () => {
    const { user, producer } = commandOf(delivery(), userOf);
    assert.equal(user.name, "system:serviceaccount:shop:orders");
    assert.equal(producer, "orders");
    assert.deepEqual(user.groups, [
      "system:serviceaccounts",
      "system:serviceaccounts:shop",
      "system:authenticated",
    ]);
    const other = commandOf(delivery({ userId: "ann" }), userOf).user;
    assert.deepEqual([other.name, other.groups], ["jane=doe", ["system:authenticated"]]);
  });

  it("continues the trace of its sender, or has one that a repeat has as well", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const given = commandOf(delivery({ headers: { traceparent } }), userOf);
    assert.equal(given.traceId, "0af7651916cd43dd8448eb211c80319c");
    const own = commandOf(delivery({ headers: { traceparent: "00-broken" } }), userOf);
    assert.match(own.traceId, /^[0-9a-f]{32}$/);
    assert.equal(commandOf(delivery(), userOf).traceId, own.traceId);
    assert.notEqual(commandOf(delivery({ messageId: "2" }), userOf).traceId, own.traceId);
  });

  it("has another digest with another content or another name", () => {
    const digest = (more: Partial<CommandDelivery>): string =>
      commandOf(delivery(more), userOf).digest;
    const other = digest({ body: Buffer.from('{"data": {}}') });
    assert.equal(new Set([digest({}), other, digest({ type: "a.c" })]).size, 3);
    assert.equal(digest({}), digest({ correlationId: "other" }));
  });

  it("is refused with the part that is wrong", () => {
    const rows: readonly (readonly [Partial<CommandDelivery>, string])[] = [
      [{ userId: "eve" }, "request.unauthenticated user-id"],
      [{ messageId: "" }, "request.invalid message-id"],
      [{ messageId: "x".repeat(129) }, "request.invalid message-id"],
      [{ messageId: "a\u0000b" }, "request.invalid message-id"],
      [{ correlationId: "x".repeat(129) }, "request.invalid correlation-id"],
      [{ type: "" }, "request.invalid type"],
      [{ contentType: "text/xml" }, "request.unsupported_media_type content-type"],
      [{ body: Buffer.alloc(262_145, " ") }, "request.too_large body"],
      [{ body: Buffer.from([0xff, 0xfe]) }, "request.invalid body"],
      [{ body: Buffer.from('{"data": 1}') }, "request.invalid body.data"],
      [{ body: Buffer.from('{"path": {"name": 1}}') }, "request.invalid body.path.name"],
      [{ body: Buffer.from('{"ifMatch": 1}') }, "request.invalid body.ifMatch"],
      [{ body: Buffer.from('{"query": null}') }, "request.invalid body.query"],
    ];
    for (const [more, expected] of rows) assert.equal(refusal(more), expected);
    assert.equal(refusal({ body: Buffer.alloc(0) }), "accepted");
  });
});
