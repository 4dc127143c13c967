// Every page: its URL, its place in the navigation and its breadcrumbs. A new page is a folder in
// pages/ and a line here; its code is loaded when it is opened.

import type { ComponentType } from "preact";
import type { ShapeName } from "./ui/shapes.ts";
import { paths } from "./paths.ts";
import type { FleetTab, ResourceTab } from "./paths.ts";

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export type Page = ComponentType<PageProps>;

export interface Crumb {
  readonly label: string;
  readonly href?: string;
}

export interface Route {
  /** Without the base: "/x/:kind". */
  readonly pattern: string;
  readonly load: () => Promise<Page>;
  /** The page itself is the last one. */
  readonly crumbs: (params: Readonly<Record<string, string>>) => readonly Crumb[];
  /** The entry of the navigation that it belongs to. */
  readonly section: string;
}

export interface Section {
  readonly id: string;
  readonly label: string;
  readonly icon: ShapeName;
  readonly href: string;
  /** With `g`, it opens the page. */
  readonly key: string;
  /** Entries of a group are next to each other. */
  readonly group: number;
  /** Shown only when the server serves this kind: its module is loaded. */
  readonly kind?: string;
  /** The kinds whose failures are counted beside it. */
  readonly counts?: readonly string[];
}

export const sections: readonly Section[] = [
  {
    id: "overview",
    label: "Overview",
    icon: "overview",
    href: paths.overview(),
    key: "o",
    group: 1,
  },
  {
    id: "explorer",
    label: "Explorer",
    icon: "explorer",
    href: paths.explorer(),
    key: "x",
    group: 1,
  },
  {
    id: "environments",
    label: "Environments",
    icon: "environments",
    href: paths.environments(),
    key: "e",
    group: 2,
    kind: "environments.environments.setpoint.dev",
    counts: ["environments.environments.setpoint.dev"],
  },
  {
    id: "fleet",
    label: "Fleet",
    icon: "fleet",
    href: paths.fleet(),
    key: "f",
    group: 2,
    kind: "dataplaneclusters.fleet.setpoint.dev",
    counts: ["dataplaneclusters.fleet.setpoint.dev", "rollouts.fleet.setpoint.dev"],
  },
  {
    id: "gitops",
    label: "GitOps",
    icon: "gitops",
    href: paths.gitops(),
    key: "d",
    group: 2,
    kind: "gitopsdeployments.gitops.setpoint.dev",
    counts: ["gitopsdeployments.gitops.setpoint.dev"],
  },
  {
    id: "connect",
    label: "Connect",
    icon: "connect",
    href: paths.connect(),
    key: "c",
    group: 2,
    kind: "connections.connect.setpoint.dev",
    counts: ["connections.connect.setpoint.dev"],
  },
  {
    id: "providers",
    label: "Providers",
    icon: "providers",
    href: paths.providers(),
    key: "p",
    group: 2,
    kind: "subscriptions.arm.setpoint.dev",
  },
  {
    id: "activity",
    label: "Operations",
    icon: "activity",
    href: paths.activity(),
    key: "a",
    group: 3,
  },
  {
    id: "reference",
    label: "API reference",
    icon: "reference",
    href: paths.reference(),
    key: "r",
    group: 3,
  },
];

const explorer: Crumb = { label: "Explorer", href: paths.explorer() };

function kindCrumbs(kind: string): readonly Crumb[] {
  return [explorer, { label: kind, href: paths.kind(kind) }];
}

function resourceCrumbs(params: Readonly<Record<string, string>>): readonly Crumb[] {
  const { kind = "", namespace = "", name = "" } = params;
  const place = { label: namespace, href: paths.kind(kind, { ns: namespace }) };
  return [...kindCrumbs(kind), ...(namespace === "-" ? [] : [place]), { label: name }];
}

export const resourceTabs: readonly { readonly id: ResourceTab; readonly label: string }[] = [
  { id: "why", label: "Why" },
  { id: "status", label: "Status" },
  { id: "events", label: "Events" },
  { id: "history", label: "History" },
  { id: "yaml", label: "YAML" },
  { id: "related", label: "Related" },
];

const loadResource = async (): Promise<Page> =>
  (await import("./pages/resource/resource-page.tsx")).ResourcePage;

function environmentCrumbs({ namespace = "", name = "" }: Crumbs): readonly Crumb[] {
  return [
    { label: "Environments", href: paths.environments() },
    { label: namespace, href: paths.environments({ ns: namespace }) },
    { label: name },
  ];
}

type Crumbs = Readonly<Record<string, string>>;

const loadEnvironment = async (): Promise<Page> =>
  (await import("./pages/environments/environment-page.tsx")).EnvironmentPage;

function deploymentCrumbs({ namespace = "", name = "" }: Crumbs): readonly Crumb[] {
  return [
    { label: "GitOps", href: paths.gitops() },
    { label: namespace, href: paths.gitops({ ns: namespace }) },
    { label: name },
  ];
}

const loadDeployment = async (): Promise<Page> =>
  (await import("./pages/gitops/deployment-page.tsx")).DeploymentPage;

const loadFleet = async (): Promise<Page> =>
  (await import("./pages/fleet/fleet-page.tsx")).FleetPage;

const fleet: Crumb = { label: "Fleet", href: paths.fleet() };

function fleetCrumbs(tab: FleetTab, label: string, name: string | undefined): readonly Crumb[] {
  return [fleet, { label, href: paths.fleet(tab) }, { label: name ?? "" }];
}

const providers: Crumb = { label: "Providers", href: paths.providers() };

const loadSubscription = async (): Promise<Page> =>
  (await import("./pages/providers/subscription-page.tsx")).SubscriptionPage;

