// Who may import whom. The tree is the architecture, so these tables are it, too.
import { dirname, join } from "node:path/posix";
import { isCode, isTest, source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

/** What a folder of src/ may import besides itself; a path with a dot names one file. */
const layers: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  store: ["kernel"],
  engine: ["kernel", "store/port.ts"],
  intents: ["kernel", "store/port.ts"],
  acting: ["kernel", "engine", "intents", "store/port.ts", "adapters/*/port.ts"],
  contract: ["kernel", "engine", "intents", "store/port.ts", "adapters/*/port.ts"],
  bridge: ["kernel", "engine", "intents", "store/port.ts"],
  housekeeping: ["kernel", "engine", "intents", "store/port.ts"],
  authoring: ["kernel", "engine", "contract"],
  // For programs of users, also in browsers.
  client: [],
  surfaces: ["kernel", "intents", "contract", "store/port.ts", "adapters/*/port.ts"],
  modules: [
    "kernel",
    "engine",
    "intents",
    "acting",
    "contract",
    "store/port.ts",
    "adapters/*/port.ts",
  ],
  adapters: ["kernel"],
  telemetry: ["kernel"],
  app: ["*"],
  testing: ["*"],
  cli: ["kernel", "contract", "app", "telemetry", "adapters/http", "adapters/kubernetes"],
};

/** Files and folders that may import more than their layer. */
const further: Readonly<Record<string, readonly string[]>> = {
  "authoring/extensions.ts": ["modules/*/authoring.ts"],
  // A surface is above the module that it translates.
  "surfaces/arm": ["modules/resource-provider"],
  "surfaces/bus": ["modules/bus"],
  "surfaces/fleet": ["modules/fleet"],
};

/** Folders whose sub-folders never import each other, except the port of an adapter. */
const strangers = ["store/sqlite|postgres", "modules/*", "adapters/*"];

/** Folders in which imports of types count as well: no file and no sub-folder is in a cycle. */
const trees = ["src/surfaces/arm/"];
/** The same for their files alone. */
const acyclic = [...trees, "src/modules/resource-provider/"];

/** Each library is known to one folder of src/, so that it can be replaced there. */
const vendors: Readonly<Record<string, string>> = {
  amqplib: "src/adapters/amqp/rabbitmq/",
  pg: "src/store/postgres/",
  commander: "src/cli/",
  jose: "src/intents/auth/",
  // yaml.ts and yaml-documents.ts.
  yaml: "src/kernel/yaml",
  re2js: "src/kernel/regex.ts",
  undici: "src/adapters/http/",
  ws: "src/adapters/http/",
};
const testVendors = new Set([
  "@apidevtools/swagger-parser",
  "@azure/arm-resources",
  "@azure-rest/core-client",
  "@azure/core-lro",
  "axe-core",
  "fast-check",
  "@kubernetes/client-node",
  "graphile-worker",
  "oidc-provider",
  "pg-boss",
  "playwright-core",
]);

export interface Import {
  readonly from: Source;
  readonly index: number;
  readonly specifier: string;
  /** Of types only, so that nothing of it is left when the program runs. */
  readonly isErased: boolean;
  /** The file meant, when the specifier is relative. */
  readonly target: string | undefined;
}

