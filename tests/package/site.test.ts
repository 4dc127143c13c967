// The documentation site. VitePress fails for a dead link, so the build also checks all links.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, it } from "node:test";
import { siteFolder } from "../../tools/site/places.ts";
import { sidebarFrom } from "../../tools/site/sidebar.ts";
import { root } from "../../tools/stages.ts";

before(() => {
  const args = ["--conditions=setpoint-source", join(root, "tools", "site", "build.ts")];
  const built = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  assert.equal(built.status, 0, `${built.stdout}${built.stderr}`);
});

it("the documentation site has the page of every link in its sidebar", () => {
  const links = sidebarFrom(join(root, "docs", "README.md")).flatMap(({ items }) => items);
  assert.ok(links.length > 40);
  for (const { link } of links) assert.ok(existsSync(join(siteFolder, `${link}.html`)), link);
});

it("the documentation site can be searched without a server", () => {
  const files = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: siteFolder });
  assert.equal(files.length, 1);
  const index = readFileSync(join(siteFolder, files[0] ?? ""), "utf8");
  assert.match(index, /Planned destruction/);
});

it("the documentation site shows a link to a source file as text", () => {
  const page = readFileSync(join(siteFolder, "CONTRIBUTING.html"), "utf8");
  assert.match(page, /<span>tests\/tidy\/layers\.ts<\/span>/);
  assert.doesNotMatch(page, /href="[^"]*layers\.ts/);
});
