import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import { decodeCursor, encodeCursor } from "../../kernel/cursor.ts";
import { etagText, ifMatchOf, isNotModified } from "./conditions.ts";
import { fieldProblemsIn, invalidRequest } from "./field-problem.ts";
import { problemOf } from "./problem.ts";
import { bodyReader } from "./request-body.ts";
import { queryReader } from "./request-query.ts";
import { streamForm } from "./stream.ts";
import { requiredField } from "../../kernel/field-error.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

function problemFrom(run: () => unknown): JsonObject {
  try {
    run();
  } catch (error) {
    return problemOf(error, traceId).document;
  }
  return assert.fail("nothing was thrown");
}

function fieldsOf(problem: JsonObject): readonly string[] {
  const { errors } = problem as { readonly errors?: readonly JsonObject[] };
  return (errors ?? []).map((error) => textAt(error, "field")).sort();
}

describe("the query of a request", () => {
  const read = queryReader({
    properties: {
      limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
      ratio: { type: "number" },
      deep: { type: "boolean", default: false },
      name: { type: "string", maxLength: 3 },
    },
    required: ["name"],
  });

  it("is converted, and has its defaults", () => {
    const sent = read("name=a%20b&ratio=1.5");
    assert.deepEqual(sent, { name: "a b", ratio: 1.5, limit: 5, deep: false });
  });

  it("is refused without a mention of a body", () => {
    const { detail, errors } = problemFrom(() => read("limit=11&name=abcd"));
    assert.doesNotMatch(JSON.stringify([detail, errors]), /in body/);
  });

  it("is refused with every problem at once", () => {
    const problem = problemFrom(() => read("limit=11&deep=yes&colour=red&ratio=&ratio=1"));
    assert.deepEqual(fieldsOf(problem), [
      "query.colour",
      "query.deep",
      "query.limit",
      "query.name",
      "query.ratio",
    ]);
    assert.deepEqual(fieldsOf(problemFrom(() => read("name=toolong"))), ["query.name"]);
    assert.deepEqual(fieldsOf(problemFrom(() => read("name=a&__proto__=1"))), ["query.__proto__"]);
  });
});

describe("the body of a request", () => {
  const read = bodyReader({
    properties: { to: { type: "integer" }, dryRun: { type: "boolean", default: false } },
    required: ["to"],
  });
  const of = (text: string, type?: string): JsonObject => read(Buffer.from(text), type);

  it("is JSON with its defaults", () => {
    assert.deepEqual(of('{"to":1}'), { to: 1, dryRun: false });
    assert.deepEqual(of('{"to":1}', "application/json; charset=utf-8"), { to: 1, dryRun: false });
  });

  it("is refused by field", () => {
    assert.deepEqual(fieldsOf(problemFrom(() => of('{"to":"1","x":{}}'))), ["body.to", "body.x"]);
    assert.deepEqual(fieldsOf(problemFrom(() => of('{"to":1,"to":2}'))), ["body"]);
    for (const text of ["", "[]", "1", "{", '{"to":1e400}']) {
      const problem = problemFrom(() => of(text));
      assert.equal(problem["code"], "request.invalid", text);
      assert.deepEqual(fieldsOf(problem), ["body"], text);
    }
    const other = problemFrom(() => of("to: 1", "application/yaml"));
    assert.equal(other["code"], "request.unsupported_media_type");
  });
});

describe("an error of a request", () => {
  it("has what another surface needs to word it: field, kind and detail", () => {
    const read = queryReader({ properties: { page: { type: "integer" } } });
    const errors: unknown[] = [];
    try {
      read("page=x&size=1");
    } catch (error) {
      assert.ok(isSetpointError(error, "request.invalid"));
      errors.push(...fieldProblemsIn(error.details));
    }
    assert.deepEqual(errors, [
      { field: "query.page", kind: "type", detail: "must be of type integer" },
      {
        field: "query.size",
        kind: "unknown",
        detail: "unknown parameter: known parameters are page",
      },
    ]);
  });
});