export const layerRules: readonly Rule[] = [
  {
    name: "a folder of src/ imports only what its layer may",
    find: (sources) => sourceImports(sources).flatMap(layerViolation),
    bad: [
      source("src/kernel/a.ts", 'import { b } from "../store/b.ts";'),
      source("src/engine/a.ts", 'import { b } from "../store/prepare.ts";'),
      source("src/modules/gitops/a.ts", 'import { b } from "../fleet/b.ts";'),
      source("src/modules/gitops/b.ts", 'import { b } from "../../adapters/git/clone.ts";'),
      source("src/store/sqlite/a.ts", 'export { b } from "../postgres/b.ts";'),
      source("src/adapters/git/a.ts", 'import { b } from "../http/client.ts";'),
      source("src/cli/a.ts", 'const b = await import("../store/port.ts");'),
      source("src/engine/b.ts", 'import { b } from "../../tests/peers/wait.ts";'),
      source("src/plumbing/a.ts", 'import { b } from "../kernel/b.ts";'),
      source("src/surfaces/kube/a.ts", 'import { b } from "../../modules/resource-provider/b.ts";'),
      source("src/surfaces/arm/a.ts", 'import { b } from "../../modules/connect/b.ts";'),
      source("src/modules/resource-provider/a.ts", 'import { b } from "../../surfaces/arm/b.ts";'),
    ],
    good: [
      source("src/engine/a.ts", 'import type { Store } from "../store/port.ts";'),
      source("src/engine/a.test.ts", 'import { b } from "../../tests/peers/wait.ts";'),
      source("src/store/b.test.ts", 'import { b } from "./sqlite/b.ts";'),
      source("src/modules/fleet/b.ts", 'import type { b } from "../../adapters/git/port.ts";'),
      source("src/adapters/git/a.ts", 'import type { b } from "../http/port.ts";'),
      source("src/app/a.ts", 'import { b } from "../surfaces/kube/b.ts";'),
      source("src/surfaces/arm/a.ts", 'import { b } from "../../modules/resource-provider/b.ts";'),
      source("src/kernel/a.ts", '// import { b } from "../store/b.ts";'),
    ],
  },
  {
    name: "a folder of src/ is a layer",
    find: (sources) =>
      inSource(sources)
        .filter(({ path }) => layers[path.split("/")[1] ?? ""] === undefined)
        .map((at) => violationAt(at, 0, "is in no layer: see the table in tests/tidy/layers.ts")),
    bad: [source("src/plumbing/a.ts", ""), source("src/loose.ts", "")],
    good: [source("src/kernel/a.ts", "")],
  },
  {
    name: "a library is imported in its one folder",
    find: (sources) => sourceImports(sources).flatMap(vendorViolation),
    bad: [
      source("src/engine/a.ts", 'import pg from "pg";'),
      source("src/cli/a.ts", 'import { b } from "left-pad";'),
      source("src/kernel/a.ts", 'import fc from "fast-check";'),
    ],
    good: [
      source("src/store/postgres/a.ts", 'import pg from "pg"; import fs from "node:fs";'),
      source("src/kernel/a.test.ts", 'import fc from "fast-check";'),
    ],
  },
  {
    name: "no file imports itself through others",
    find: findCycles,
    isJoint: true,
    bad: [
      source("src/kernel/a.ts", 'import { b } from "./b.ts";'),
      source("src/kernel/b.ts", 'import { c } from "./c.ts";'),
      source("src/kernel/c.ts", 'import { a } from "./a.ts";'),
    ],
    good: [
      source("src/kernel/a.ts", 'import { b } from "./b.ts"; import { c } from "./c.ts";'),
      source("src/kernel/b.ts", 'import { c } from "./c.ts";'),
      source("src/kernel/c.ts", 'import type { A } from "./a.ts";'),
    ],
  },
  {
    name: "no file imports itself through other files, types included",
    find: (sources) => acyclic.flatMap((folder) => cyclesIn(sources, folder, (path) => path)),
    isJoint: true,
    bad: [
      source("src/surfaces/arm/face/a.ts", 'import type { B } from "../poll/b.ts";'),
      source("src/surfaces/arm/poll/b.ts", 'import { a } from "../face/a.ts";'),
    ],
    good: [
      source("src/surfaces/arm/face/a.ts", 'import type { B } from "../poll/b.ts";'),
      source("src/surfaces/arm/poll/b.ts", 'import { c } from "../face/c.ts";'),
      source("src/surfaces/arm/poll/b.test.ts", 'import { a } from "../face/a.ts";'),
      source("src/kernel/a.ts", 'import type { B } from "./b.ts";'),
      source("src/kernel/b.ts", 'import type { A } from "./a.ts";'),
    ],
  },
  {
    name: "the sub-folders of a folder form a tree, types included",
    find: (sources) => trees.flatMap((folder) => cyclesIn(sources, folder, dirname)),
    isJoint: true,
    bad: [
      source("src/surfaces/arm/face/a.ts", 'import type { B } from "../poll/b.ts";'),
      source("src/surfaces/arm/poll/c.ts", 'import { d } from "../face/d.ts";'),
    ],
    good: [
      source("src/surfaces/arm/face/a.ts", 'import type { B } from "../poll/b.ts";'),
      source("src/surfaces/arm/face/c.ts", 'import type { A } from "./a.ts";'),
      source("src/surfaces/arm/poll/c.ts", 'import { d } from "../../kube/d.ts";'),
    ],
  },
];

function inSource(sources: readonly Source[]): readonly Source[] {
  return sources.filter(({ path }) => path.startsWith("src/") && isCode(path));
}

