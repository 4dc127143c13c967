/** What modules declare, collected from all of them: data that needs no running process. */
import type { BuiltInModule, DeclaredForm, DeclaredKind } from "../contract/module.ts";
import type { ConfigurationSection } from "../contract/configuration.ts";
import type { ExtensionPoint } from "../contract/user-module.ts";
import { engineMetrics } from "../engine/reporting/metric-names.ts";
import type { MetricDefinition } from "../engine/reporting/metric-names.ts";
import type { AddedRules } from "../intents/auth/bootstrap-policy.ts";
import type { IndexTerms } from "../kernel/draft.ts";
import type { InstalledForm } from "../intents/kinds/definition-kinds.ts";
import { kindId } from "../kernel/kind.ts";
import { storeMetrics } from "./measure-store.ts";

type Modules = readonly BuiltInModule[];
type Metrics = Readonly<Record<string, MetricDefinition>>;

export interface ModuleKind extends DeclaredKind {
  /** As the definition names its module. */
  readonly module: { readonly name: string; readonly version: number };
}

export function declaredKinds(modules: Modules): readonly ModuleKind[] {
  return modules.flatMap(({ name, definitionOwner, version, kinds = [] }) => {
    const module = { name: definitionOwner ?? `setpoint-${name}`, version };
    return kinds.map((each) => ({ ...each, module }));
  });
}

export interface ModuleForm extends DeclaredForm, Pick<ModuleKind, "module"> {}

export function declaredForms(modules: Modules): readonly ModuleForm[] {
  return modules.flatMap(({ name, definitionOwner, version, forms = [] }) => {
    const module = { name: definitionOwner ?? `setpoint-${name}`, version };
    return forms.map((each) => ({ ...each, module }));
  });
}

/** By the name of the definition, with the module that installs it. */
export function formsOf(modules: Modules): ReadonlyMap<string, InstalledForm> {
  const forms = declaredForms(modules);
  return new Map(
    forms.map(({ kind, module, ...form }) => [kindId(kind), { form, module: module.name }]),
  );
}

/** Ids of the kinds that the modules themselves reconcile. */
export function reconciledKinds(modules: Modules): readonly string[] {
  const reconciled = declaredKinds(modules).filter(({ isReconciled }) => isReconciled);
  return reconciled.map(({ kind }) => kindId(kind));
}

export function cachedKinds(modules: Modules): readonly string[] {
  return modules.flatMap((module) => module.cachedKinds ?? []);
}

/** Kinds of which a change of the status alone wakes no resource that refers to them. */
export function quietKinds(modules: Modules): readonly string[] {
  const quiet = declaredKinds(modules).filter(({ isQuiet }) => isQuiet === true);
  return quiet.map(({ kind }) => kindId(kind));
}

/** Undefined where no module has any, so that a write does no more than it has to. */
export function indexTermsOf(modules: Modules): IndexTerms | undefined {
  const [first, ...others] = modules.flatMap(({ indexTerms }) => indexTerms ?? []);
  if (others.length === 0) return first;
  return (resource) => [first, ...others].flatMap((terms) => terms?.(resource) ?? []);
}

export function rolesOf(modules: Modules): readonly AddedRules[] {
  return modules.flatMap(({ roles = [] }) => roles);
}

/** Those of the engine, of the store, of built-in modules and of modules of users. */
export function metricsOf(modules: Modules, added: Metrics): Metrics {
  const own = modules.flatMap(({ metrics = {} }) => Object.entries(metrics));
  return { ...engineMetrics, ...storeMetrics, ...Object.fromEntries(own), ...added };
}

export function sectionsOf(modules: Modules): readonly ConfigurationSection[] {
  return modules.flatMap(({ configuration }) => configuration ?? []);
}

export function extensionPointsOf(modules: Modules): readonly ExtensionPoint[] {
  return modules.flatMap(({ extensionPoints = [] }) => extensionPoints);
}