describe("a problem", () => {
  it("has the code, the field, the suggestion and the trace id", () => {
    const error = new SetpointError("resource.conflict", "it changed", {
      details: { field: "If-Match", fields: [requiredField("spec.size")] },
    });
    const { status, document, contentType } = problemOf(error, traceId);
    assert.equal(status, 409);
    assert.equal(contentType, "application/problem+json");
    assert.deepEqual(document, {
      type: "/api/v1/doc#resource.conflict",
      title: "The resource has changed since it was read: the revision precondition failed.",
      status: 409,
      detail: "spec.size: it is required",
      code: "resource.conflict",
      field: "If-Match",
      suggestion: "Read the resource again, repeat the change on the new state, and write that.",
      traceId,
      errors: [{ field: "spec.size", kind: "required", detail: "it is required" }],
    });
  });

  it("shows nothing of an unexpected error", () => {
    const { status, document } = problemOf(new Error("password hunter2"), traceId);
    assert.equal(status, 500);
    assert.ok(!JSON.stringify(document).includes("hunter2"));
  });

  it("says when to try again, and which methods there are", () => {
    const busy = problemOf(new SetpointError("request.overloaded", "busy"), traceId);
    assert.equal(busy.headers["retry-after"], 1);
    const details = { allow: "GET" };
    const other = new SetpointError("request.method_not_allowed", "no", { details });
    assert.equal(problemOf(other, traceId).headers["allow"], "GET");
    const many = invalidRequest([
      { field: "a", detail: "x" },
      { field: "b", detail: "y" },
    ]);
    assert.equal(problemOf(many, traceId).document["field"], "a");
  });
});

describe("conditional requests", () => {
  it("take one strong ETag in If-Match", () => {
    assert.equal(ifMatchOf('"42"'), "42");
    assert.equal(ifMatchOf(" * "), "*");
    assert.equal(ifMatchOf(undefined), undefined);
    for (const text of ["42", 'W/"42"', '"1", "2"', '""', ""]) {
      assert.throws(() => ifMatchOf(text), { code: "request.invalid" }, text);
    }
  });

  it("compare If-None-Match weakly", () => {
    for (const text of ['"42"', 'W/"42"', '"1", "42"', "*"]) assert.ok(isNotModified(text, "42"));
    for (const text of ['"4"', "42", undefined]) assert.ok(!isNotModified(text, "42"));
    assert.equal(etagText("42"), '"42"');
  });
});

describe("a cursor", () => {
  it("continues its own query only", () => {
    const cursor = encodeCursor(["team", "web", 3, null], "q1");
    assert.deepEqual(decodeCursor(cursor, "q1"), ["team", "web", 3, null]);
    const garbage = [
      "",
      "x",
      cursor.slice(1),
      `${cursor}A`,
      "A".repeat(9_000),
      "\0",
      "é".repeat(20),
    ];
    for (const text of garbage) {
      assert.throws(() => decodeCursor(text, "q1"), { code: "request.invalid" }, text);
    }
    assert.throws(() => decodeCursor(cursor, "q2"), { code: "request.invalid" });
  });
});

describe("a stream", () => {
  const item = { revision: 7, type: "created", item: { name: "a\nb" } };

  it("is NDJSON unless the client names server-sent events", () => {
    assert.equal(streamForm(undefined).text(item), '{"name":"a\\nb"}\n');
    assert.equal(streamForm("*/*").contentType, "application/x-ndjson");
    const form = streamForm("application/json, text/event-stream;q=0.9");
    assert.equal(form.text(item), 'id: 7\nevent: created\ndata: {"name":"a\\nb"}\n\n');
  });

  it("ends with the error under the name that its surface has for errors", () => {
    const document = { code: 7 };
    assert.equal(
      streamForm("*/*").error("error", document),
      '{"type":"error","error":{"code":7}}\n',
    );
    const events = streamForm("text/event-stream");
    assert.equal(events.error("problem", document), 'event: problem\ndata: {"code":7}\n\n');
  });
});
