// The managed services, with their instances by phase and how full their regions are.

import { offeringsKind } from "../../api/fleet.ts";
import type { Offering } from "../../api/fleet.ts";
import { StateIcon } from "../../components/state.tsx";
import { countText, plural } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import { CapacityBar } from "./capacity-bar.tsx";
import { typesOf } from "./capacity.ts";
import { createOff } from "./create-off.ts";
import type { TabProps } from "./fleet-page.tsx";
import { instanceLook, rankOf } from "./looks.ts";
import { useOfferings } from "./use-offerings.ts";

export function OfferingsTab(_props: TabProps) {
  const { data, error, refetch } = useOfferings();
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The offerings could not be read" />;
  }
  return (
    <>
      <header class="page-head row">
        <h1>{plural(data.items.length, "offering")}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(offeringsKind)}
            off={createOff(offeringsKind)}
          >
            New offering
          </Button>
        </div>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data.items.length === 0 && <Empty>An offering declares a managed service.</Empty>}
      {data.items.map((offering) => (
        <OfferingPanel key={offering.metadata.name} offering={offering} />
      ))}
    </>
  );
}

function OfferingPanel({ offering }: { offering: Offering }) {
  const { metadata, spec, status = {} } = offering;
  const { name } = metadata;
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const isReady = ready?.status === "True";
  const places = [...new Set((status.regions ?? []).map(({ region }) => region))];
  return (
    <Panel
      title={spec.displayName ?? name}
      note={<span class="mono">{name}</span>}
      side={
        <a class="link" href={paths.resource({ kind: offeringsKind, namespace: "", name })}>
          Open in the Explorer
        </a>
      }
    >
      {!isReady && ready?.message !== undefined && (
        <p class="panel-body t-failed">{sentence(ready.message)}</p>
      )}
      <div class="offering">
        <Facts
          facts={[
            ["Instances", <Phases key="phases" offering={offering} />],
            ["Types", spec.types.map((type) => type.name).join(", ")],
            [
              "At most",
              spec.maxInstances === undefined ? "no limit" : countText(spec.maxInstances),
            ],
            ["Terms", spec.terms?.version ?? "none"],
            ["Maintenance", spec.access?.isInMaintenance === true ? "on" : "off"],
            ...Object.entries(status.endpoints ?? {}).map(
              ([id, path]) => [`API, ${id}`, <code key={id}>{path}</code>] as const,
            ),
          ]}
        />
        <ul class="regions">
          {places.map((region) => (
            <li key={region}>
              <h3>{region}</h3>
              {typesOf((status.regions ?? []).filter((each) => each.region === region)).map(
                ({ type, used, total }) => (
                  <CapacityBar key={type} label={type} used={used} total={total} />
                ),
              )}
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function Phases({ offering: { metadata, status } }: { offering: Offering }) {
  const phases = Object.entries(status?.instances ?? {})
    .filter(([, count]) => count > 0)
    .sort(([one], [other]) => rankOf(instanceLook(one)) - rankOf(instanceLook(other)));
  if (phases.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="row">
      {phases.map(([phase, count]) => (
        <li key={phase}>
          <a
            href={paths.fleet("instances", {
              offering: metadata.name,
              q: `columns.status=${phase}`,
            })}
          >
            <StateIcon look={instanceLook(phase)} /> {countText(count)}
          </a>
        </li>
      ))}
    </ul>
  );
}
