// The fleet: clusters with their capacity, instances, rollouts, offerings and customers.

import type { ComponentType } from "preact";
import { clustersKind, offeringsKind, organisationsKind, rolloutsKind } from "../../api/fleet.ts";
import { insight } from "../../api/insight.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import { paths } from "../../paths.ts";
import type { FleetTab } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { Empty, Skeleton } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ClustersTab } from "./clusters-tab.tsx";
import { InstancesTab } from "./instances-tab.tsx";
import { OfferingsTab } from "./offerings-tab.tsx";
import { OrganisationsTab } from "./organisations-tab.tsx";
import { RolloutsTab } from "./rollouts-tab.tsx";
import "./fleet.css";

export interface TabProps {
  readonly query: URLSearchParams;
}

interface FleetPart {
  readonly id: FleetTab;
  readonly label: string;
  readonly part: ComponentType<TabProps>;
  /** Whose resources are counted beside it. */
  readonly kind?: string;
}

const tabs: readonly FleetPart[] = [
  { id: "clusters", label: "Clusters", part: ClustersTab, kind: clustersKind },
  { id: "instances", label: "Instances", part: InstancesTab },
  { id: "rollouts", label: "Rollouts", part: RolloutsTab, kind: rolloutsKind },
  { id: "offerings", label: "Offerings", part: OfferingsTab, kind: offeringsKind },
  { id: "organisations", label: "Organisations", part: OrganisationsTab, kind: organisationsKind },
];

export function FleetPage({ params, query }: PageProps) {
  const { tab = "clusters" } = params;
  const { data } = useQuery("counts", async (signal) => await insight.counts({}, signal), {
    live: () => true,
  });
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  if (kindNamed(clustersKind) === undefined) return <Empty>This server has no fleet module.</Empty>;
  const Shown = (tabs.find(({ id }) => id === tab) ?? tabs[0])?.part ?? ClustersTab;
  return (
    <div class="stack fleet">
      <Tabs
        label="Fleet"
        current={tab}
        tabs={tabs.map(({ id, label, kind }) => ({
          id,
          label,
          href: paths.fleet(id),
          count: kind && data?.kinds.find((each) => each.kind === kind)?.total,
        }))}
      />
      <Shown query={query} />
    </div>
  );
}
