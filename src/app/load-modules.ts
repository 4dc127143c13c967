/**
 * Loads the files that --module names and checks what they say, before anything is opened. A file
 * is TypeScript or JavaScript; types are stripped, not checked. Each mistake is told with the file
 * and the field, since whoever wrote it is the one who reads it.
 */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { idOfModuleKind, reconcilerOf } from "../engine/module.ts";
import type { Module, ModuleKind } from "../engine/module.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { builtinKinds } from "../intents/builtin/builtin-kinds.ts";
import { kindInputProblem } from "../intents/kinds/kind-definition.ts";
import type { ArmFaceOfKind } from "../kernel/arm-face.ts";
import type { ConnectHooks } from "../kernel/connect-hooks.ts";
import { SetpointError } from "../kernel/errors.ts";
import { kindId } from "../kernel/kind.ts";
import type { KindInput } from "../kernel/kind.ts";
import { dnsLabelProblems } from "../kernel/names.ts";
import type { NamedHooks } from "../modules/connect/loop/hooks.ts";
import { reconcilerProblem, systemProblem } from "./module-options.ts";
import { resolveOwnNames } from "./module-resolution.ts";

export interface LoadedModule {
  readonly file: string;
  readonly name: string;
  readonly version: number;
  readonly kinds: readonly LoadedKind[];
  readonly systems: Systems;
  /** For kinds that are kept in services. */
  readonly connect?: readonly ConnectHooks[];
}

type Systems = NonNullable<Module["systems"]>;

export type DeclaredFace = ArmFaceOfKind & { readonly kind: string };

