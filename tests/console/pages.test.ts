// Every page of the console, in both themes, on a screen and on a phone: axe finds nothing serious,
// nothing is wider than the window, and nothing is loaded from another host.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { root } from "../../tools/stages.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { openScene, scenes, startDemoPages } from "./demo-pages.ts";
import type { DemoPages } from "./demo-pages.ts";

it("every route of the console is in the list of its pages", async () => {
  const text = await readFile(join(root, "console/routes.tsx"), "utf8");
  const patterns = [...text.matchAll(/ pattern: "([^"]+)"/g)].map(([, pattern = ""]) => pattern);
  const known = new Set(scenes.map(({ pattern }) => pattern));
  assert.ok(patterns.length > 20);
  assert.deepEqual(
    patterns.filter((pattern) => !known.has(pattern)),
    [],
  );
});

describe("every page of the console", () => {
  let browser: Browser;
  let demo: DemoPages;

  before(async () => {
    browser = await startChromium();
    demo = await startDemoPages(browser);
  });

  after(async () => {
    await demo?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it("a long kind in the path of a page does not cut its short parts", async () => {
    await using tab = await demo.open({ width: 1_280 });
    const { page } = tab;
    const resource = scenes.find(({ name }) => name === "resource");
    assert.ok(resource !== undefined);
    await openScene(page, demo.origin, resource);
    const path = page.getByRole("navigation", { name: "Path" });
    for (const label of ["Explorer", "demo", "preview-search"]) {
      const item = path.getByRole("listitem").filter({ hasText: new RegExp(`^${label}$`) });
      const size = await item.evaluate((element: unknown) => {
        const { scrollWidth, clientWidth } = element as Record<string, number>;
        return { scrollWidth, clientWidth };
      });
      assert.equal(size.scrollWidth, size.clientWidth, label);
    }
  });

  for (const theme of ["light", "dark"] as const) {
    for (const width of [1_440, 360]) {
      it(`has no serious finding, ${theme}, ${width} px wide`, { timeout: 300_000 }, async () => {
        await using tab = await demo.open({ theme, width });
        const { page } = tab;
        const findings: string[] = [];
        for (const scene of scenes) {
          await openScene(page, demo.origin, scene);
          const found = [...(await seriousFindings(page))];
          const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
          if (wide > width) found.push(`${wide} px wide`);
          findings.push(...found.map((finding) => `${scene.name}: ${finding}`));
        }
        assert.deepEqual(findings, []);
        assert.deepEqual([...tab.origins], [demo.origin]);
        assert.deepEqual(tab.errors, []);
      });
    }
  }
});
