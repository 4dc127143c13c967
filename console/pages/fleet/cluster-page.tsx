// One cluster: how full it is, what its agent reports, and what runs on it.

import { subjectOfCluster } from "../../actions/cluster-actions.ts";
import { clustersKind, instanceKindOf } from "../../api/fleet.ts";
import type { Cluster, Offering } from "../../api/fleet.ts";
import { kinds } from "../../api/kinds.ts";
import { CauseBanner } from "../../components/cause-banner.tsx";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { useSelected } from "../../components/selected.ts";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import type { PageProps } from "../../routes.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { CapacityBar } from "./capacity-bar.tsx";
import { limitOf } from "./capacity.ts";
import { ClusterInstances } from "./cluster-instances.tsx";
import { ItemButtons } from "./item-buttons.tsx";
import { clusterLook } from "./looks.ts";
import { useItem } from "./use-item.ts";
import { useOfferings } from "./use-offerings.ts";
import "./fleet.css";

export function ClusterPage({ params }: PageProps) {
  const { name = "" } = params;
  const { data, error, refetch, kind } = useItem<Cluster>(clustersKind, "", name);
  const offerings = useOfferings();
  const subject =
    kind === undefined || data === undefined ? undefined : subjectOfCluster(kind, data);
  useSelected(subject);
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  if (kind === undefined) return <Empty>This server has no fleet module.</Empty>;
  if (data === undefined || subject === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} />;
  }
  const { spec } = data;
  return (
    <div class="stack fleet">
      <header>
        <div class="row resource-title">
          <h1>{name}</h1>
          <StateIcon look={clusterLook(data)} isChip />
          <ItemButtons
            subject={subject}
            inRow={["cluster-open", "cluster-close", "cluster-drain", "cluster-keep"]}
            without={["delete"]}
          />
        </div>
        <p class="muted">
          {spec.displayName !== undefined && `${spec.displayName}. `}
          {spec.provider} {spec.region}
          {spec.isMultiAz === true ? ", several zones" : ", one zone"}. Ingress{" "}
          <span class="mono">{spec.dns}</span>.
        </p>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <ClusterAnswer cluster={data} />
      <div class="columns">
        <div class="stack">
          <InstancesOn
            cluster={name}
            offerings={(offerings.data?.items ?? []).filter(
              ({ metadata }) => spec.offerings?.includes(metadata.name) !== false,
            )}
          />
        </div>
        <Side cluster={data} />
      </div>
    </div>
  );
}

function Side({ cluster }: { cluster: Cluster }) {
  const { spec, status = {} } = cluster;
  return (
    <div class="stack">
      <CapacityPanel cluster={cluster} />
      <Panel title="Placement">
        <Facts
          facts={[
            ["Schedulable", spec.isSchedulable === false ? "no" : "yes"],
            ["Draining", spec.isDraining === true ? "yes" : "no"],
            ["Offerings", spec.offerings?.join(", ") ?? "all"],
            ["Types", spec.types?.join(", ") ?? "all"],
            [
              "Reserved for",
              spec.organisation === undefined ? (
                "no organisation"
              ) : (
                <a class="link" href={paths.fleetItem("organisations", spec.organisation)}>
                  {spec.organisation}
                </a>
              ),
            ],
            ["Executor", spec.executor?.kind ?? "register"],
          ]}
        />
      </Panel>
      <Report status={status} />
      <ConditionsPanel document={cluster} />
    </div>
  );
}

function ClusterAnswer({ cluster }: { cluster: Cluster }) {
  const look = clusterLook(cluster);
  if (look.tone === "ready") return null;
  const { status } = cluster;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const said = [ready?.reason, ready?.message].filter(Boolean).join(": ");
  const text = status?.failedReason ?? (look.tone === "paused" ? "" : said);
  return (
    <CauseBanner tone={look.tone} title={answers[look.word] ?? `${look.word}: not ready yet`}>
      {text !== "" && <p>{sentence(text)}</p>}
    </CauseBanner>
  );
}

const answers: Readonly<Record<string, string>> = {
  Failed: "The cluster failed: no instance is placed on it",
  Waiting: "Its agent does not report that it is ready",
  Draining: "Its instances move to other clusters, and it takes no new ones",
  "Not schedulable": "It takes no new instances; those that are on it stay",
  Removing: "It is being removed",
};

function CapacityPanel({ cluster: { spec, status = {} } }: { cluster: Cluster }) {
  const declared = spec.capacity?.types ?? {};
  const reported = status.report?.capacity ?? {};
  const types = [...new Set([...Object.keys(declared), ...Object.keys(reported)])].sort();
  return (
    <Panel title="Capacity" isPadded>
      <CapacityBar
        label="all types"
        used={status.used ?? 0}
        total={limitOf(spec.capacity?.instances)}
      />
      {types.map((type) => {
        const { maxUnits, remainingUnits } = reported[type] ?? {};
        const total = limitOf(maxUnits);
        if (total === undefined || remainingUnits === undefined) {
          return (
            <p key={type} class="capacity-limit">
              {type}{" "}
              <span class="muted small">
                at most {limitOf(declared[type]) ?? total ?? "any number of"} units
              </span>
            </p>
          );
        }
        const used = Math.max(0, total - remainingUnits);
        return <CapacityBar key={type} label={`${type}, reported`} used={used} total={total} />;
      })}
    </Panel>
  );
}

function Report({ status }: { status: NonNullable<Cluster["status"]> }) {
  const { report } = status;
  if (report === undefined) {
    return (
      <Panel title="Agent">
        <Empty>Its agent has not reported yet.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Agent" note={<Time at={report.at} />}>
      <Facts
        facts={[
          [
            "Reports",
            <StateIcon
              key="ready"
              look={
                report.isReady === true
                  ? { tone: "ready", word: "Ready" }
                  : { tone: "waiting", word: "Not ready" }
              }
            />,
          ],
          ...(report.message === undefined ? [] : [["Message", report.message] as const]),
          ...(report.operators ?? []).map(
            ({ version, isReady, versions = [] }) =>
              [
                `Operator ${version}`,
                <span key={version}>
                  {isReady === true ? "" : "not ready, "}
                  <span class="mono">{versions.join(" ") || "no versions"}</span>
                </span>,
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}

function InstancesOn({ cluster, offerings }: { cluster: string; offerings: readonly Offering[] }) {
  return (
    <>
      {offerings.map((offering) => (
        <ClusterInstances
          key={offering.metadata.name}
          kindId={instanceKindOf(offering)}
          offering={offering.metadata.name}
          cluster={cluster}
        />
      ))}
    </>
  );
}
