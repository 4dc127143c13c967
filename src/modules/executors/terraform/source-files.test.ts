import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configMapFiles, filesProblem, pathProblem } from "./source-files.ts";

describe("the files of a configuration", () => {
  it("stay in their folder and do not replace files of the executor", () => {
    for (const path of ["../a.tf", "/a.tf", "a//b.tf", "setpoint_x.tf.json", "terraform.tfstate"]) {
      assert.notEqual(pathProblem(path), undefined, path);
    }
    for (const path of ["main.tf", "modules/web/main.tf", "a.tftpl"]) {
      assert.equal(pathProblem(path), undefined, path);
    }
  });

  it("of a ConfigMap have slashes for double underscores", () => {
    const files = configMapFiles({ data: { "main.tf": "a", "modules__web__main.tf": "b" } });
    assert.deepEqual([...files.keys()], ["main.tf", "modules/web/main.tf"]);
  });

  it("need a configuration in the root folder", () => {
    assert.match(filesProblem(new Map([["modules/a.tf", ""]])) ?? "", /no file \*\.tf in the root/);
    assert.equal(filesProblem(new Map([["main.tf.json", "{}"]])), undefined);
  });
});
