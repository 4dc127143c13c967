// The demo of `npm start` with something on every page of the console, and the pages. The test of
// all pages and `npm run screenshots` open them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { paths } from "../../console/paths.ts";
import { openTab } from "../peers/chromium.ts";
import type { Tab, TabOptions } from "../peers/chromium.ts";
import { startProgram } from "../peers/child.ts";
import { waitUntil } from "../peers/wait.ts";

const limitMs = 120_000;
const bakery = join(import.meta.dirname, "../../examples/bakery/bakery.ts");
const subscription = "11111111-2222-3333-4444-555555555555";
const environment = {
  kind: "environments.environments.setpoint.dev",
  namespace: "demo",
  name: "preview-search",
};
const dinosaurs = "dinosaurs.dinosaurs.example.dev";

export interface Scene {
  readonly name: string;
  readonly path: string;
  /** The pattern of its route in console/routes.tsx. */
  readonly pattern: string;
  /** A text of the page, once it has its data. */
  readonly text: string;
}

function scene(name: string, pattern: string, path: string, text: string): Scene {
  return { name, pattern, path, text };
}

const resourceTab = "/x/:kind/:namespace/:name/:tab";
const environmentTab = "/environments/:namespace/:name/:tab";
const deploymentTab = "/gitops/:namespace/:name/:tab";

export const scenes: readonly Scene[] = [
  scene("overview", "/", paths.overview(), "preview-search"),
  scene("explorer", "/x", paths.explorer(), "Dinosaur"),
  scene("rows", "/x/:kind", paths.kind(environment.kind), "preview-cart"),
  scene("create", "/x/:kind/new", paths.create(dinosaurs), "Dinosaur"),
  scene("resource", "/x/:kind/:namespace/:name", paths.resource(environment), "answered PUT"),
  scene("why", resourceTab, paths.resource(environment, "why"), "answered PUT"),
  scene("status", resourceTab, paths.resource(environment, "status"), "Conditions"),
  scene("events", resourceTab, paths.resource(environment, "events"), "preview-search"),
  scene("history", resourceTab, paths.resource(environment, "history"), "Roll back to"),
  scene("yaml", resourceTab, paths.resource(environment, "yaml"), "Review and apply"),
  scene("related", resourceTab, paths.resource(environment, "related"), "Owner tree"),
  scene("environments", "/environments", paths.environments(), "Preview of feature/cart"),
  scene(
    "environment",
    "/environments/:namespace/:name",
    paths.environment("demo", "preview-search"),
    "settings",
  ),
  scene("plan", environmentTab, paths.environment("demo", "preview-search", "plan"), "plan"),
  scene("logs", environmentTab, paths.environment("demo", "preview-search", "logs"), "output"),
  scene(
    "environment-history",
    environmentTab,
    paths.environment("demo", "preview-search", "history"),
    "Deploy",
  ),
  scene("fleet", "/fleet", paths.fleet(), "us-east-1"),
  scene("instances", "/fleet/:tab", paths.fleet("instances"), "sarah"),
  scene("rollouts", "/fleet/:tab", paths.fleet("rollouts"), "product-2"),
  scene("offerings", "/fleet/:tab", paths.fleet("offerings"), "dinosaurs"),
  scene("organisations", "/fleet/:tab", paths.fleet("organisations"), "13640203"),
  scene("cluster", "/fleet/clusters/:name", paths.fleetItem("clusters", "east-1"), "east-1"),
  scene("rollout", "/fleet/rollouts/:name", paths.fleetItem("rollouts", "product-2"), "Waves"),
  scene(
    "organisation",
    "/fleet/organisations/:name",
    paths.fleetItem("organisations", "13640203"),
    "13640203",
  ),
  scene(
    "instance",
    "/fleet/instances/:offering/:namespace/:name",
    paths.fleetInstance("dinosaurs", "org-13640203", "sarah"),
    "sarah",
  ),
  scene("gitops", "/gitops", paths.gitops(), "shop"),
  scene("deployment", "/gitops/:namespace/:name", paths.deployment("demo", "shop"), "Synced"),
  scene("diff", deploymentTab, paths.deployment("demo", "shop", "diff"), "shop"),
  scene("deployment-history", deploymentTab, paths.deployment("demo", "shop", "history"), "main"),
  scene("connect", "/connect", paths.connect(), "machines"),
  scene("connection", "/connect/:name", paths.connection("machines"), "ScaleSet"),
  scene("requests", "/connect/:name/:tab", paths.connection("machines", "requests"), "machines"),
  scene("service", "/connect/:name/:tab", paths.connection("machines", "service"), "machines"),
  scene("providers", "/providers", paths.providers(), subscription),
  scene("subscription", "/providers/:subscription", paths.subscription(subscription), "hot"),
  scene(
    "arm-operations",
    "/providers/:subscription/:tab",
    paths.subscription(subscription, "operations"),
    "Failed",
  ),
  scene("activity", "/activity", paths.activity(), "Users only"),
  scene("reference", "/reference", paths.reference(), "REST API"),
  scene(
    "operation",
    "/reference",
    paths.reference({ surface: "rest", op: "POST /api/v1/rollback/{kind}/{name}" }),
    "Hidden fields keep their present values.",
  ),
  scene("settings", "/settings", paths.settings(), "Theme"),
  scene("missing", "/missing", `${paths.overview()}missing`, "There is no page"),
];

