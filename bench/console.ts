/**
 * The console with a table of 100,000 rows and 50 changes per second: the longest task of the page,
 * and whether its heap grows. Chromium, the server and the writer share the machine.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openSignedIn } from "../tests/console/signed-in.ts";
import type { KubeServer } from "../tests/kube/server.ts";
import { startChromium } from "../tests/peers/chromium.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { boundRow } from "./store.ts";
import type { Row } from "./table.ts";

const path = "/api/v1/namespaces/default/configmaps";
const total = 100_000;
const perSecond = 50;
const seconds = 60;
const atOnce = 64;

export async function consoleTable(folder: string): Promise<readonly Row[]> {
  const args = ["--console-listen", "127.0.0.1:0"];
  await using server = await startSetpoint({ data: join(folder, "console"), args });
  await createMany(server);
  await using browser = await startChromium();
  const { request } = asKubeServer(server);
  await using tab = await openSignedIn(browser, { request }, { path: "/settings" });
  const { page } = tab;
  await page.addInitScript(`globalThis.tasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.tasks.push(duration);
    }).observe({ type: "longtask", buffered: true });`);
  const openedAt = performance.now();
  await page.goto(new URL("/console/x/configmaps?ns=default", page.url()).href);
  await page.getByRole("row", { name: /row-/ }).first().waitFor();
  const openMs = performance.now() - openedAt;
  await change(server, 5);
  const before = await heapMiB(page);
  const start = await liveText(page);
  await page.evaluate("globalThis.tasks.length = 0");
  await change(server, seconds);
  const tasks = await page.evaluate<readonly number[]>("globalThis.tasks");
  const after = await heapMiB(page);
  // A page that stopped to follow the changes would have the best numbers.
  const now = await liveText(page);
  if (now === start) throw new Error(`the page does not follow the changes: ${now}`);
  const title = `console, ${total} rows, ${perSecond} changes/s`;
  return [
    boundRow(`${title}: first rows`, openMs / 1_000, "s", 10),
    boundRow(`${title}: longest task`, Math.max(0, ...tasks), "ms", 100),
    boundRow(`${title}: heap after 5 s`, before, "MiB", 100),
    boundRow(`${title}: growth in ${seconds} s`, after - before, "MiB", 5),
  ];
}

async function createMany(server: Setpoint): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < total) {
      const metadata = { name: `row-${String(next++).padStart(6, "0")}`, labels: { tier: "gold" } };
      const { status } = await server.ask(path, json("POST", { metadata, data: { size: "1" } }));
      if (status !== 201) throw new Error(`a creation had status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** Every fifth change is of a row that the table shows. */
async function change(server: Setpoint, forSeconds: number): Promise<void> {
  const startMs = performance.now();
  for (let at = 0; at < forSeconds * perSecond; at += 1) {
    const row = at % 5 === 0 ? at % 20 : (at * 7_919) % total;
    const name = `row-${String(row).padStart(6, "0")}`;
    const patch = json("PATCH", { data: { size: String(at) } });
    const { status } = await server.ask(`${path}/${name}`, patch);
    if (status !== 200) throw new Error(`a change had status ${status}`);
    const waitMs = startMs + (at * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await setTimeout(waitMs);
  }
}

function json(method: "POST" | "PATCH", body: unknown) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return { method, body, headers: { "content-type": type } };
}

/** "Live", and the revision that the page has seen. */
async function liveText(page: Page): Promise<string> {
  return (await page.getByText(/^revision [\d,]+$/).textContent()) ?? "";
}

/** What lives after a collection. */
async function heapMiB(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1_024 ** 2;
}

/** As the helpers of tests take a server. */
function asKubeServer(server: Setpoint): Pick<KubeServer, "request"> {
  return {
    request: async (method, at, body) => {
      const given = body === undefined ? { method } : json(method as "POST", body);
      const { status, headers, body: bytes } = await server.ask(at, given);
      const text = bytes.toString("utf8");
      const read = text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined;
      return { status, headers: { ...headers } as never, bytes, text, json: read };
    },
  };
}