function sourceImports(sources: readonly Source[]): readonly Import[] {
  return inSource(sources).flatMap(importsOf);
}

export function importsOf(from: Source): readonly Import[] {
  const pattern = /\bfrom\s*(?=")|\bimport\s*\(?\s*(?=")/g;
  return [...from.code.matchAll(pattern)].map((match) => {
    const start = match.index + match[0].length + 1;
    const specifier = from.text.slice(start, from.code.indexOf('"', start));
    const target = specifier.startsWith(".") ? join(dirname(from.path), specifier) : undefined;
    const isErased = /\b(?:import|export)\s+type\b[^;]*$/.test(from.code.slice(0, match.index));
    return { from, index: match.index, specifier, isErased, target };
  });
}

function layerViolation({ from, index, target }: Import): readonly Violation[] {
  if (target === undefined) return [];
  const complain = (why: string): readonly Violation[] => [
    violationAt(from, index, `may not import ${target}: ${why}`),
  ];
  if (!target.startsWith("src/")) {
    const isAllowed = isTest(from.path) && target.startsWith("tests/");
    return isAllowed ? [] : complain("only tests reach outside src/");
  }
  const [own, wanted] = [from.path, target].map((path) => path.slice("src/".length));
  const [layer = "", folder = ""] = own?.split("/") ?? [];
  const more = [own ?? "", `${layer}/${folder}`].flatMap((at) => further[at] ?? []);
  const allowed = layers[layer]?.concat(layer, more) ?? [];
  if (wanted === undefined || !allowed.some((prefix) => covers(prefix, wanted))) {
    return complain(`${layer} may import ${allowed.join(", ")}`);
  }
  const between = strangers.find((pair) => areStrangers(pair, own ?? "", wanted));
  return between === undefined ? [] : complain(`${between} do not know each other`);
}

function covers(prefix: string, path: string): boolean {
  const pattern = prefix.replaceAll(".", "\\.").replaceAll("*", "[^/]+");
  return prefix === "*" || new RegExp(`^${pattern}(/|$)`).test(path);
}

function areStrangers(pair: string, own: string, wanted: string): boolean {
  if (/^adapters\/[^/]+\/port\.ts$/.test(wanted)) return false;
  const [folder = "", names = ""] = pair.split("/");
  const pattern = new RegExp(`^${folder}/(${names === "*" ? "[^/]+" : names})/`);
  const [mine, theirs] = [pattern.exec(own)?.[1], pattern.exec(wanted)?.[1]];
  return mine !== undefined && theirs !== undefined && mine !== theirs;
}

function vendorViolation({ from, index, specifier, target }: Import): readonly Violation[] {
  if (target !== undefined || specifier.startsWith("node:")) return [];
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (isTest(from.path) && testVendors.has(name)) return [];
  const home = vendors[name];
  if (home !== undefined && from.path.startsWith(home)) return [];
  const where =
    home === undefined ? "nowhere in src/ (see tests/tidy/layers.ts)" : `in ${home} only`;
  return [violationAt(from, index, `imports ${name}, which belongs ${where}`)];
}

function findCycles(sources: readonly Source[]): readonly Violation[] {
  return cyclesOf(
    new Map(
      inSource(sources).map((from) => [
        from.path,
        importsOf(from).flatMap(({ isErased, target }) => (isErased ? [] : [target ?? ""])),
      ]),
    ),
  );
}

/** Cycles of the files below a folder, or of what they belong to. */
function cyclesIn(
  sources: readonly Source[],
  folder: string,
  nodeOf: (path: string) => string,
): readonly Violation[] {
  const targets = new Map<string, string[]>();
  for (const from of inSource(sources)) {
    if (!from.path.startsWith(folder) || isTest(from.path)) continue;
    const node = nodeOf(from.path);
    const found = targets.get(node) ?? [];
    targets.set(node, found);
    for (const { target = "" } of importsOf(from)) {
      const wanted = nodeOf(target);
      if (target.startsWith(folder) && wanted !== node) found.push(wanted);
    }
  }
  return cyclesOf(targets);
}

function cyclesOf(targets: ReadonlyMap<string, readonly string[]>): readonly Violation[] {
  const settled = new Set<string>();
  const violations: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      const circle = [...trail.slice(trail.indexOf(path)), path].join(" -> ");
      violations.push({ path, line: 1, message: `is in a circle of imports: ${circle}` });
      return;
    }
    if (settled.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    settled.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return violations;
}
