// `npm run screenshots`: makes the screenshots of the README and the docs. It starts the demo in a
// new folder, waits until it has settled, and opens its pages in Chromium, in both themes. The
// scenes are always the same; times and generated ids differ, so new files differ in a few pixels.
// With a folder, it writes every page there instead, on a screen and on a phone.
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openScene, scenes as allScenes, startDemoPages } from "../../tests/console/demo-pages.ts";
import { openTab, startChromium } from "../../tests/peers/chromium.ts";
import { startProgram } from "../../tests/peers/child.ts";
import { waitUntil } from "../../tests/peers/wait.ts";
import { paths } from "../../console/paths.ts";
import { root } from "../stages.ts";
import { smallPng } from "./small-png.ts";

const folder = join(root, "docs", "images");
const size = { width: 1280, height: 800 } as const;
const limitMs = 120_000;

interface Scene {
  readonly name: string;
  readonly path: string;
  /** A text of the page, once it has its data. */
  readonly text: string;
}

const failing = {
  kind: "environments.environments.setpoint.dev",
  namespace: "demo",
  name: "preview-search",
};

const scenes: readonly Scene[] = [
  { name: "console-overview", path: paths.overview(), text: "preview-search" },
  { name: "console-why", path: paths.resource(failing, "why"), text: "answered PUT" },
  {
    name: "console-environment",
    path: paths.environment(failing.namespace, failing.name),
    text: "settings",
  },
  { name: "console-gitops", path: paths.deployment("demo", "shop"), text: "Synced" },
];

const [given] = process.argv.slice(2);
await (given === undefined ? makeScreenshots() : photographAllPages(given));

async function photographAllPages(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await using browser = await startChromium();
  await using demo = await startDemoPages(browser);
  for (const width of [1_440, 360]) {
    for (const theme of ["light", "dark"] as const) {
      await using tab = await demo.open({ width, theme });
      for (const scene of allScenes) {
        await openScene(tab.page, demo.origin, scene);
        const path = join(to, `${scene.name}-${width}-${theme}.png`);
        await tab.page.screenshot({ path, scale: "css", fullPage: width === 360 });
      }
    }
  }
}

async function makeScreenshots(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), "setpoint-screenshots-"));
  try {
    const args = ["dev", "--demo", "--data", join(data, "data"), "--listen", "127.0.0.1:0"];
    const config = join(data, "config.yaml");
    await writeFile(config, "console: { name: laptop }\n");
    await using server = await startProgram("src/cli/main.ts", {
      args: [...args, "--config", config],
    });
    const [, link = ""] = await server.waitForLine(/^ {2}open +(\S+)$/, { limitMs });
    await server.waitForLine(/^ {2}try /, { limitMs });
    await using browser = await startChromium();
    await using first = await openTab(browser, size);
    await first.page.goto(link);
    await settled(first.page);
    const { origin } = new URL(link);
    const { cookies } = await first.context.storageState();
    await mkdir(folder, { recursive: true });
    for (const theme of ["light", "dark"] as const) {
      await using tab = await openTab(browser, { ...size, theme });
      await tab.context.addCookies(cookies);
      for (const { name, path, text } of scenes) {
        await tab.page.goto(`${origin}${path}`);
        await tab.page.getByRole("main").getByText(text).first().waitFor();
        await settled(tab.page);
        await hideMachine(tab.page, new URL(origin).host);
        const picture = smallPng(await tab.page.screenshot({ scale: "css" }));
        await writeFile(join(folder, `${name}-${theme}.png`), picture);
        console.log(`docs/images/${name}-${theme}.png`);
      }
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** The names of this machine and of this run are in no screenshot. */
async function hideMachine(page: Page, host: string): Promise<void> {
  const names = { [hostname()]: "laptop", [host]: "127.0.0.1:7080" };
  await page.evaluate(`for (const [name, shown] of ${JSON.stringify(Object.entries(names))}) {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      if (text.data.includes(name)) text.data = text.data.replaceAll(name, shown);
    }
  }`);
}

/** No request has been answered for a while, and the fonts are there. */
async function settled(page: Page): Promise<void> {
  let lastMs = Date.now();
  page.on("response", () => (lastMs = Date.now()));
  await waitUntil("a quiet page", async () => Date.now() - lastMs > 1_500, { limitMs });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
