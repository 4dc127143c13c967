/**
 * Loads the files that --module names and checks what they say, before anything is opened. A file
 * is TypeScript or JavaScript; types are stripped, not checked. A mistake is reported with the file
 * and the line or the field. It makes this one module unusable; the server starts without it.
 */
import { idOfModuleKind } from "../contract/user-module.ts";
import type { ExtensionEntry, ExtensionPoint, UserModule } from "../contract/user-module.ts";
import type { KindExtensions, ModuleExtensions, UserModuleKind } from "../contract/user-module.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { builtinKinds } from "../intents/builtin/builtin-kinds.ts";
import { kindInputProblem } from "../intents/kinds/kind-definition.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { kindId } from "../kernel/kind.ts";
import type { KindInput } from "../kernel/kind.ts";
import { dnsLabelProblems } from "../kernel/names.ts";
import { unknownField } from "../kernel/unknown-field.ts";
import { brokenModule, invalidModule, unusableModule } from "./broken-module.ts";
import type { BrokenModule } from "./broken-module.ts";
import { declaredKinds, extensionPointsOf } from "./declared-parts.ts";
import { importModule } from "./import-module.ts";
import { extensionsIn } from "./module-extensions.ts";
import { unknownKindField, unknownReconcilerField } from "./module-fields.ts";
import { metricsProblem } from "./module-metrics.ts";
import { reconcilerProblem, systemProblem } from "./module-options.ts";
import { conflictWith } from "./module-conflicts.ts";
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
  readonly migrate?: UserModuleKind["migrate"];
}

/** The modules that can be used, and the others with the reason. */
export interface LoadedModules {
  readonly modules: readonly LoadedModule[];
  readonly broken: readonly BrokenModule[];
}

/** A file that cannot be used, alone or next to the files before it, does not affect the others. */
export async function loadModules(
  files: readonly string[],
  load: (file: string) => Promise<unknown> = importModule,
): Promise<LoadedModules> {
  const modules: LoadedModule[] = [];
  const broken: BrokenModule[] = [];
  for (const file of files) {
    try {
      const module = loadedModule(file, await load(file));
      const conflict = conflictWith(modules, module);
      if (conflict !== undefined) throw unusableModule(file, conflict);
      modules.push(module);
    } catch (error) {
      broken.push(brokenModule(file, error));
    }
  }
  return { modules, broken };
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

const extensionPoints = extensionPointsOf(builtInModules);

/** Checks everything: authors may write without types, and types are not checked. */
export function loadedModule(
  file: string,
  value: unknown,
  points: readonly ExtensionPoint[] = extensionPoints,
): LoadedModule {
  if (!isObject(value)) {
    throw unusableModule(file, "does not export a module: write defineModule({ ... })");
  }
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

const kindFields: readonly OwnField<UserModuleKind>[] = [
  "kind",
  "reconciler",
  "migrate",
  "extensions",
];

function namesOf(points: readonly ExtensionPoint[], of: ExtensionPoint["of"]): readonly string[] {
  return points.filter((point) => point.of === of).map(({ name }) => name);
}

/** A misspelt field would be ignored, so it is refused. */
function checkFields(file: string, prefix: string, given: object, known: readonly string[]): void {
  // An instance of a class may have more members than the type declares.
  if (Object.getPrototypeOf(given) !== Object.prototype) return;
  const problem = unknownField(prefix, given, known);
  if (problem !== undefined) throw wrongPart(file, problem);
}

interface LoadedEntry {
  readonly kind: LoadedKind;
  readonly extensions: readonly ExtensionEntry[];
}

function loadedKind(place: Place, field: string, entry: unknown): LoadedEntry {
  const { file, points } = place;
  if (!isObject(entry)) throw wrongPart(file, `${field} must have a kind and a reconciler`);
  const { kind, reconciler, migrate } = entry as Partial<UserModuleKind>;
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
  if (migrate !== undefined && typeof migrate !== "function") {
    throw wrongPart(file, `${field}.migrate must be a function`);
  }
  const optionProblem =
    unknownReconcilerField(`${field}.reconciler.`, reconciler) ??
    reconcilerProblem(`${field}.reconciler`, reconciler);
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
      ...(migrate === undefined ? {} : { migrate }),
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
    return unknownKindField(kind) ?? kindInputProblem(kind);
  } catch (error) {
    // A part that is missing altogether, or of another type than the types say.
    if (error instanceof TypeError) return `is not complete (${error.message})`;
    throw error;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The problem begins with the field that has it. */
function wrongPart(file: string, problem: string): SetpointError {
  return invalidModule(`the module ${file}: ${problem}`, file);
}