export interface DemoPages extends AsyncDisposable {
  readonly origin: string;
  /** A tab of a new user agent that is signed in. */
  readonly open: (options?: TabOptions) => Promise<Tab>;
}

export async function startDemoPages(browser: Browser): Promise<DemoPages> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-pages-"));
  const config = join(folder, "config.yaml");
  await writeFile(config, "console: { name: laptop }\n");
  const own = ["--data", join(folder, "data"), "--config", config, "--module", bakery];
  const server = await startProgram("src/cli/main.ts", {
    args: ["dev", "--demo", "--listen", "127.0.0.1:0", ...own],
  });
  const [, link = ""] = await server.waitForLine(/^ {2}open +(\S+)$/, { limitMs });
  await server.waitForLine(/^ {2}try /, { limitMs });
  const { origin } = new URL(link);
  await using first = await openTab(browser);
  await first.page.goto(link);
  await settled(first.page);
  await fillPages(first.page);
  const { cookies } = await first.context.storageState();
  return {
    origin,
    open: async (options = {}) => {
      const tab = await openTab(browser, options);
      await tab.context.addCookies(cookies);
      return tab;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the demo does not have: a subscription with resources, and a rollout. */
async function fillPages(page: Page): Promise<void> {
  const root = `/subscriptions/${subscription}`;
  const ovens = `${root}/resourceGroups/shop/providers/Example.Bakery/ovens`;
  const oven = (degrees: number): unknown => {
    return { location: "westeurope", properties: { city: "ghent", degrees } };
  };
  await write(page, "PUT", `${root}?api-version=2.0`, { state: "Registered" });
  await write(page, "PUT", `${ovens}/one?api-version=2026-01-01`, oven(180));
  await write(page, "PUT", `${ovens}/hot?api-version=2026-01-01`, oven(290));
  await write(page, "POST", "/apis/fleet.setpoint.dev/v1/rollouts", {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Rollout",
    metadata: { name: "product-2" },
    spec: {
      offering: "dinosaurs",
      selector: { regions: ["us-east-1"] },
      versions: { product: "1.1.0" },
      waves: [{ count: 1, soakSeconds: 3_600 }, { percent: 100 }],
    },
  });
}

async function write(page: Page, method: string, path: string, body: unknown): Promise<void> {
  const text = await page.evaluate(
    async ([to, init]) => {
      const response = await fetch(to, init);
      return response.ok ? "" : await response.text();
    },
    [
      path,
      { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    ] as const,
  );
  if (text !== "") throw new Error(`${method} ${path}: ${text}`);
}

/** The page of a scene with its data, at rest. */
export async function openScene(page: Page, origin: string, { path, text }: Scene): Promise<void> {
  await page.goto(`${origin}${path}`);
  await page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();
  await page.locator("main [aria-label=Loading]").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}

/** No request has been answered for a while, and the fonts are there. */
export async function settled(page: Page): Promise<void> {
  let lastMs = Date.now();
  page.on("response", () => (lastMs = Date.now()));
  await waitUntil("a quiet page", async () => Date.now() - lastMs > 1_500, { limitMs });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
