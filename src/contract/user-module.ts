// The restricted form of the contract for modules that users write and load with --module: kinds
// with reconcilers, systems, metrics and extensions. See docs/authoring-a-kind.md.

import type { MetricDefinition } from "../engine/reporting/metric-names.ts";
import type { SystemPolicy } from "../engine/external/external.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { kindId } from "../kernel/kind.ts";
import type { KindInput } from "../kernel/kind.ts";
import type { Resource } from "../kernel/resource.ts";

/**
 * What a module says to built-in modules, by extension point. Each built-in module adds an
 * optional member with `declare module`, so a type exists exactly where its module exists.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by the modules
export interface ModuleExtensions {}

/** The same, for one kind of a module. */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by the modules
export interface KindExtensions {}

export interface UserModule extends ModuleExtensions {
  /** A name of its own, in lower case. Written on the definitions that the module installs. */
  readonly name: string;
  /**
   * Raise it with every change of a kind. An older server never replaces the definition of a higher
   * version. Between equal versions, the server that starts last wins.
   */
  readonly version?: number;
  /** May be empty for a module that has only extensions. */
  readonly kinds: readonly UserModuleKind[];
  /** Policies for calls to external systems, by the names that the reconcilers use. */
  readonly systems?: Readonly<Record<string, Partial<SystemPolicy>>>;
  /** Counters, gauges and histograms of the module, by name. */
  readonly metrics?: Readonly<Record<string, MetricDefinition>>;
  readonly extensions?: ModuleExtensions;
}

export interface UserModuleKind extends KindExtensions {
  /** A kind, or the id of a kind that is defined elsewhere. */
  readonly kind: KindInput | string;
  /** Its `kind` may be left out. */
  readonly reconciler: UserReconciler;
  /**
   * For a schema that does not accept the resources that are stored: gets each of them and returns
   * it in the form of the new schema, or unchanged if it has that form. Only fields outside of
   * `metadata` and `status` are used. See docs/how-to/change-a-kind.md.
   */
  readonly migrate?: (stored: Resource) => Resource | Promise<Resource>;
  readonly extensions?: KindExtensions;
}

export type UserReconciler = Omit<Reconciler, "kind"> & Partial<Pick<Reconciler, "kind">>;

/** One name under `extensions` that a built-in module accepts. */
export interface ExtensionPoint {
  readonly name: string;
  /** Whether the entry belongs to the module or to one of its kinds. */
  readonly of: "module" | "kind";
  /** Describes what is wrong with an entry, starting with the field; undefined when valid. */
  readonly problem: (value: unknown, field: string) => string | undefined;
}

/** One accepted entry, as its owner receives it. */
export interface ExtensionEntry {
  readonly point: string;
  /** The module that said it, and the file that the module came from. */
  readonly module: string;
  readonly file: string;
  /** The id of the kind, for entries of kinds. */
  readonly kind?: string;
  readonly value: unknown;
}

/** Checks the types only. The server checks the content when it loads the module. */
export function defineModule(module: UserModule): UserModule {
  return module;
}

export function idOfModuleKind({ kind }: Pick<UserModuleKind, "kind">): string {
  return typeof kind === "string" ? kind : kindId(kind);
}
