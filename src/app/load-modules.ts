/**
 * Loads the files that --module names and checks what they say, before anything is opened. A file
 * is TypeScript or JavaScript; types are stripped, not checked. Each mistake is told with the file
 * and the field, since whoever wrote it is the one who reads it.
 */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { idOfModuleKind } from "../contract/user-module.ts";
import type { ExtensionEntry, ExtensionPoint, UserModule } from "../contract/user-module.ts";
import type { KindExtensions, ModuleExtensions, UserModuleKind } from "../contract/user-module.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { builtinKinds } from "../intents/builtin/builtin-kinds.ts";
import { kindInputProblem } from "../intents/kinds/kind-definition.ts";
import { SetpointError } from "../kernel/errors.ts";
import { kindId } from "../kernel/kind.ts";
import type { KindInput } from "../kernel/kind.ts";
import { dnsLabelProblems } from "../kernel/names.ts";
import { nearestName } from "../kernel/nearest-name.ts";
import { declaredKinds, extensionPointsOf } from "./declared-parts.ts";
import { extensionsIn } from "./module-extensions.ts";
import { metricsProblem } from "./module-metrics.ts";
import { reconcilerProblem, systemProblem } from "./module-options.ts";
import { resolveOwnNames } from "./module-resolution.ts";
import { builtInModules } from "./modules.ts";
import { reconcilerOf } from "./user-reconciler.ts";

export interface LoadedModule {
  readonly file: string;
  readonly name: string;
  readonly version: number;
  readonly kinds: readonly LoadedKind[];
  readonly systems: Systems;
  readonly metrics?: Metrics;
  /** Its own, and those of its kinds. */
  readonly extensions?: readonly ExtensionEntry[];
}

type Systems = NonNullable<UserModule["systems"]>;
type Metrics = NonNullable<UserModule["metrics"]>;

export interface LoadedKind {
  readonly id: string;
  /** Absent when somebody else makes the definition. */
  readonly kind?: KindInput;
  readonly reconciler: Reconciler;
}

export async function loadModules(files: readonly string[]): Promise<readonly LoadedModule[]> {
  const modules: LoadedModule[] = [];
  for (const file of files) modules.push(loadedModule(file, await importFile(file)));
  checkUnique(modules);
  return modules;
}

/** The ids of all kinds that they have reconcilers for. */
export function kindsOf(modules: readonly LoadedModule[]): ReadonlySet<string> {
  return new Set(modules.flatMap(({ kinds }) => kinds.map(({ id }) => id)));
}

/** What they say about systems outside. */
export function systemsOf(modules: readonly LoadedModule[]): Systems {
  return Object.fromEntries(modules.flatMap(({ systems }) => Object.entries(systems)));
}

/** What they say to built-in modules. */
export function extensionsOf(modules: readonly LoadedModule[]): readonly ExtensionEntry[] {
  return modules.flatMap(({ extensions = [] }) => extensions);
}

export function metricsIn(modules: readonly LoadedModule[]): Metrics {
  return Object.fromEntries(modules.flatMap(({ metrics = {} }) => Object.entries(metrics)));
}

async function importFile(file: string): Promise<unknown> {
  if (!existsSync(file)) throw absent(file);
  resolveOwnNames();
  let exports: { readonly default?: unknown };
  try {
    exports = (await import(pathToFileURL(file).href)) as typeof exports;
  } catch (cause) {
    throw wrong(file, `cannot be loaded${placeOf(cause, file)}`, cause);
  }
  if (exports.default !== undefined) return exports.default;
  throw wrong(file, "has no default export; write: export default defineModule({ ... })");
}

/** Where it went wrong, as far as the stack tells: the message of a syntax error does not. */
function placeOf(cause: unknown, file: string): string {
  const stack = cause instanceof Error ? String(cause.stack) : "";
  const [, path, line] = /(\/[^\s()]*\.[cm]?[jt]s):(\d+)/.exec(stack) ?? [];
  if (path === undefined || line === undefined) return "";
  return path.endsWith(file) ? ` (line ${line})` : ` (${path}, line ${line})`;
}

const extensionPoints = extensionPointsOf(builtInModules);

