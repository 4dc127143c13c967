/** What a statement sends, the first time on a connection and from then on. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Connection } from "pg";
import { PreparedQuery } from "./prepared-query.ts";
import type { Row, Statements } from "./prepared-query.ts";

const statement = { name: "one", text: "SELECT $1::int" };
const numbers = { fields: [{ dataTypeID: 23 }] };

/** A connection that only notes what it is told to send. */
function noting(sent: string[]): Connection {
  const note = (what: string) => (): void => void sent.push(what);
  const messages = ["close", "parse", "bind", "describe", "execute", "sync"];
  const stream = { cork: () => undefined, uncork: note("written") };
  const noted = Object.fromEntries(messages.map((name) => [name, note(name)]));
  return { stream, ...noted } as unknown as Connection;
}

interface Sent {
  readonly query: PreparedQuery;
  readonly sent: readonly string[];
  readonly answer: Promise<readonly Row[]>;
}

function send(statements: Statements, values: readonly unknown[] = [1]): Sent {
  const { promise: answer, resolve, reject } = Promise.withResolvers<readonly Row[]>();
  const parserOf = () => (text: string) => {
    if (text === "bad") throw new Error("cannot be read");
    return Number(text);
  };
  const parts = { statement, values, statements, parserOf, resolve, reject };
  const query = new PreparedQuery(parts);
  const sent: string[] = [];
  query.submit(noting(sent));
  return { query, sent, answer };
}

const first = ["close", "parse", "bind", "describe", "execute", "sync", "written"];
const later = ["bind", "execute", "sync", "written"];

describe("a prepared statement", () => {
  test("is parsed and described once, and read by what was said then", async () => {
    const statements: Statements = new Map();
    const one = send(statements);
    assert.deepEqual(one.sent, first);
    one.query.handleRowDescription(numbers);
    one.query.handleDataRow({ fields: ["1"] });
    one.query.handleReadyForQuery();
    assert.deepEqual(await one.answer, [[1]]);

    const two = send(statements);
    assert.deepEqual(two.sent, later);
    for (const text of ["2", null]) two.query.handleDataRow({ fields: [text] });
    two.query.handleReadyForQuery();
    assert.deepEqual(await two.answer, [[2], [null]]);
  });

  test("is parsed again after an attempt that failed before it was described", async () => {
    const statements: Statements = new Map();
    const one = send(statements);
    one.query.handleError(new Error("refused"));
    await assert.rejects(one.answer, /refused/);
    assert.deepEqual(send(statements).sent, first);
  });

  test("whose rows cannot be read fails at its end, when the connection is free", async () => {
    const { query, answer } = send(new Map());
    query.handleRowDescription(numbers);
    for (const text of ["bad", "1"]) query.handleDataRow({ fields: [text] });
    query.handleReadyForQuery();
    await assert.rejects(answer, /cannot be read/);
  });

  test("takes texts, numbers, bytes and nulls, and refuses the rest before it is sent", () => {
    const statements: Statements = new Map();
    send(statements, ["text", 1, Buffer.from("bytes"), null]);
    assert.throws(() => send(statements, [["no", "array"]]), /a text, a number or bytes/);
  });
});
