// Every built-in module can be removed: without its folder, its tests and its line in each list,
// the rest has no type errors and starts.
import assert from "node:assert/strict";
import { globSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { belongings } from "../tidy/modules.ts";
import { copyTree, programOf, typeErrors } from "./tree-copy.ts";

const modules = readdirSync(join(root, "src/modules"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What is deleted with a module: its folders, and its surface and examples if it has any. */
function partsOf(module: string): readonly string[] {
  return [`src/modules/${module}`, `tools/${module}`]
    .concat(globSync([`tests/${module}`, `tests/${module}-*`], { cwd: root }))
    .concat(belongings[module] ?? []);
}

/** Removes the lines that import the module and its surface, and their names from the lists. */
function unlist(module: string, copy: string): void {
  const list = join(copy, "src/app/modules.ts");
  const surfaces = (belongings[module] ?? []).flatMap((path) => {
    const [, surface] = /^src\/surfaces\/(\w+)\/$/.exec(path) ?? [];
    return surface === undefined ? [] : `surfaces/${surface}/surface.ts`;
  });
  let text = readFileSync(list, "utf8");
  // All imports first: the name of a module may be a part of the path of its surface.
  const names = [`modules/${module}/module.ts`, ...surfaces].map((file) => {
    const path = `"../${file}"`.replaceAll(".", "\\.");
    const line = new RegExp(`^import \\{ (\\w+) \\} from ${path};\\n`, "m");
    const [whole = "", name = ""] = line.exec(text) ?? [];
    assert.notEqual(name, "", `src/app/modules.ts does not list ${file}`);
    text = text.replace(whole, "");
    return name;
  });
  for (const name of names) text = text.replace(new RegExp(`\\b${name}\\b,?\\s*`), "");
  writeFileSync(list, text);
  const exported = join(copy, "src/authoring/extensions.ts");
  const lines = readFileSync(exported, "utf8").split("\n");
  const kept = lines.filter((each) => !each.includes(`"../modules/${module}/`));
  writeFileSync(exported, kept.join("\n"));
}

for (const module of modules) {
  describe(`without the module ${module}`, () => {
    let copy = "";
    before(async () => {
      copy = await mkdtemp(join(tmpdir(), `setpoint-without-${module}-`));
      await copyTree(copy, partsOf(module));
      unlist(module, copy);
    });
    after(async () => await rm(copy, { recursive: true, force: true }));

    it("the rest has no type errors", () => assert.equal(typeErrors(copy), ""));

    it("the server starts and is ready", async () => {
      await using server = await startSetpoint({ program: programOf(copy) });
      assert.equal((await server.ask("/readyz")).status, 200);
    });
  });
}