export interface LoadedKind {
  readonly id: string;
  /** Absent when somebody else makes the definition. */
  readonly kind?: KindInput;
  readonly reconciler: Reconciler;
  /** Made whole, and judged, once the kind is served: see arm-faces.ts. */
  readonly arm?: DeclaredFace;
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

/** The faces of their kinds, types before those inside them. */
export function facesOf(modules: readonly LoadedModule[]): readonly DeclaredFace[] {
  const faces = modules.flatMap(({ kinds }) => kinds.flatMap(({ arm }) => arm ?? []));
  const depth = ({ type }: { readonly type: unknown }): number => String(type).split("/").length;
  return faces.sort((a, b) => depth(a) - depth(b));
}

/** What they say about systems outside. */
export function systemsOf(modules: readonly LoadedModule[]): Systems {
  return Object.fromEntries(modules.flatMap(({ systems }) => Object.entries(systems)));
}

/** Their hooks for kinds that are kept in services, in the order in which they are called. */
export function connectHooksOf(modules: readonly LoadedModule[]): readonly NamedHooks[] {
  return modules.flatMap(({ name, connect = [] }) =>
    connect.map((hooks) => ({ module: name, hooks })),
  );
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

/** Nothing is believed here: authors may write without types, and types are not checked. */
export function loadedModule(file: string, value: unknown): LoadedModule {
  if (!isObject(value)) throw wrong(file, "does not export a module: write defineModule({ ... })");
  const { name, version = 1, kinds, systems = {}, connect = [] } = value as Partial<Module>;
  checkFields(file, "", value, moduleFields);
  const nameProblem = typeof name === "string" ? dnsLabelProblems(name)[0] : "must be a text";
  if (typeof name !== "string" || nameProblem !== undefined) {
    throw wrongPart(file, `name ${nameProblem}`);
  }
  if (!Number.isSafeInteger(version) || version < 1) {
    throw wrongPart(file, "version must be a whole number from 1 on");
  }
  if (!Array.isArray(kinds)) throw wrongPart(file, "kinds must be a list");
  const hooks = loadedHooks(file, connect);
  if (kinds.length === 0 && hooks.length === 0) {
    throw wrongPart(file, "kinds is empty; a module has at least one kind");
  }
  const loaded = (kinds as readonly unknown[]).map((entry, index) =>
    loadedKind(file, `kinds[${index}]`, entry),
  );
  if (!isObject(systems) || !Object.values(systems).every(isObject)) {
    throw wrongPart(file, "systems must hold the options of each system by its name");
  }
  for (const [system, options] of Object.entries(systems)) {
    const problem = systemProblem(system, options);
    if (problem !== undefined) throw wrongPart(file, problem);
  }
  const others = hooks.length === 0 ? {} : { connect: hooks };
  return { file, name, version, kinds: loaded, systems, ...others };
}

const moduleFields: Readonly<Record<keyof Module, true>> = {
  name: true,
  version: true,
  kinds: true,
  systems: true,
  connect: true,
};

const kindFields: Readonly<Record<keyof ModuleKind, true>> = {
  kind: true,
  reconciler: true,
  arm: true,
};

/** What nobody reads would be a face, or a reconciler, that nobody serves. */
function checkFields(file: string, prefix: string, given: object, fields: object): void {
  // An object of a class may have more to it than is declared.
  if (Object.getPrototypeOf(given) !== Object.prototype) return;
  const known = Object.keys(fields);
  const strange = Object.keys(given).find((name) => !known.includes(name));
  if (strange === undefined) return;
  throw wrongPart(file, `${prefix}${strange} is no field; there are ${known.join(", ")}`);
}

const hookNames: Readonly<Record<Exclude<keyof ConnectHooks, "kind">, true>> = {
  mapDesired: true,
  mapObserved: true,
  beforeSend: true,
  classifyError: true,
  chooseVerb: true,
  isReady: true,
  exportSecrets: true,
  validate: true,
};

/** A hook under a name that nobody calls would be a rule that nobody keeps. */
function loadedHooks(file: string, connect: unknown): readonly ConnectHooks[] {
  if (!Array.isArray(connect)) throw wrongPart(file, "connect must be a list");
  return (connect as readonly unknown[]).map((entry, index) => {
    const field = `connect[${index}]`;
    if (!isObject(entry)) throw wrongPart(file, `${field} must have a kind and hooks`);
    const { kind, ...hooks } = entry as ConnectHooks;
    if (typeof kind !== "string") throw wrongPart(file, `${field}.kind must be the id of a kind`);
    for (const [name, hook] of Object.entries(hooks)) {
      if (!Object.hasOwn(hookNames, name)) {
        const known = Object.keys(hookNames).join(", ");
        throw wrongPart(file, `${field}.${name} is no hook; there are ${known}`);
      }
      if (typeof hook !== "function") throw wrongPart(file, `${field}.${name} must be a function`);
    }
    return entry as ConnectHooks;
  });
}

function loadedKind(file: string, field: string, entry: unknown): LoadedKind {
  if (!isObject(entry)) throw wrongPart(file, `${field} must have a kind and a reconciler`);
  const { kind, reconciler, arm } = entry as Partial<ModuleKind>;
  checkFields(file, `${field}.`, entry, kindFields);
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
    const why = "a kind of the server itself, whose resources make nothing due";
    throw wrongPart(file, `${field}.kind is ${id}, ${why}; refer to them from a kind of your own`);
  }
  if (reconciler.kind !== undefined && reconciler.kind !== id) {
    throw wrongPart(file, `${field}.reconciler.kind is ${reconciler.kind} but the kind is ${id}`);
  }
  if (arm !== undefined && !isObject(arm)) throw wrongPart(file, `${field}.arm must be a face`);
  return {
    id,
    reconciler: reconcilerOf({ kind, reconciler }),
    ...(typeof kind === "string" ? {} : { kind }),
    ...(arm === undefined ? {} : { arm: { ...arm, kind: id } }),
  };
}

const builtinIds: ReadonlySet<string> = new Set(builtinKinds.map(kindId));

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
  for (const { file, name, kinds, systems } of modules) {
    const named = names.get(name);
    if (named !== undefined) throw wrong(file, `has the name ${name}, as ${named} does`);
    names.set(name, file);
    for (const system of Object.keys(systems)) {
      const other = systemNames.get(system);
      if (other !== undefined) throw wrong(file, `declares the system ${system}, as ${other} does`);
      systemNames.set(system, file);
    }
    for (const { id } of kinds) {
      const other = ids.get(id);
      if (other === file) throw wrong(file, `declares the kind ${id} twice`);
      if (other !== undefined) throw wrong(file, `declares the kind ${id}, as ${other} does`);
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
      `check the name: there is no such file; a relative name begins in ${process.cwd()}, ` +
      "where setpoint was started, or in the folder of the configuration file that has it",
  });
}

function refused(message: string, file: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", message, {
    cause,
    details: { option: "module", file },
    suggestion: "see docs/authoring-a-kind.md and docs/reference/engine.md",
  });
}
