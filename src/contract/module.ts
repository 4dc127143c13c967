/**
 * The contract between Setpoint and a built-in module.
 *
 * A module is a folder in src/modules/ and an entry in src/app/modules.ts. Nothing else names it,
 * except src/authoring/extensions.ts where modules of users can extend it. Deleting the folder and
 * these lines removes the module. It contributes in three stages:
 *
 *   declare   Data that is known before anything is opened: kinds, metrics, roles, configuration.
 *   open      Runs once for each process, after the live view and the registry of kinds exist.
 *             Returns everything that answers requests: admission, subresources, routes, checks.
 *   start     Runs once for each process, after the kinds of all modules are installed. Adds
 *             reconcilers to the engine and starts followers. Disposing of the result stops them.
 *
 * A *reconciler* changes stored state or an external system. The engine runs it under a lease, and
 * fences its writes. A *leader task* does the same for many resources at once, in one process at a
 * time. A *follower* builds state of this process from the log, such as an index. Every process
 * has its own followers. The only write of a follower is a condition that reports what this
 * process found, with the revision as precondition.
 *
 * A module receives ports (ports.ts) and never the application. It imports no other module and no
 * surface. Modules interact only through resources in the store.
 */
import type { MetricDefinition } from "../engine/reporting/metric-names.ts";
import type { SystemPolicy } from "../engine/external/external.ts";
import type { Holder } from "../engine/why/diagnosis.ts";
import type { AdmissionPlugin } from "../intents/admission/admission.ts";
import type { OtherForm } from "../intents/kinds/other-form.ts";
import type { AddedRules } from "../intents/auth/bootstrap-policy.ts";
import type { IndexTerms } from "../kernel/draft.ts";
import type { CatalogueEntry } from "../kernel/error-catalogue.ts";
import type { KindInput } from "../kernel/kind.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";
import type { AgentWork, CommandGroup } from "./command.ts";
import type { ConfigurationSection } from "./configuration.ts";
import type { Finding } from "./finding.ts";
import type { OpenPorts, StartPorts } from "./ports.ts";
import type { RoutesOf } from "./route.ts";
import type { Subresource } from "./subresource.ts";
import type { ExtensionPoint } from "./user-module.ts";

export interface BuiltInModule {
  /** In lower case. The definitions that the module installs have it, as "setpoint-NAME". */
  readonly name: string;
  /** The name on its definitions, where that is not "setpoint-NAME": names are never changed. */
  readonly definitionOwner?: string;
  /** Raise it with every change of a kind. An older server never replaces a newer definition. */
  readonly version: number;
  /** Installed as CustomResourceDefinitions before `start`. */
  readonly kinds?: readonly DeclaredKind[];
  /** Further groups in which kinds of the module are served. */
  readonly forms?: readonly DeclaredForm[];
  /** Ids of the kinds that every process keeps in its live view. */
  readonly cachedKinds?: readonly string[];
  /** Additional terms by which the store finds a resource. Pure; runs in every write. */
  readonly indexTerms?: IndexTerms;
  readonly metrics?: Readonly<Record<string, MetricDefinition>>;
  /**
   * Error codes, from `defineErrors` (kernel/errors.ts). Add their types to `ErrorCodes` in
   * kernel/error-catalogue.ts with `declare module`. A code is never renamed and never reused.
   */
  readonly errors?: Readonly<Record<string, CatalogueEntry>>;
  /** Every bound that the module keeps, by name, for the documentation. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Rules that the module adds to the default ClusterRoles. */
  readonly roles?: readonly AddedRules[];
  readonly configuration?: ConfigurationSection;
  /** The entries that this module accepts in `extensions` of user modules. */
  readonly extensionPoints?: readonly ExtensionPoint[];
  /** Loaded when the command line needs them. */
  readonly commands?: readonly CommandGroup[];
  /** Loaded by the program that runs at a data-plane cluster: its work for this module. */
  readonly agentWork?: () => Promise<AgentWork>;
  /**
   * Whether a server with this configuration starts the module; every server does when it is left
   * out. A module that is not started is still opened: its admission protects what the servers
   * that start it have stored. Its kinds are not installed, and its surface is not served.
   */
  readonly isStarted?: (given: Pick<OpenPorts, "configuration" | "extensions">) => boolean;
  /** What the module needs of this machine, for `setpoint doctor`. Changes nothing. */
  readonly examine?: (given: ExamineInput) => Promise<readonly Finding[]>;
  /**
   * Loads the code that only a server needs: the command line reads the declarations of all modules
   * for every command, so a `module.ts` imports little.
   */
  readonly open?: (ports: OpenPorts) => Promise<OpenModule>;
}

export interface ExamineInput {
  /** The module's own section of the configuration, checked; undefined when it is absent. */
  readonly configuration: unknown;
  readonly openSandbox: OpenPorts["openSandbox"];
}

export interface DeclaredKind {
  readonly kind: KindInput;
  /** False for records that no reconciler works on. */
  readonly isReconciled: boolean;
  /** A change of the status alone does not wake the resources that refer to it. */
  readonly isQuiet?: true;
  /** Of its definition, for other modules to read. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A second form of a kind. Its definition is installed after the kinds. */
export interface DeclaredForm extends OtherForm {
  readonly kind: KindInput;
  /** Whether a server with this section of the configuration installs it. */
  readonly isInstalled: (configuration: unknown) => boolean;
}

/** A module of a running process. */
export interface OpenModule {
  /** In this order, after the mutating webhooks and before policies and quotas. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly subresources?: readonly Subresource[];
  /** A function, because routes need the write path. Called once, when it exists. */
  readonly routes?: RoutesOf;
  readonly explainers?: readonly WhyExplainer[];
  readonly healthChecks?: readonly HealthCheck[];
  /** Whether the resources of a kind are reconciled by this module, in any process. */
  readonly reconciles?: (kind: string) => boolean;
  /** The policy for calls to an external system; undefined for systems of other modules. */
  readonly policyOf?: (system: string) => Partial<SystemPolicy> | undefined;
  /** The module reads the log later than its process, so that history has to wait for it. */
  readonly history?: HistoryHolder;
  /** State that the surface of the module reads: see surfaces/http/module-surface.ts. */
  readonly offered?: unknown;
  readonly start?: (ports: StartPorts) => Promise<AsyncDisposable>;
  /** Frees what `open` took, after the engine has stopped. */
  readonly close?: () => Promise<void> | void;
}

/** Keeps history from being compacted before the module has read it, for a bounded time. */
export interface HistoryHolder {
  /** The module has read everything up to this revision; undefined: it reads nothing. */
  readonly floor: () => Promise<number | undefined>;
  /** How much longer than configured history is kept for it. */
  readonly holdMs: number;
}

/** Adds facts to `why` about resources that the module knows more about than the engine. */
export interface WhyExplainer {
  /** While the resource is deleted: the resources that still need it. */
  readonly holders?: (key: ResourceKey, resource: Resource) => Promise<readonly Holder[]>;
  /** What to say about a resource without conditions; undefined leaves the default. */
  readonly unreported?: (key: ResourceKey) => string | undefined;
}

/** Shown at /readyz?verbose, and served at /readyz/NAME. */
export interface HealthCheck {
  readonly name: string;
  /** The server is not ready while the check fails. */
  readonly isRequired?: true;
  /** The reason why the check fails; undefined when it passes. Bounded by the caller. */
  readonly check: () => Promise<string | undefined>;
}