function connectionCrumbs({ name = "" }: Crumbs): readonly Crumb[] {
  return [{ label: "Connect", href: paths.connect() }, { label: name }];
}

const loadConnection = async (): Promise<Page> =>
  (await import("./pages/connect/connection-page.tsx")).ConnectionPage;

export const routes: readonly Route[] = [
  {
    pattern: "/",
    section: "overview",
    crumbs: () => [{ label: "Overview" }],
    load: async () => (await import("./pages/overview/overview.tsx")).Overview,
  },
  {
    pattern: "/x",
    section: "explorer",
    crumbs: () => [{ label: "Explorer" }],
    load: async () => (await import("./pages/explorer/kinds-page.tsx")).KindsPage,
  },
  {
    pattern: "/x/:kind",
    section: "explorer",
    crumbs: ({ kind = "" }) => [explorer, { label: kind }],
    load: async () => (await import("./pages/explorer/rows-page.tsx")).RowsPage,
  },
  {
    pattern: "/x/:kind/new",
    section: "explorer",
    crumbs: ({ kind = "" }) => [...kindCrumbs(kind), { label: "New" }],
    load: async () => (await import("./pages/resource/create-page.tsx")).CreatePage,
  },
  {
    pattern: "/x/:kind/:namespace/:name",
    section: "explorer",
    crumbs: resourceCrumbs,
    load: loadResource,
  },
  {
    pattern: "/x/:kind/:namespace/:name/:tab",
    section: "explorer",
    crumbs: resourceCrumbs,
    load: loadResource,
  },
  {
    pattern: "/environments",
    section: "environments",
    crumbs: () => [{ label: "Environments" }],
    load: async () => (await import("./pages/environments/environments-page.tsx")).EnvironmentsPage,
  },
  {
    pattern: "/environments/:namespace/:name",
    section: "environments",
    crumbs: environmentCrumbs,
    load: loadEnvironment,
  },
  {
    pattern: "/environments/:namespace/:name/:tab",
    section: "environments",
    crumbs: environmentCrumbs,
    load: loadEnvironment,
  },
  {
    pattern: "/fleet",
    section: "fleet",
    crumbs: () => [{ label: "Fleet" }],
    load: loadFleet,
  },
  {
    pattern: "/fleet/:tab",
    section: "fleet",
    crumbs: ({ tab = "" }) => [fleet, { label: tab.charAt(0).toUpperCase() + tab.slice(1) }],
    load: loadFleet,
  },
  {
    pattern: "/fleet/clusters/:name",
    section: "fleet",
    crumbs: ({ name }) => fleetCrumbs("clusters", "Clusters", name),
    load: async () => (await import("./pages/fleet/cluster-page.tsx")).ClusterPage,
  },
  {
    pattern: "/fleet/rollouts/:name",
    section: "fleet",
    crumbs: ({ name }) => fleetCrumbs("rollouts", "Rollouts", name),
    load: async () => (await import("./pages/fleet/rollout-page.tsx")).RolloutPage,
  },
  {
    pattern: "/fleet/organisations/:name",
    section: "fleet",
    crumbs: ({ name }) => fleetCrumbs("organisations", "Organisations", name),
    load: async () => (await import("./pages/fleet/organisation-page.tsx")).OrganisationPage,
  },
  {
    pattern: "/fleet/instances/:offering/:namespace/:name",
    section: "fleet",
    crumbs: ({ name }) => fleetCrumbs("instances", "Instances", name),
    load: async () => (await import("./pages/fleet/instance-page.tsx")).InstancePage,
  },
  {
    pattern: "/gitops",
    section: "gitops",
    crumbs: () => [{ label: "GitOps" }],
    load: async () => (await import("./pages/gitops/gitops-page.tsx")).GitOpsPage,
  },
  {
    pattern: "/gitops/:namespace/:name",
    section: "gitops",
    crumbs: deploymentCrumbs,
    load: loadDeployment,
  },
  {
    pattern: "/gitops/:namespace/:name/:tab",
    section: "gitops",
    crumbs: deploymentCrumbs,
    load: loadDeployment,
  },
  {
    pattern: "/providers",
    section: "providers",
    crumbs: () => [{ label: "Providers" }],
    load: async () => (await import("./pages/providers/providers-page.tsx")).ProvidersPage,
  },
  {
    pattern: "/providers/:subscription",
    section: "providers",
    crumbs: ({ subscription = "" }) => [providers, { label: subscription }],
    load: loadSubscription,
  },
  {
    pattern: "/providers/:subscription/:tab",
    section: "providers",
    crumbs: ({ subscription = "" }) => [providers, { label: subscription }],
    load: loadSubscription,
  },
  {
    pattern: "/connect",
    section: "connect",
    crumbs: () => [{ label: "Connect" }],
    load: async () => (await import("./pages/connect/connect-page.tsx")).ConnectPage,
  },
  {
    pattern: "/connect/:name",
    section: "connect",
    crumbs: connectionCrumbs,
    load: loadConnection,
  },
  {
    pattern: "/connect/:name/:tab",
    section: "connect",
    crumbs: connectionCrumbs,
    load: loadConnection,
  },
  {
    pattern: "/activity",
    section: "activity",
    crumbs: () => [{ label: "Operations" }],
    load: async () => (await import("./pages/activity/activity-page.tsx")).ActivityPage,
  },
  {
    pattern: "/reference",
    section: "reference",
    crumbs: () => [{ label: "API reference" }],
    load: async () => (await import("./pages/reference/reference-page.tsx")).ReferencePage,
  },
  {
    pattern: "/settings",
    section: "settings",
    crumbs: () => [{ label: "Settings" }],
    load: async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage,
  },
];
