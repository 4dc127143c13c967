import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SetpointError } from "../kernel/errors.ts";
import { sinceText } from "./commands/audit.ts";
import { auditLines, diffLines, historyLines, problemLines } from "./history-table.ts";
import { kindIdOfPath, restPath } from "./rest-request.ts";
import { revisionOf, rollbackError } from "./revision-argument.ts";

describe("the tables of the history commands", () => {
  const cause = { actor: "jane", surface: "kube" };
  const time = "2026-01-01T10:00:00.123Z";

  it("show revisions with their cause, and what changed", () => {
    const changed = ["/a", "/b", "/c", "/d", "/e"];
    const lines = historyLines({
      revisions: [
        { revision: 30, type: "updated", time, cause, changed },
        { revision: 28, type: "created", time },
        { revision: 27, type: "deleted", time, erased: true },
      ],
      next: "x",
    });
    assert.deepEqual(lines, [
      "REVISION  TIME                  CHANGE   BY    VIA   FIELDS",
      "30        2026-01-01T10:00:00Z  updated  jane  kube  /a /b /c /d and 1 more",
      "28        2026-01-01T10:00:00Z  created  -     -",
      "27        2026-01-01T10:00:00Z  deleted  -     -     (erased)",
      "There are older revisions: use --limit.",
    ]);
  });

  it("show the changes of a run as one field", () => {
    const changed = ["/metadata/finalizers", "/status/conditions/0/status", "/status/url"];
    const [, line] = historyLines({ revisions: [{ revision: 3, type: "updated", time, changed }] });
    assert.match(line ?? "", / \/metadata\/finalizers \/status$/);
  });

  it("show differences on one line each, without control characters", () => {
    assert.deepEqual(
      diffLines([
        { kind: "add", path: "/spec/a", new: "x\u001b[2J" },
        { kind: "remove", path: "/spec/b", old: null },
        { kind: "replace", path: "/spec/c", old: 1, new: [2] },
        { kind: "replace", path: "/data/token", isHidden: true },
      ]),
      [
        '+ /spec/a: "x\\u001b[2J"',
        "- /spec/b: null",
        "~ /spec/c: 1 -> [2]",
        "~ /data/token: (hidden)",
      ],
    );
    assert.deepEqual(diffLines([]), ["No differences."]);
  });

  it("show audit records, and groups of resources that are not ready", () => {
    const place = { kind: "databases.shop.example", namespace: "team", name: "orders" };
    const record = { revision: 3, type: "deleted", time, cause, ...place };
    assert.deepEqual(auditLines({ items: [record] }), [
      "TIME                  BY    VIA   CHANGE   RESOURCE                               REVISION",
      "2026-01-01T10:00:00Z  jane  kube  deleted  databases.shop.example/orders in team  3",
    ]);
    assert.deepEqual(auditLines({ items: [] }), ["No records."]);
    const examples = [{ namespace: "a", name: "x" }, { name: "y" }];
    const group = { state: "Failed", reason: "NoQuota", count: 5, message: "full", examples };
    assert.deepEqual(problemLines({ groups: [group], omitted: 2 }, "databases"), [
      "COUNT  STATE   REASON   RESOURCES          MESSAGE",
      "5      Failed  NoQuota  a/x, y and 3 more  full",
      "2 more groups are not shown.",
    ]);
    assert.deepEqual(problemLines({ groups: [] }, "databases"), [
      "No resource of databases has a problem.",
    ]);
  });
});

describe("requests of the history commands", () => {
  it("name the kind and encode what people type", () => {
    const paths = {
      "/apis/shop.example/v1/namespaces/team/databases/orders": "databases.shop.example",
      "/apis/shop.example/v1/regions/north": "regions.shop.example",
      "/api/v1/namespaces/team/configmaps/a": "configmaps",
      "/api/v1/namespaces/team": "namespaces",
    };
    for (const [path, id] of Object.entries(paths)) assert.equal(kindIdOfPath(path), id);
    const query = { namespace: "a&b", from: undefined, to: "" };
    assert.equal(restPath(["diff", "x", "a/b"], query), "/api/v1/diff/x/a%2Fb?namespace=a%26b");
  });

  it("take revisions, and explain a refused rollback in terms of the options", () => {
    assert.equal(revisionOf("28", "FROM"), 28);
    for (const text of ["", "0", "-1", "abc"]) {
      assert.throws(() => revisionOf(text, "FROM"), { code: "config.invalid" }, text);
    }
    const failed = new SetpointError("precondition.failed", "If-Match names 3");
    assert.match(String(rollbackError(failed, "3")), /not at revision 3/);
    const other = new Error("x");
    assert.equal(rollbackError(other, undefined), other);
  });

  it("take spans and times in --since", () => {
    const nowMs = Date.parse("2026-01-02T00:00:00Z");
    assert.equal(sinceText("2h", nowMs), "2026-01-01T22:00:00.000Z");
    assert.equal(sinceText("2026-01-01", nowMs), "2026-01-01T00:00:00.000Z");
    for (const text of ["yesterday", "2 h", ""]) {
      assert.throws(() => sinceText(text, nowMs), { code: "config.invalid" }, text);
    }
  });
});