/** Checks everything: authors may write without types, and types are not checked. */
export function loadedModule(
  file: string,
  value: unknown,
  points: readonly ExtensionPoint[] = extensionPoints,
): LoadedModule {
  if (!isObject(value)) throw wrong(file, "does not export a module: write defineModule({ ... })");
  const { name, version = 1, kinds, systems = {}, metrics } = value as Partial<UserModule>;
  checkFields(file, "", value, [...moduleFields, ...namesOf(points, "module")]);
  const nameProblem = typeof name === "string" ? dnsLabelProblems(name)[0] : "must be a string";
  if (typeof name !== "string" || nameProblem !== undefined) {
    throw wrongPart(file, `name ${nameProblem}`);
  }
  if (moduleNames.has(name)) throw wrongPart(file, `name ${name} is that of a built-in module`);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw wrongPart(file, "version must be a positive integer");
  }
  if (!Array.isArray(kinds)) throw wrongPart(file, "kinds must be a list");
  const place = { file, module: name, points };
  const own = loadedExtensions(place, "", value);
  if (kinds.length === 0 && own.every(({ value: said }) => isEmptyList(said))) {
    throw wrongPart(file, "kinds is empty; a module must have at least one kind");
  }
  const loaded = (kinds as readonly unknown[]).map((entry, index) =>
    loadedKind(place, `kinds[${index}]`, entry),
  );
  checkSystems(file, systems);
  const problem = metrics === undefined ? undefined : metricsProblem(metrics);
  if (problem !== undefined) throw wrongPart(file, problem);
  return {
    file,
    name,
    version,
    kinds: loaded.map(({ kind }) => kind),
    systems,
    ...(metrics === undefined ? {} : { metrics }),
    extensions: [...own, ...loaded.flatMap(({ extensions }) => extensions)],
  };
}

interface Place {
  readonly file: string;
  readonly module: string;
  readonly points: readonly ExtensionPoint[];
}

