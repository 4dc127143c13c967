// Keeps a module removable: only the list of modules and the list of authoring exports name it.
import { importsOf } from "./layers.ts";
import type { Import } from "./layers.ts";
import { isCode, source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

/** The files that may import a file of each module. */
const lists: Readonly<Record<string, string>> = {
  "src/app/modules.ts": "module.ts",
  "src/authoring/extensions.ts": "authoring.ts",
};

/**
 * What is deleted with a module besides its folder in src/modules/, and the folders of tests/ and
 * tools/ that have its name: its surface, and tests and examples that need it.
 */
export const belongings: Readonly<Record<string, readonly string[]>> = {
  bus: ["src/surfaces/bus/", "tests/executors/sentinel.test.ts"],
  connect: ["tests/console/connect.test.ts"],
  fleet: ["src/surfaces/fleet/", "examples/dinosaurs/"],
  gitops: ["tests/adapters/git.test.ts", "bench/gitops.ts", "examples/gitops-platform/"],
  "resource-provider": [
    "src/surfaces/arm/",
    "tests/arm/",
    "tests/arm-memory/",
    "examples/bakery/",
    "examples/openshift-like/",
    "bench/arm-module.ts",
    "bench/crafted/face-module.ts",
    "tests/e2e/hostile-module.ts",
  ],
};

/**
 * Words that belong to one module. They occur in its folder and in its tests, and nowhere else in
 * src/. Add the names of kinds, groups, metrics and types that no other part should know.
 */
const words: Readonly<Record<string, RegExp>> = {
  "resource-provider": /\bArmFaces?\b|\barmfaces\b|arm\.setpoint\.dev|setpoint-arm|ArmSurface/g,
  fleet: /\bOfferings?\b|\bManagedInstances?\b|\bDataPlaneClusters?\b/g,
  gitops: /\bGitOps(?:Deployment|Policy|Policies)\w*|\bgitopsdeployments\b|setpoint_gitops/g,
  connect: /\bRestKinds?\b|\brestkinds\b|connect\.setpoint\.dev|setpoint_connect|ConnectHooks/g,
};

export const moduleRules: readonly Rule[] = [
  {
    name: "only the lists import a module",
    find: (sources) => codeIn(sources).flatMap((from) => importsOf(from).flatMap(moduleViolation)),
    bad: [
      source("src/app/a.ts", 'import { b } from "../modules/fleet/b.ts";'),
      source("src/app/modules.ts", 'import { b } from "../modules/fleet/kinds/b.ts";'),
      source("src/kernel/a.ts", 'import type { B } from "../modules/fleet/b.ts";'),
      source("src/authoring/extensions.ts", 'export * from "../modules/fleet/module.ts";'),
      source("src/modules/gitops/a.ts", 'import { b } from "../fleet/b.ts";'),
      source("src/surfaces/kube/a.ts", 'import { b } from "../../modules/resource-provider/b.ts";'),
      source("tests/e2e/a.test.ts", 'import { b } from "../../src/modules/fleet/b.ts";'),
      source("tools/a.ts", 'import { b } from "../src/modules/fleet/b.ts";'),
    ],
    good: [
      source("src/app/modules.ts", 'import { fleet } from "../modules/fleet/module.ts";'),
      source("src/authoring/extensions.ts", 'export * from "../modules/fleet/authoring.ts";'),
      source("src/modules/fleet/kinds/a.ts", 'import { b } from "../b.ts";'),
      source("tests/fleet/a.test.ts", 'import { b } from "../../src/modules/fleet/b.ts";'),
      source("tests/fleet-memory/a.ts", 'import { b } from "../../src/modules/fleet/b.ts";'),
      source("tools/fleet/a.ts", 'import { b } from "../../src/modules/fleet/b.ts";'),
      source("src/surfaces/arm/a.ts", 'import { b } from "../../modules/resource-provider/b.ts";'),
    ],
  },
  {
    name: "the words of a module are in its folder",
    find: (sources) => codeIn(sources).flatMap(wordViolations),
    bad: [
      source("src/intents/a.ts", "/** What a RestKind says. */"),
      source("src/engine/a.ts", 'const name = "setpoint_connect_writes_total";'),
    ],
    good: [
      source("src/modules/connect/a.ts", "/** What a RestKind says. */"),
      source("tests/e2e/a.test.ts", 'const kind = "RestKind";'),
    ],
  },
  {
    name: "folders of src/, modules and surfaces do not import each other in a circle",
    find: findUnitCycles,
    isJoint: true,
    bad: [
      source("src/engine/a.ts", 'import type { B } from "../intents/b.ts";'),
      source("src/intents/b.ts", 'import type { C } from "../bridge/c.ts";'),
      source("src/bridge/d.ts", 'import type { A } from "../engine/a.ts";'),
    ],
    good: [
      source("src/engine/a.ts", 'import type { B } from "../kernel/b.ts";'),
      source("src/surfaces/kube/a.ts", 'import type { B } from "../http/b.ts";'),
      source("src/surfaces/http/a.ts", 'import type { B } from "../../kernel/b.ts";'),
    ],
  },
];

function codeIn(sources: readonly Source[]): readonly Source[] {
  return sources.filter(({ path }) => isCode(path));
}

function moduleOf(path: string): string | undefined {
  return /^src\/modules\/([^/]+)\//.exec(path)?.[1];
}

/** Its folder, its tests and its tools, which are deleted with it. */
function belongsTo(path: string, module: string): boolean {
  if (moduleOf(path) === module) return true;
  if (belongings[module]?.some((prefix) => path.startsWith(prefix)) === true) return true;
  const [, folder = ""] = /^(?:tests|tools)\/([^/]+)\//.exec(path) ?? [];
  return folder === module || folder.startsWith(`${module}-`);
}

function moduleViolation({ from, index, target }: Import): readonly Violation[] {
  const module = target === undefined ? undefined : moduleOf(target);
  if (module === undefined || belongsTo(from.path, module)) return [];
  const file = lists[from.path];
  if (file !== undefined && target === `src/modules/${module}/${file}`) return [];
  const may = Object.keys(lists).join(" and ");
  return [violationAt(from, index, `imports ${target}: only ${may} name a module`)];
}

/** Written from the routes of all modules, and again without those of a removed one. */
const writtenFromModules = new Set(["src/client/rest-api.ts"]);

function wordViolations(from: Source): readonly Violation[] {
  if (!from.path.startsWith("src/") || writtenFromModules.has(from.path)) return [];
  return Object.entries(words).flatMap(([module, pattern]) => {
    if (belongsTo(from.path, module)) return [];
    return [...from.text.matchAll(pattern)].map((match) =>
      violationAt(from, match.index, `"${match[0]}" belongs to src/modules/${module}`),
    );
  });
}

/** A folder of src/; of modules and surfaces, each folder below it. */
function unitOf(path: string): string | undefined {
  const [, folder, below] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  const isDivided = folder === "modules" || folder === "surfaces" || folder === "adapters";
  return isDivided && below !== undefined ? `${folder}/${below}` : folder;
}

function findUnitCycles(sources: readonly Source[]): readonly Violation[] {
  const edges = new Map<string, Map<string, Import>>();
  for (const each of codeIn(sources).flatMap(importsOf)) {
    const [from, to] = [unitOf(each.from.path), unitOf(each.target ?? "")];
    if (from === undefined || to === undefined || from === to) continue;
    const known = edges.get(from) ?? new Map<string, Import>();
    if (!known.has(to)) known.set(to, each);
    edges.set(from, known);
  }
  const settled = new Set<string>();
  const violations: Violation[] = [];
  const visit = (unit: string, trail: readonly string[]): void => {
    if (settled.has(unit)) return;
    for (const [next, { from, index }] of edges.get(unit) ?? []) {
      const at = [...trail, unit].indexOf(next);
      if (at < 0) visit(next, [...trail, unit]);
      else {
        const circle = [...[...trail, unit].slice(at), next].join(" -> ");
        violations.push(violationAt(from, index, `closes a circle of imports: ${circle}`));
      }
    }
    settled.add(unit);
  };
  for (const unit of edges.keys()) visit(unit, []);
  return violations;
}
