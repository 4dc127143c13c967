import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../../kernel/errors.ts";
import { pluralOf, scaffold } from "./scaffold.ts";

const input = {
  name: "web-site",
  setpoint: "file:../setpoint-1.0.0.tgz",
  isClone: false,
  versions: { typescript: "7.0.2", nodeTypes: "24.0.0" },
} as const;

test("a new module has a kind with the name of the module", () => {
  const files = scaffold(input);
  assert.match(files.get("web-site.ts") ?? "", /kind: "WebSite",\n {2}plural: "websites"/);
  assert.match(files.get("web-site.test.ts") ?? "", /from "\.\/web-site\.ts"/);
  const manifest = JSON.parse(files.get("package.json") ?? "") as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  assert.equal(manifest.devDependencies["setpoint"], "file:../setpoint-1.0.0.tgz");
});

test("a name that is not valid in files and kinds is refused with an example", () => {
  for (const name of ["", "Web", "web_site", "-a", "a--b", "../x", "a".repeat(41)]) {
    assert.throws(
      () => scaffold({ ...input, name }),
      (error) =>
        isSetpointError(error, "config.invalid") && /not a valid module/.test(error.message),
    );
  }
});

test("the plural of a kind follows the rules of English", () => {
  const plurals = ["Bus", "Policy", "Key", "Box", "Site"].map((kind) => pluralOf(kind));
  assert.deepEqual(plurals, ["buses", "policies", "keys", "boxes", "sites"]);
});