function loadedExtensions(
  { file, module, points }: Place,
  prefix: string,
  given: object,
  kind?: string,
): readonly ExtensionEntry[] {
  const of = kind === undefined ? "module" : "kind";
  return extensionsIn({
    given,
    prefix,
    points: points.filter((point) => point.of === of),
    from: { module, file, ...(kind === undefined ? {} : { kind }) },
    refuse: (problem) => {
      throw wrongPart(file, problem);
    },
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkSystems(file: string, systems: Systems): void {
  if (!isObject(systems) || !Object.values(systems).every(isObject)) {
    throw wrongPart(
      file,
      "systems must be an object that maps the name of each system to its options",
    );
  }
  for (const [system, options] of Object.entries(systems)) {
    const problem = systemProblem(system, options);
    if (problem !== undefined) throw wrongPart(file, problem);
  }
}

type OwnField<T> = Exclude<keyof T, keyof ModuleExtensions | keyof KindExtensions>;

const moduleFields: readonly OwnField<UserModule>[] = [
  "name",
  "version",
  "kinds",
  "systems",
  "metrics",
  "extensions",
];

const kindFields: readonly OwnField<UserModuleKind>[] = ["kind", "reconciler", "extensions"];

function namesOf(points: readonly ExtensionPoint[], of: ExtensionPoint["of"]): readonly string[] {
  return points.filter((point) => point.of === of).map(({ name }) => name);
}

/** A misspelt field would be ignored, so it is refused. */
function checkFields(file: string, prefix: string, given: object, known: readonly string[]): void {
  // An instance of a class may have more members than the type declares.
  if (Object.getPrototypeOf(given) !== Object.prototype) return;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  const fields = `known fields: ${known.join(", ")}`;
  throw wrongPart(file, `${prefix}${unknown} is not a known field; ${fields}${meant}`);
}

interface LoadedEntry {
  readonly kind: LoadedKind;
  readonly extensions: readonly ExtensionEntry[];
}

function loadedKind(place: Place, field: string, entry: unknown): LoadedEntry {
  const { file, points } = place;
  if (!isObject(entry)) throw wrongPart(file, `${field} must have a kind and a reconciler`);
  const { kind, reconciler } = entry as Partial<UserModuleKind>;
  checkFields(file, `${field}.`, entry, [...kindFields, ...namesOf(points, "kind")]);
  if (typeof kind !== "string" && !isObject(kind)) {
    throw wrongPart(file, `${field}.kind must be a kind, or the id of one`);
  }
  if (!isObject(reconciler) || typeof reconciler.reconcile !== "function") {
    throw wrongPart(file, `${field}.reconciler must have a function called reconcile`);
  }
  for (const name of ["remove", "observe"] as const) {
    if (reconciler[name] === undefined || typeof reconciler[name] === "function") continue;
    throw wrongPart(file, `${field}.reconciler.${name} must be a function`);
  }
  const optionProblem = reconcilerProblem(`${field}.reconciler`, reconciler);
  if (optionProblem !== undefined) throw wrongPart(file, optionProblem);
  const problem = typeof kind === "string" ? undefined : kindProblem(kind);
  if (problem !== undefined) throw wrongPart(file, `${field}.kind: ${problem}`);
  const id = idOfModuleKind({ kind });
  if (builtinIds.has(id)) {
    const why = "a built-in kind, which modules cannot reconcile";
    throw wrongPart(
      file,
      `${field}.kind is ${id}, ${why}; refer to its resources from a kind of your own`,
    );
  }
  const owner = moduleKinds.get(id);
  if (owner !== undefined) {
    throw wrongPart(file, `${field}.kind is ${id}, a kind of the built-in module ${owner}`);
  }
  if (reconciler.kind !== undefined && reconciler.kind !== id) {
    throw wrongPart(file, `${field}.reconciler.kind is ${reconciler.kind} but the kind is ${id}`);
  }
  return {
    kind: {
      id,
      reconciler: reconcilerOf({ kind, reconciler }),
      ...(typeof kind === "string" ? {} : { kind }),
    },
    extensions: loadedExtensions(place, `${field}.`, entry, id),
  };
}

const builtinIds: ReadonlySet<string> = new Set(builtinKinds.map(kindId));

/** Definitions that a user module would install first, so that the server could not start. */
const moduleKinds: ReadonlyMap<string, string> = new Map(
  declaredKinds(builtInModules).map(({ kind, module }) => [kindId(kind), module.name]),
);
const moduleNames: ReadonlySet<string> = new Set([
  ...builtInModules.map(({ name }) => name),
  ...moduleKinds.values(),
]);

function kindProblem(kind: KindInput): string | undefined {
  try {
    return kindInputProblem(kind);
  } catch (error) {
    // A part that is missing altogether, or of another type than the types say.
    if (error instanceof TypeError) return `is not complete (${error.message})`;
    throw error;
  }
}

function checkUnique(modules: readonly LoadedModule[]): void {
  const names = new Map<string, string>();
  const systemNames = new Map<string, string>();
  const ids = new Map<string, string>();
  const metricNames = new Map<string, string>();
  for (const { file, name, kinds, systems, metrics = {} } of modules) {
    const named = names.get(name);
    if (named !== undefined) throw wrong(file, `has the same name as ${named}: ${name}`);
    names.set(name, file);
    for (const system of Object.keys(systems)) {
      const other = systemNames.get(system);
      if (other !== undefined) {
        throw wrong(file, `declares the system ${system}, which ${other} also declares`);
      }
      systemNames.set(system, file);
    }
    for (const metric of Object.keys(metrics)) {
      const other = metricNames.get(metric);
      if (other !== undefined) {
        throw wrong(file, `declares the metric ${metric}, which ${other} also declares`);
      }
      metricNames.set(metric, file);
    }
    for (const { id } of kinds) {
      const other = ids.get(id);
      if (other === file) throw wrong(file, `declares the kind ${id} twice`);
      if (other !== undefined) {
        throw wrong(file, `declares the kind ${id}, which ${other} also declares`);
      }
      ids.set(id, file);
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The problem begins with the field that has it. */
function wrongPart(file: string, problem: string): SetpointError {
  return refused(`the module ${file}: ${problem}`, file);
}

function wrong(file: string, problem: string, cause?: unknown): SetpointError {
  return refused(`the module ${file} ${problem}`, file, cause);
}

/** The name is shown as a whole path, which tells where it was looked for. */
function absent(file: string): SetpointError {
  return new SetpointError("config.invalid", `the module ${file} does not exist`, {
    details: { option: "module", file },
    suggestion:
      `check the path; a relative path starts in ${process.cwd()}, ` +
      "the current folder, or in the folder of the configuration file that names it",
  });
}

function refused(message: string, file: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", message, {
    cause,
    details: { option: "module", file },
    suggestion: "see docs/authoring-a-kind.md and docs/reference/engine.md",
  });
}
