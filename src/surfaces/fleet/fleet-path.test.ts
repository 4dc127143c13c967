import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../kernel/errors.ts";
import { parseFleetPath } from "./fleet-path.ts";
import { readQuery } from "./fleet-query.ts";

describe("the path of a fleet API", () => {
  it("has a plural, a class, and a path without the slash at its end", () => {
    assert.deepEqual(parseFleetPath("/api/dinosaurs_mgmt/v1/dinosaurs/?page=2&size=1"), {
      plural: "dinosaurs",
      path: "/api/dinosaurs_mgmt/v1/dinosaurs",
      search: "page=2&size=1",
      apiClass: "public",
    });
    assert.equal(parseFleetPath("//api/x_mgmt//").path, "/api/x_mgmt/");
  });

  it("has the class of the hidden APIs, however their word is encoded", () => {
    const classOf = (url: string): string => parseFleetPath(url).apiClass;
    assert.equal(classOf("/api/x_mgmt/v1/admin/x"), "admin");
    assert.equal(classOf("/api/x_mgmt/v1/%61dmin"), "admin");
    assert.equal(classOf("/api/x_mgmt/v1/agent-clusters/c1"), "agent");
    assert.equal(classOf("/api/x_mgmt/v1/administration"), "public");
    assert.equal(classOf("/api/x_mgmt/v1/%zz"), "public");
  });
});

describe("the query of a fleet API", () => {
  const query = {
    type: "object",
    properties: { page: { type: "integer" }, filters: { type: "array" } },
  };

  it("has the known parameters, and arrays several times", () => {
    const read = readQuery({ query }, "page=x&filters=a&filters=b");
    assert.equal(read.get("page"), "x");
    assert.equal(read.get("filters"), "a");
    assert.deepEqual(read.all("filters"), ["a", "b"]);
    assert.equal(read.get("size"), undefined);
    assert.deepEqual(read.all("size"), []);
  });

  it("refuses what is unknown or given twice, by name", () => {
    const cases = [
      ["sizes=1", /query.sizes: unknown parameter: known parameters are page, filters/],
      ["page=1&page=2", /query.page: the parameter may be given once/],
      ["__proto__=1", /unknown parameter/],
    ] as const;
    for (const [search, message] of cases) {
      assert.throws(
        () => readQuery({ query }, search),
        (error: unknown) =>
          isSetpointError(error, "request.invalid") && message.test(error.message),
        search,
      );
    }
    assert.throws(() => readQuery({}, "a=1"), /this path has none/);
  });
});
