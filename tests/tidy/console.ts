// Who may import whom in console/. It is a client: it knows the server by its HTTP API alone. Pages
// use components, and components use what is below them; no page knows another page.
import { isCode, isTest, source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";
import { importsOf } from "./layers.ts";
import type { Import } from "./layers.ts";

/** Every folder may also import itself, and the files that `everywhere` names. */
const layers: Readonly<Record<string, readonly string[]>> = {
  api: [],
  format: [],
  router: [],
  states: ["api"],
  stream: ["api"],
  settings: ["format"],
  query: ["api", "stream"],
  ui: ["api", "format", "settings"],
  actions: ["api", "format", "query", "router"],
  table: ["router", "ui"],
  graph: ["components", "states", "ui"],
  components: [
    "actions",
    "api",
    "format",
    "query",
    "router",
    "routes.tsx",
    "settings",
    "states",
    "stream",
    "table",
    "ui",
  ],
  pages: [
    "actions",
    "api",
    "components",
    "format",
    "graph",
    "query",
    "router",
    "routes.tsx",
    "settings",
    "states",
    "stream",
    "table",
    "ui",
  ],
};
const everywhere = ["paths.ts"];
/** The client that the package exports, and the types of answers, which `npm run docs` writes. */
const client = "src/client/client.ts";
const answerTypes = "src/client/rest-api.ts";

/** Each library is known to one folder, so that it can be replaced there. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  preact: ["console/"],
  "@preact/signals": ["console/"],
  vite: ["console/vite.config.ts"],
  "@dagrejs/dagre": ["console/graph/"],
  "@codemirror/": ["console/pages/resource/"],
  "@lezer/": ["console/pages/resource/"],
  yaml: ["console/pages/resource/"],
};

export const consoleRules: readonly Rule[] = [
  {
    name: "a folder of console/ imports only what its layer may",
    find: (sources) => consoleImports(sources).flatMap(layerViolation),
    bad: [
      source("console/ui/a.tsx", 'import { B } from "../components/b.tsx";'),
      source("console/pages/fleet/a.tsx", 'import { B } from "../gitops/b.tsx";'),
      source("console/api/a.ts", 'import { b } from "../../src/kernel/b.ts";'),
      source("console/api/b.ts", 'import { b } from "../../src/client/rest-api.ts";'),
      source("console/ui/c.ts", 'import { b } from "../../src/client/client.ts";'),
      source("console/ui/b.ts", 'import type { B } from "../../src/client/rest-api.ts";'),
      source("console/plumbing/a.ts", ""),
    ],
    good: [
      source("console/pages/fleet/a.tsx", 'import { B } from "../../components/b.tsx";'),
      source("console/pages/fleet/a.tsx", 'import { B } from "./b.tsx";'),
      source("console/app.tsx", 'import { B } from "./pages/sign-in/b.tsx";'),
      source("console/ui/a.tsx", 'import { paths } from "../paths.ts";'),
      source("console/api/a.ts", 'import type { B } from "../../src/client/rest-api.ts";'),
      source("console/api/b.ts", 'import { b } from "../../src/client/client.ts";'),
    ],
  },
  {
    name: "a library of the console is imported in its one folder",
    find: (sources) => consoleImports(sources).flatMap(vendorViolation),
    bad: [
      source("console/components/a.tsx", 'import { parse } from "yaml";'),
      source("console/ui/a.tsx", 'import { b } from "left-pad";'),
      source("console/api/a.ts", 'import { readFile } from "node:fs";'),
    ],
    good: [
      source("console/pages/resource/a.ts", 'import { parse } from "yaml";'),
      source("console/ui/a.tsx", 'import { useEffect } from "preact/hooks";'),
      source("console/ui/a.test.ts", 'import assert from "node:assert/strict";'),
    ],
  },
  {
    name: "the console writes no HTML and no style attributes",
    find: (sources) => inConsole(sources).flatMap(markupViolations),
    bad: [
      source("console/ui/a.tsx", "element.innerHTML = text;"),
      source("console/ui/b.tsx", "return <p dangerouslySetInnerHTML={html} />;"),
      source("console/ui/c.tsx", "eval(text);"),
    ],
    good: [source("console/ui/a.tsx", "element.textContent = text;")],
  },
  {
    name: "only paths.ts writes the addresses of pages",
    find: (sources) => inConsole(sources).flatMap(addressViolations),
    bad: [source("console/ui/a.tsx", 'navigate("/console/x/configmaps");')],
    good: [source("console/paths.ts", 'export const base = "/console";')],
  },
  {
    name: "colours of the console are in tokens.css",
    find: (sources) => sources.filter(isOwnStyle).flatMap(colourViolations),
    bad: [
      source("console/ui/a.css", "p { color: #fff; }"),
      source("console/ui/b.css", "p { color: rgb(0 0 0); }"),
    ],
    good: [
      source("console/ui/a.css", "p { color: var(--text); }"),
      source("console/tokens.css", ":root { --bg: #fff; }"),
    ],
  },
];

function inConsole(sources: readonly Source[]): readonly Source[] {
  return sources.filter(({ path }) => path.startsWith("console/") && isCode(path));
}

function consoleImports(sources: readonly Source[]): readonly Import[] {
  return inConsole(sources).flatMap((at) => {
    const imports = importsOf(at);
    // A file without imports is still in a layer.
    const none = { from: at, index: 0, specifier: ".", isErased: true, target: at.path };
    return imports.length === 0 ? [none] : imports;
  });
}

function layerViolation({ from, index, target, isErased }: Import): readonly Violation[] {
  if (target === undefined || isTest(from.path)) return [];
  const own = from.path.split("/").slice(1);
  const isClient = target === client || (target === answerTypes && isErased);
  if (own[0] === "api" && isClient) return [];
  const wanted = target.split("/").slice(1);
  // app.tsx, routes.tsx and their neighbours put the parts together.
  if (own.length === 1) return [];
  const allowed = layers[own[0] ?? ""];
  if (allowed === undefined) {
    return [violationAt(from, 0, "is in no layer: see the table in tests/tidy/console.ts")];
  }
  const isInside = target.startsWith("console/");
  const isKnown = [own[0], ...allowed, ...everywhere].includes(wanted[0] ?? "");
  const isOtherPage = own[0] === "pages" && wanted[0] === "pages" && own[1] !== wanted[1];
  if (isInside && isKnown && !isOtherPage) return [];
  const why = isOtherPage
    ? "pages do not know each other"
    : `${own[0]} may import ${allowed.join(", ")}`;
  return [violationAt(from, index, `may not import ${target}: ${why}`)];
}

function vendorViolation({ from, index, specifier, target }: Import): readonly Violation[] {
  if (target !== undefined) return [];
  const isNode = specifier.startsWith("node:");
  if (isNode && (isTest(from.path) || from.path === "console/vite.config.ts")) return [];
  const name = Object.keys(vendors).find(
    (each) => specifier === each || specifier.startsWith(each.endsWith("/") ? each : `${each}/`),
  );
  const homes = name === undefined ? undefined : vendors[name];
  if (homes?.some((home) => from.path.startsWith(home)) === true) return [];
  const where = homes === undefined ? "nowhere in console/" : `in ${homes.join(", ")} only`;
  return [violationAt(from, index, `imports ${specifier}, which belongs ${where}`)];
}

function markupViolations(at: Source): readonly Violation[] {
  const pattern = /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|eval)\b/g;
  return [...at.code.matchAll(pattern)].map(({ 0: word, index }) =>
    violationAt(at, index, `\`${word}\`: text of users is shown as text`),
  );
}

const addressed = new Set(["console/paths.ts", "console/vite.config.ts"]);

function addressViolations(at: Source): readonly Violation[] {
  if (isTest(at.path) || addressed.has(at.path)) return [];
  return [...at.text.matchAll(/["'`]\/console\b/g)].map(({ index }) =>
    violationAt(at, index, "write paths.NAME()"),
  );
}

function isOwnStyle({ path }: Source): boolean {
  return path.startsWith("console/") && path.endsWith(".css") && path !== "console/tokens.css";
}

function colourViolations(at: Source): readonly Violation[] {
  const pattern = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/gi;
  return [...at.text.matchAll(pattern)].map(({ 0: colour, index }) =>
    violationAt(at, index, `\`${colour}\`: use a token of console/tokens.css`),
  );
}
